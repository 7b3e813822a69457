#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/category_groups.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/learn/evaluation.h"
#include "tacet/learn/method.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/carried_out.h"
#include "tests/support/noisy_evaluation.h"
#include "tests/support/parts_in_process.h"
#include "tests/support/product_records.h"
#include "tests/support/wide_records.h"

namespace tacet::learn {
namespace parts_training_test {

using privacy::Adjacency;

struct Case {
  data::Schema schema;
  data::Dataset records;  // of training.reading_schema()
  Training training;
};

template <typename Train>
std::string model_bytes(const Training& training, const Train& train) {
  random::SeededSource source(11);
  privacy::TrustingBudget budget(training.guarantee.adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool pool(2);
  auto trained = train(TrainingContext{source, reservation, pool});
  return model::model_to_json({.schema = std::move(trained.schema),
                               .model = std::move(trained.model),
                               .receipt = std::move(trained.receipt)});
}

void expect_same_bytes(const Case& of) {
  const auto whole = model_bytes(of.training, [&](const TrainingContext& context) {
    return of.training.run(of.records, of.training.schema, context);
  });
  ASSERT_TRUE(of.training.over_parts) << of.training.needs_records;
  for (const std::int64_t count : {1, 2, 7}) {
    test::PartsInProcess parts(
        test::divided_at_random(of.records, count, static_cast<std::uint64_t>(count)),
        of.training.reading_schema());
    optimize::RemoteParts remote(parts.run());
    EXPECT_EQ(model_bytes(of.training,
                          [&](const TrainingContext& context) {
                            return of.training.over_parts(remote, of.training.schema, context);
                          }),
              whole)
        << count;
  }
}

constexpr std::string_view table_schema = R"(
    public_row_count = 3000
    [target]
    column = "y"
    {target}
    [[column]]
    name = "a"
    kind = "numeric"
    lower = 0
    upper = 100
    [[column]]
    name = "c"
    kind = "categorical"
    categories = ["u", "v", "w"]
    [[column]]
    name = "f"
    kind = "numeric"
    lower = -1
    upper = 1
  )";

data::Schema table(std::string_view target, std::string_view before = "") {
  std::string text(table_schema);
  text.replace(text.find("{target}"), 8, target);
  return data::schema_from_toml(std::string(before) + text, "s.toml");
}

/// Records with nonsense among them: what is missing, out of bounds, no number.
data::Dataset table_records(const data::Schema& schema, const std::vector<std::string>& targets) {
  std::mt19937_64 bits(5);
  std::vector<std::string> names{"a", "c", "f", "y"};
  if (schema.unit) names.emplace_back("who");
  data::Encoder encoder(schema, names, data::TargetUse::required, "t.csv");
  data::Dataset out(schema.shape());
  if (schema.unit) out.declare_units();
  data::EncodedRow row;
  for (int i = 0; i < 3000; ++i) {
    const auto drawn = bits();
    const std::vector<std::string> fields{
        drawn % 50 == 0 ? "x" : std::to_string(drawn % 130),
        std::string("uvwz").substr(drawn / 7 % 4, 1),
        std::to_string(static_cast<double>(drawn / 11 % 2000) / 900 - 1),
        targets[drawn % 130 > 60 && drawn % 5 != 0 ? 1 : 0], std::to_string(drawn / 13 % 700)};
    const std::vector<std::string_view> views(
        fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(names.size()));
    encoder.encode(views, row);
    out.append(row);
  }
  return out;
}

constexpr std::string_view two_classes = "positive = \"yes\"\nnegative = \"no\"";

Case table_case(const data::Schema& schema, const ParameterValues& asked,
                const std::vector<std::string>& targets) {
  auto training = plan_training(schema, asked);
  auto records = table_records(training.reading_schema(), targets);
  return {schema, std::move(records), std::move(training)};
}

ParameterValues asked(const char* method, Adjacency adjacency = Adjacency::add_remove) {
  return {{"method", method}, {"adjacency", adjacency}, {"epsilon", 1}, {"delta", 1e-5}};
}

ParameterValues few_steps() {
  auto values = asked("gradient");
  values.set("steps", 30);
  return values;
}

TEST(PartsTraining, GradientHasTheBytesOfOneTable) {
  for (const auto* loss : {"logistic", "hinge", "huber"}) {
    auto values = few_steps();
    values.set("loss", std::string(loss));
    const bool numbers = std::string_view(loss) == "huber";
    expect_same_bytes(table_case(
        table(numbers ? "lower = 0\nupper = 2" : two_classes), values,
        numbers ? std::vector<std::string>{"0", "2"} : std::vector<std::string>{"no", "yes"}));
  }
}

TEST(PartsTraining, ReleasedMeansAndCountsHaveTheBytesOfOneTable) {
  auto values = few_steps();
  values.set("standardise", std::string("private"));
  const auto of = table_case(table(two_classes), values, {"no", "yes"});
  ASSERT_TRUE(of.training.raw_schema);
  expect_same_bytes(of);
}

/// Eighteen numbers, which `gradient` holds packed where they have knots.
data::Schema numbers_schema() {
  std::string text = "public_row_count = 600\n[target]\ncolumn = \"y\"\nlower = -5\nupper = 5\n";
  for (int j = 0; j < 18; ++j) {
    text += "[[column]]\nname = \"x" + std::to_string(j) +
            "\"\nkind = \"numeric\"\nlower = -3\nupper = 3\n";
  }
  return data::schema_from_toml(text, "s.toml");
}

data::Dataset number_records(const data::Schema& schema) {
  std::vector<std::string> names{"y"};
  for (int j = 0; j < 18; ++j) names.push_back("x" + std::to_string(j));
  data::Encoder encoder(schema, names, data::TargetUse::required, "");
  data::Dataset records(schema.shape());
  std::mt19937_64 bits(5);
  std::uniform_real_distribution<double> uniform(-3.5, 3.5);
  for (int i = 0; i < 600; ++i) {
    std::vector<data::Value> values(names.size());
    for (auto& value : values) value = uniform(bits);
    encoder.append(values, records);
  }
  encoder.flush(records);
  return records;
}

TEST(PartsTraining, PackedRowsHaveTheBytesOfOneTable) {
  for (const char* standardise : {"none", "private"}) {
    for (const char* knots : {"8", "32"}) {
      auto values = few_steps();
      values.set("curves", std::string("none"));
      values.set("standardise", std::string(standardise));
      values.set("knots", std::string(knots));
      const auto schema = numbers_schema();
      auto training = plan_training(schema, values);
      ASSERT_FALSE(training.schema.shape().hats.empty());
      auto records = number_records(training.reading_schema());
      expect_same_bytes({schema, std::move(records), std::move(training)});
    }
  }
}

TEST(PartsTraining, CurvesHaveTheBytesOfOneTable) {
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    auto values = asked("gradient", adjacency);
    values.set("curves", 0.3);
    values.set("steps", 10);
    const auto schema = test::product_schema();
    auto training = plan_training(schema, values);
    ASSERT_TRUE(training.schema.curves);
    auto records = test::product_records(training.reading_schema(), test::product_rows, 1);
    expect_same_bytes({schema, std::move(records), std::move(training)});
  }
}

TEST(PartsTraining, CurvesAskOnceMoreAndRequestsDoNotCarryTheirMap) {
  auto values = asked("gradient");
  values.set("curves", 0.3);
  values.set("steps", 3);
  const auto training = plan_training(test::product_schema(), values);
  test::PartsInProcess parts(
      test::divided_at_random(
          test::product_records(training.reading_schema(), test::product_rows, 1), 2, 1),
      training.reading_schema());
  auto run = parts.run();
  std::int64_t rounds = 0;
  std::size_t numbers = 0;
  parts.on_the_way = [&](std::vector<std::string>& answers) {
    ++rounds;
    for (const auto& answer : answers) {
      numbers = std::max(numbers, optimize::PartAnswer::from_bytes(answer).sums.size());
    }
  };
  std::size_t largest = 0;
  std::vector<bool> disclosing;
  bool disclosed = false;
  run.ask = [&, ask = run.ask](const std::string& request) {
    largest = std::max(largest, request.size());
    disclosing.push_back(disclosed);
    return ask(request);
  };
  optimize::RemoteParts remote(run);
  remote.before_disclosure([&] { disclosed = true; });
  remote.open();
  static_cast<void>(model_bytes(training, [&](const TrainingContext& context) {
    return training.over_parts(remote, training.schema, context);
  }));
  EXPECT_EQ(rounds, training.part_rounds.rounds);
  EXPECT_EQ(static_cast<std::int64_t>(numbers), training.part_rounds.numbers);
  EXPECT_LT(largest, 20'000U);
  // Means leave the root with the request for second moments, which is the third.
  EXPECT_EQ(disclosing, (std::vector<bool>{false, false, true, true, true, true}));
}

TEST(PartsTraining, SeveralClassesHaveTheBytesOfOneTable) {
  expect_same_bytes(table_case(table("classes = [\"p\", \"q\", \"r\"]"), few_steps(), {"p", "q"}));
}

TEST(PartsTraining, WholeUnitsHaveTheBytesOfOneTable) {
  auto values = few_steps();
  values.set("max-records-per-unit", 3);
  expect_same_bytes(table_case(table(two_classes, "unit = \"who\"\n"), values, {"no", "yes"}));
}

TEST(PartsTraining, SelectedColumnsHaveTheBytesOfOneTable) {
  const auto schema = test::wide_schema(3000);
  for (const auto* method : {"gradient", "adassp"}) {
    auto values = asked(method);
    values.set("epsilon", 4);
    values.set("feature-selection", 0.3);
    auto training = plan_training(schema, values);
    auto records = test::wide_records(training.reading_schema(), 3000);
    expect_same_bytes({schema, std::move(records), std::move(training)});
  }
}

TEST(PartsTraining, AdasspHasTheBytesOfOneTableUnderEveryAdjacency) {
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    expect_same_bytes(table_case(table(two_classes), asked("adassp", adjacency), {"no", "yes"}));
    expect_same_bytes(
        table_case(table("lower = 0\nupper = 2"), asked("adassp", adjacency), {"0", "2"}));
  }
}

std::vector<double> figures(const Evaluation& evaluation) {
  std::vector<double> out{evaluation.all.records.value};
  for (const auto& ratio : {evaluation.all.accuracy, evaluation.all.mean_loss, evaluation.all.r2,
                            evaluation.all.mae, evaluation.all.rmse}) {
    out.push_back(ratio ? ratio->value : -1);
  }
  for (const double count : evaluation.all.matrix) out.push_back(count);
  for (const auto& group : evaluation.groups) out.push_back(group.records.value);
  return out;
}

TEST(PartsTraining, NoisyEvaluationHasTheFiguresOfOneTable) {
  for (const bool numbers : {false, true}) {
    const auto of = table_case(
        table(numbers ? "lower = 0\nupper = 2" : two_classes), asked("adassp"),
        numbers ? std::vector<std::string>{"0", "2"} : std::vector<std::string>{"no", "yes"});
    const auto fitted = test::carried_out(of.training, of.records, 1).result;
    const data::CategoryGroups groups(of.training.schema, "c");
    for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
      const auto plan = plan_evaluation(
          fitted.model, {.epsilon = privacy::Epsilon(2),
                         .delta = privacy::Delta(1e-5),
                         .adjacency = adjacency,
                         .groups = static_cast<std::int64_t>(groups.names().size())});
      const auto whole = test::evaluated({of.records, fitted.model, &groups}, plan, 3);
      for (const std::int64_t count : {1, 2, 7}) {
        test::PartsInProcess parts(test::divided_at_random(of.records, count, 5),
                                   of.training.reading_schema());
        optimize::RemoteParts remote(parts.run());
        random::SeededSource source(3);
        privacy::TrustingBudget budget(adjacency);
        auto reservation = budget.reserve(plan.event, plan.guarantee);
        const auto found = evaluate(remote, {fitted.model, &groups}, plan, source, reservation);
        EXPECT_EQ(figures(found), figures(whole)) << count;
      }
    }
  }
}

