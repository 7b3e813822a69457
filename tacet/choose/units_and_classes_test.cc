// Private choices where a person has several records, and where there are several classes.

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/choose/tune.h"
#include "tacet/learn/method.h"
#include "tacet/learn/receipt_check.h"
#include "tests/support/carried_out.h"

namespace tacet::choose {
namespace units_and_classes_test {

using enum privacy::Adjacency;

constexpr std::int64_t people = 400;
constexpr double epsilon = 20;

data::Schema schema_of(std::string_view head, std::string_view target) {
  return data::schema_from_toml(std::string(head) + "public_row_count = 400\n[target]\ncolumn = " +
                                    "\"y\"\n" + std::string(target) +
                                    "[[column]]\nname = \"x\"\nkind = \"numeric\"\nlower = 0\n"
                                    "upper = 1\n[[column]]\nname = \"z\"\nkind = \"numeric\"\n"
                                    "lower = 0\nupper = 1\n",
                                "inline");
}

data::Schema of_people() { return schema_of("unit = \"who\"\n", "positive = \"1\"\n"); }

/// Three records each, which follow the person's class.
data::Dataset records_of_people(const data::Schema& schema, std::int64_t count) {
  data::Dataset records(schema.shape());
  records.declare_units();
  for (std::int64_t row = 0; row < 3 * count; ++row) {
    const auto who = row % count;
    const bool high = who % 2 == 0;
    const std::array values{static_cast<std::int16_t>(high ? 1400 : 100), std::int16_t{200},
                            std::int16_t{900}};
    records.append_dense(values, high ? 1 : -1, who);
  }
  return records;
}

learn::ParameterValues options_of(privacy::Adjacency adjacency) {
  return {{"method", "gradient"},   {"epsilon", epsilon}, {"delta", 1e-6},
          {"adjacency", adjacency}, {"steps", 20},        {"knots", "none"}};
}

TuneRequest tuning(const char* adjacency) {
  TuneRequest asked{{}, grid_from_toml("[values]\nclipping-norm = [0.5, 1]\n", "g"), {.trials = 3}};
  for (const auto& [name, value] : {std::pair{"epsilon", "20"},
                                    {"delta", "1e-6"},
                                    {"steps", "20"},
                                    {"knots", "none"},
                                    {"adjacency", adjacency}}) {
    asked.values.set(name, value);
  }
  return asked;
}

std::vector<learn::Training> all_choices(const data::Schema& schema, privacy::Adjacency adjacency,
                                         const char* name) {
  auto searched = options_of(adjacency);
  searched.set("radius", "auto");
  auto boosted = options_of(adjacency);
  boosted.set("boost", 0.5);
  return {choose::plan_training(schema, searched), choose::plan_training(schema, boosted),
          plan_tuning(schema, tuning(name))};
}

void expect_checked(const test::CarriedOut& run) {
  std::vector<const learn::Method*> known(learn::methods().begin(), learn::methods().end());
  known.insert(known.end(), choices().begin(), choices().end());
  const auto& [model, receipt, schema] = run.result;
  const model::ModelFile file{schema, model, receipt};
  const auto check = learn::check_receipt(receipt, &file, known);
  EXPECT_TRUE(check.faults.empty()) << check.faults.front();
}

double right_share(const learn::TrainedModel& trained, const data::Dataset& records) {
  std::vector<double> margins(static_cast<std::size_t>(trained.model.output_count()));
  double right = 0;
  for (std::int64_t row = 0; row < records.rows(); ++row) {
    model::margins(trained.model, records, row, margins);
    const auto actual = margins.size() == 1 ? (records.label(row) > 0 ? 1 : 0)
                                            : static_cast<std::int64_t>(records.label(row));
    right += model::predicted_class(trained.model, margins) == actual ? 1 : 0;
  }
  return right / static_cast<double>(records.rows());
}

TEST(UnitsAndClasses, EveryChoiceProtectsAPersonsRecordsTogether) {
  const auto schema = of_people();
  const auto records = records_of_people(schema, people);
  for (const auto& plan : all_choices(schema, add_remove, "add_remove")) {
    EXPECT_LE(plan.guarantee.epsilon, epsilon);
    const auto run = test::carried_out(plan, records, 1);
    EXPECT_EQ(run.result.receipt.privacy_unit, "who");
    EXPECT_EQ(run.spent, plan.events);
    EXPECT_GT(right_share(run.result, records), 0.9) << plan.method;
    expect_checked(run);
  }
}

// One person more, with three records, is one neighbour: nothing but weights and the choice
// differs.
TEST(UnitsAndClasses, ReceiptsOfNeighboursOfUnitsAreOneText) {
  const auto schema = of_people();
  const auto text_of = [&](const learn::Training& plan, std::int64_t count, std::uint64_t seed) {
    auto receipt = test::carried_out(plan, records_of_people(schema, count), seed).result.receipt;
    auto parameters = nlohmann::json::parse(receipt.parameters);
    for (const auto* chosen :
         {"candidate", "radius", "clipping_norm", "noise_multiplier", "step_size", "norm_bits"}) {
      parameters.erase(chosen);
    }
    receipt.parameters = parameters.dump();
    return privacy::receipt_to_json(receipt);
  };
  for (const auto& plan : all_choices(schema, add_remove, "add_remove")) {
    EXPECT_EQ(text_of(plan, people, 1), text_of(plan, people + 1, 2)) << plan.method;
  }
}

TEST(UnitsAndClasses, WhereNumbersAreExactUnitsAreRefusedBeforeAnythingIsRead) {
  for (const auto& [adjacency, name] :
       {std::pair{zero_out, "zero_out"}, {replace_one, "replace_one"}}) {
    const auto schema = of_people();
    auto options = options_of(adjacency);
    options.set("radius", "auto");
    EXPECT_THROW(static_cast<void>(choose::plan_training(schema, options)), base::UsageError);
    options.erase("radius");
    options.set("boost", 0.5);
    EXPECT_THROW(static_cast<void>(choose::plan_training(schema, options)), base::UsageError);
    EXPECT_THROW(static_cast<void>(plan_tuning(schema, tuning(name))), base::UsageError);
  }
}

TEST(UnitsAndClasses, RecordsWithoutUnitsAreRefusedBeforeAnythingIsSpent) {
  const auto schema = of_people();
  data::Dataset bare(schema.shape());
  bare.append_dense(std::array{std::int16_t{1}, std::int16_t{1}, std::int16_t{900}}, 1);
  for (const auto& plan : all_choices(schema, add_remove, "add_remove")) {
    EXPECT_THROW(static_cast<void>(test::carried_out(plan, bare, 1)), base::UsageError);
  }
}

// Three classes at three corners; the share of the largest is a third.
TEST(UnitsAndClasses, SeveralClassesAreChosenAmongByAccuracy) {
  const auto schema = schema_of("", "classes = [\"a\", \"b\", \"c\"]\n");
  data::Dataset records(schema.shape());
  for (std::int64_t row = 0; row < people; ++row) {
    const std::array values{static_cast<std::int16_t>(row % 3 == 1 ? 1400 : 0),
                            static_cast<std::int16_t>(row % 3 == 2 ? 1400 : 0), std::int16_t{900}};
    records.append_dense(values, static_cast<double>(row % 3));
  }
  for (const auto& [adjacency, name] : {std::pair{add_remove, "add_remove"},
                                        {zero_out, "zero_out"},
                                        {replace_one, "replace_one"}}) {
    for (const auto& plan : all_choices(schema, adjacency, name)) {
      const auto run = test::carried_out(plan, records, 1);
      EXPECT_EQ(run.result.model.output_count(), 3);
      EXPECT_GT(right_share(run.result, records), 0.9) << plan.method;
      expect_checked(run);
    }
  }
}

}  // namespace units_and_classes_test
}  // namespace tacet::choose