// The sum over the parts is what is declared; under add_remove no part is even asked.
TEST(PartsTraining, TheDeclaredNumberIsThatOfAllPartsTogether) {
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    auto schema = table(two_classes);
    schema.public_row_count = 2999;
    const auto of = table_case(schema, asked("adassp", adjacency), {"no", "yes"});
    test::PartsInProcess parts(test::divided_at_random(of.records, 3, 1),
                               of.training.reading_schema());
    int rounds = 0;
    parts.on_the_way = [&](std::vector<std::string>& /*answers*/) { ++rounds; };
    optimize::RemoteParts remote(parts.run());
    random::SeededSource source(1);
    privacy::TrustingBudget budget(adjacency);
    auto reservation = budget.reserve(of.training.events, of.training.guarantee);
    base::ThreadPool pool(1);
    const auto train = [&] {
      (void)of.training.over_parts(remote, of.training.schema, {source, reservation, pool});
    };
    if (adjacency == Adjacency::add_remove) {
      EXPECT_NO_THROW(train());
      EXPECT_EQ(rounds, 1);
    } else {
      EXPECT_THROW(train(), base::DataError);
    }
  }
}

TEST(PartsTraining, WhatNeedsRecordsIsRefusedWithAMethodThatCan) {
  const auto refusal = [](const data::Schema& schema, const ParameterValues& values) {
    try {
      expect_over_parts(plan_training(schema, values));
    } catch (const base::UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(table(two_classes), asked("gradient")), "");
  EXPECT_EQ(refusal(table(two_classes), asked("adassp")), "");
  for (const auto* method :
       {"output", "phased", "objective", "regularized-output", "localized", "phased-erm"}) {
    const auto error = refusal(table(two_classes), asked(method, Adjacency::replace_one));
    EXPECT_NE(error.find("method=gradient"), std::string::npos) << method << error;
    EXPECT_NE(error.find(method), std::string::npos) << error;
  }
  auto sampled = asked("gradient");
  sampled.set("batch-size", 100);
  EXPECT_NE(refusal(table(two_classes), sampled).find("sample"), std::string::npos);
  EXPECT_NE(refusal(table(two_classes, "unit = \"who\"\n"), asked("adassp"))
                .find("draw nothing at random"),
            std::string::npos);
  const ParameterValues exact{{"method", "gradient"},
                              {"adjacency", Adjacency::add_remove},
                              {"epsilon", std::numeric_limits<double>::infinity()}};
  EXPECT_NE(refusal(table(two_classes), exact).find("finite epsilon"), std::string::npos);
}

}  // namespace parts_training_test
}  // namespace tacet::learn
