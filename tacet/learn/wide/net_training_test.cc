#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/learn/wide/net_plan.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::learn {
namespace net_training_test {

using Values = std::map<std::string, std::string>;

constexpr std::int64_t ids = 40;

data::Schema schema_of(bool units = false) {
  data::Schema schema;
  schema.columns = {{"basket", data::IdsColumn{.max_ids = 4, .count = ids}},
                    {"size", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"1"}, {"0"}}};
  schema.public_row_count = 2000;
  if (units) schema.unit = "who";
  return schema;
}

/// Two ids of one half of all: the label is whether both are of one half and of the same parity, so
/// that no weight of single ids tells it.
data::Dataset records(const data::Schema& schema, int count, std::uint64_t seed = 5) {
  data::Dataset data(schema.shape());
  if (schema.unit) data.declare_units();
  std::mt19937_64 bits(seed);
  data::EncodedRow row;
  for (int i = 0; i < count; ++i) {
    row.clear();
    auto first = static_cast<std::uint32_t>(bits() % ids);
    auto second = static_cast<std::uint32_t>(bits() % ids);
    if (first == second) second = static_cast<std::uint32_t>((second + 1) % ids);
    row.columns = {std::min(first, second), std::max(first, second),
                   static_cast<std::uint32_t>(ids)};
    row.values = {700, 700, static_cast<std::int16_t>(bits() % 500 + 1)};
    row.label = (first < ids / 2) == (second < ids / 2) ? 1 : -1;
    row.unit = i / 3;
    data.append(row);
  }
  return data;
}

Training planned(const data::Schema& schema, Values values) {
  ParameterValues given;
  for (const auto& [name, value] : Values{{"epsilon", "8"}, {"method", "wide"}, {"dim", "4"}}) {
    values.try_emplace(name, value);
  }
  for (const auto& [name, value] : values) given.set(name, value);
  if (!given.given("adjacency")) given.set("adjacency", find_method("wide").usual_adjacency);
  return plan_training(schema, given);
}

struct Run {
  TrainedModel trained;
  privacy::Event spent;
};

Run run(const Training& plan, const data::Dataset& data, int threads = 1, std::uint64_t seed = 3) {
  random::SeededSource source(seed);
  base::ThreadPool pool(threads);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  auto trained =
      plan.run(data, plan.schema, {.source = source, .reservation = reservation, .threads = pool});
  return {std::move(trained), reservation.spent()};
}

std::vector<std::uint32_t> bits_of(const TrainedModel& trained) {
  std::vector<std::uint32_t> out;
  for (const float number : trained.model.wide->numbers()) {
    out.push_back(std::bit_cast<std::uint32_t>(number));
  }
  return out;
}

double accuracy(const TrainedModel& trained, const data::Dataset& data) {
  std::int64_t right = 0;
  std::vector<double> out(1);
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    model::margins(trained.model, data, row, out);
    if ((out[0] > 0) == (data.label(row) > 0)) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(data.rows());
}

std::vector<Values> every_kind() {
  return {{},
          {{"optimizer", "sgd"}},
          {{"optimizer", "momentum"}, {"hidden", "none"}},
          {{"optimizer", "adagrad"}, {"hidden", "5,3"}, {"linear-part", "absent"}},
          {{"selection", "adafest"}},
          {{"selection", "adafest"}, {"optimizer", "sgd"}, {"pooling", "sum"}},
          {{"batch-size", "2000"}, {"steps", "5"}}};
}

TEST(NetTraining, TheModelHasTheSameBitsForAnyThreads) {
  for (const bool units : {false, true}) {
    const auto schema = schema_of(units);
    const auto data = records(schema, 500);
    for (auto values : every_kind()) {
      values.try_emplace("batch-size", "200");
      values.try_emplace("steps", "6");
      if (units) values["max-records-per-unit"] = "2";
      const auto plan = planned(schema, values);
      const auto one = bits_of(run(plan, data, 1).trained);
      EXPECT_EQ(one, bits_of(run(plan, data, 2).trained));
      EXPECT_EQ(one, bits_of(run(plan, data, 3).trained));
      EXPECT_NE(one, bits_of(run(plan, data, 1, 4).trained));
    }
  }
}

// What is spent is what was planned, whatever the records are, and the receipt leads back to it.
TEST(NetTraining, SpendsWhatWasPlannedAndTheReceiptSaysSo) {
  for (const bool units : {false, true}) {
    const auto schema = schema_of(units);
    for (auto values : every_kind()) {
      values.try_emplace("batch-size", "100");
      values.try_emplace("steps", "4");
      if (units) values["max-records-per-unit"] = "3";
      const auto plan = planned(schema, values);
      for (const int count : {0, 300}) {
        const auto done = run(plan, records(schema, count));
        EXPECT_EQ(done.spent, plan.events);
        const auto& receipt = done.trained.receipt;
        EXPECT_LE(receipt.guarantee.epsilon, 8);
        EXPECT_LE(accounting::epsilon(plan.events, receipt.guarantee.adjacency,
                                      privacy::Delta(receipt.guarantee.delta)),
                  8);
        const model::ModelFile file{
            .schema = schema, .model = done.trained.model, .receipt = receipt};
        const auto check = check_receipt(receipt, &file, methods());
        EXPECT_TRUE(check.faults.empty()) << check.faults.front();
        EXPECT_EQ(model::model_to_json(model::model_from_json(model::model_to_json(file), "m")),
                  model::model_to_json(file));
      }
    }
  }
}

// Ids that noisily enough records have, found before the steps at a share of the budget: the others
// have no vectors at all, and both releases together cost what was asked for.
TEST(NetTraining, LearnsOnIdsThatWereFoundFirst) {
  auto schema = schema_of();
  schema.columns[0].rule = data::IdsColumn{.max_ids = 4, .count = 4000};
  const auto plan = planned(
      schema,
      {{"feature-selection", "0.3"}, {"selection", "all"}, {"batch-size", "200"}, {"steps", "5"}});
  data::Dataset data(schema.shape());
  std::mt19937_64 bits(8);
  data::EncodedRow row;
  for (int i = 0; i < 2000; ++i) {
    const auto id = static_cast<std::uint32_t>(bits() % 8);
    row.columns = {id, 100 + static_cast<std::uint32_t>(bits() % 3900), 4000};
    row.values = {700, 700, 100};
    row.label = id % 2 == 0 ? 1 : -1;
    data.append(row);
  }
  const auto done = run(plan, data);
  EXPECT_EQ(done.spent, plan.events);
  ASSERT_TRUE(done.trained.schema.selected_columns.has_value());
  const auto& shape = done.trained.model.wide->net().shape();
  ASSERT_EQ(shape.fields.size(), 1U);
  // The eight that are frequent, and few of the 3,900 that one record in two thousand has.
  const auto& kept = *done.trained.schema.selected_columns;
  for (std::uint32_t id = 0; id < 8; ++id) EXPECT_EQ(kept[id], id);
  EXPECT_LT(shape.fields[0].rows, 400);
  EXPECT_LE(accounting::epsilon(plan.events, privacy::Adjacency::add_remove,
                                privacy::Delta(plan.guarantee.delta)),
            8);
  const model::ModelFile file{
      .schema = done.trained.schema, .model = done.trained.model, .receipt = done.trained.receipt};
  const auto check = check_receipt(file.receipt, &file, methods());
  EXPECT_TRUE(check.faults.empty()) << check.faults.front();
  EXPECT_EQ(model::model_to_json(model::model_from_json(model::model_to_json(file), "m")),
            model::model_to_json(file));
}

TEST(NetTraining, ReceiptsAreHeldAgainstTheModel) {
  const auto schema = schema_of();
  const auto plan = planned(schema, {{"batch-size", "100"}, {"steps", "4"}});
  const auto done = run(plan, records(schema, 100));
  const auto faults = [&](const std::string& name, const nlohmann::json& value) {
    auto receipt = done.trained.receipt;
    auto parameters = nlohmann::json::parse(receipt.parameters);
    parameters[name] = value;
    receipt.parameters = parameters.dump();
    const model::ModelFile file{.schema = schema, .model = done.trained.model, .receipt = receipt};
    return check_receipt(receipt, &file, methods()).faults.size();
  };
  EXPECT_EQ(faults("steps", 4), 0U);
  EXPECT_GT(faults("steps", 5), 0U);
  EXPECT_GT(faults("noise_multiplier", 100), 0U);
  EXPECT_GT(faults("sampling_rate", 0.01), 0U);
  EXPECT_GT(faults("batch_size", 99), 0U);
  EXPECT_GT(faults("max_records_per_unit", 2), 0U);
  EXPECT_GT(faults("selection", "fest"), 0U);
  EXPECT_GT(faults("dim", 5), 0U);
  EXPECT_GT(faults("hidden", "16,2"), 0U);
  EXPECT_GT(faults("numbers", 1), 0U);
  EXPECT_GT(faults("linear_part", "absent"), 0U);
}

// Which ids meet is more than their weights say: a constant or a linear model is right in half of
// the cases, vectors and a hidden layer find it.
TEST(NetTraining, VectorsLearnWhatNoWeightsOfSingleIdsTell) {
  const auto schema = schema_of();
  const auto data = records(schema, 4000);
  const auto test = records(schema, 2000, 6);
  const Values values{{"epsilon", "inf"}, {"steps", "1500"}, {"pooling", "sum"}};
  const auto open = run(planned(schema, values), data);
  EXPECT_GT(accuracy(open.trained, test), 0.95);
  EXPECT_FALSE(open.trained.receipt.is_protected());
  EXPECT_EQ(open.trained.receipt.unprotected_reason,
            "trained with epsilon inf: no noise was added");
  // With little noise it is nearly the same.
  const Values little{{"epsilon", "30"},
                      {"steps", "400"},
                      {"pooling", "sum"},
                      {"batch-size", "400"},
                      {"step-size", "0.05"}};
  EXPECT_GT(accuracy(run(planned(schema, little), data).trained, test), 0.85);
}

TEST(NetTraining, ChosenIdsAloneMove) {
  const auto schema = schema_of();
  const auto plan = planned(
      schema,
      {{"selection", "adafest"}, {"threshold", "1e6"}, {"batch-size", "100"}, {"steps", "3"}});
  const auto one = run(plan, records(schema, 400));
  const auto other = run(plan, records(schema, 400, 9));
  // Nothing reaches such a threshold: vectors are as they were before training, the block is not.
  const auto cells = static_cast<std::size_t>(one.trained.model.wide->net().layout().cells());
  const auto a = bits_of(one.trained);
  const auto b = bits_of(other.trained);
  EXPECT_TRUE(std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(cells), b.begin()));
  EXPECT_FALSE(std::equal(a.begin() + static_cast<std::ptrdiff_t>(cells), a.end(),
                          b.begin() + static_cast<std::ptrdiff_t>(cells)));
}

template <typename Value>
Value setting_of(const data::Schema& schema, const Values& values, std::string_view name) {
  const auto plan = planned(schema, values);
  const auto found = std::ranges::find(plan.settings, name, &Setting::name);
  return std::get<Value>(found->value);
}

// Ten passes over few records are a handful of steps, which learn nothing.
TEST(NetTraining, WithoutNoiseThereAreStepsEnoughForFewRecords) {
  auto schema = schema_of();
  const auto steps = [&] {
    return setting_of<std::int64_t>(schema, {{"epsilon", "inf"}}, "steps");
  };
  schema.public_row_count = 200;
  EXPECT_EQ(steps(), 1000);
  schema.public_row_count = 64000;
  EXPECT_EQ(steps(), 10000);
}

// Of few records all take part in every step, which is the least noise for so many of them.
TEST(NetTraining, StepsReadAllOfFewRecords) {
  auto schema = schema_of();
  const auto of = [&](std::int64_t rows, const std::string& name) {
    schema.public_row_count = rows;
    return setting_of<std::int64_t>(schema, {}, name);
  };
  for (const std::int64_t rows : {1, 300, 8000}) {
    EXPECT_EQ(of(rows, "batch_size"), rows);
    EXPECT_EQ(of(rows, "steps"), 400);
    EXPECT_EQ(planned(schema, {}).sampling_scheme, "full_batch");
  }
  EXPECT_EQ(of(16000, "batch_size"), 8000);
  EXPECT_EQ(of(16000, "steps"), 200);
  EXPECT_EQ(of(64000, "batch_size"), 16000);
  EXPECT_EQ(of(64000, "steps"), 100);
}

data::Schema schema_of_numbers(bool classes) {
  auto schema = schema_of();
  schema.columns.erase(schema.columns.begin());
  if (!classes) schema.target = {"y", data::RegressionTarget{.lower = 0, .upper = 1}};
  return schema;
}

// Without vectors layers learn alone: there are more of them, steps, and less noise for numbers.
TEST(NetTraining, NetsOfNumbersHaveARuleOfTheirOwn) {
  auto schema = schema_of_numbers(true);
  for (const auto& [rows, batch, steps] : {std::array<std::int64_t, 3>{300, 300, 400},
                                           {16000, 8000, 1000},
                                           {64000, 16000, 1000},
                                           {1000000, 20000, 1000}}) {
    schema.public_row_count = rows;
    EXPECT_EQ(setting_of<std::int64_t>(schema, {}, "batch_size"), batch);
    EXPECT_EQ(setting_of<std::int64_t>(schema, {}, "steps"), steps);
  }
  EXPECT_EQ(setting_of<std::string>(schema, {}, "hidden"), "32,16");
  EXPECT_EQ(setting_of<std::string>(schema, {{"hidden", "none"}}, "hidden"), "none");
  EXPECT_EQ(setting_of<std::string>(schema_of(), {}, "hidden"), "16");
}

TEST(NetTraining, NumbersAreClippedMoreAndClassesMoveFurther) {
  const auto of = [](const data::Schema& schema, const std::string& name) {
    return setting_of<double>(schema, {}, name);
  };
  auto beside_ids = schema_of();
  beside_ids.target = schema_of_numbers(false).target;
  EXPECT_EQ(of(schema_of_numbers(false), "clipping_norm"), 0.1);
  EXPECT_EQ(of(schema_of_numbers(true), "clipping_norm"), 1);
  EXPECT_EQ(of(beside_ids, "clipping_norm"), 1);
  const double usual = of(schema_of_numbers(false), "step_size");
  EXPECT_EQ(of(schema_of_numbers(true), "step_size"), 2 * usual);
  EXPECT_EQ(of(beside_ids, "step_size"), usual);
}

// How far noise alone moves a number does not follow from how many steps there are: in moves of
// their own size (adam) as in moves as long as the noise of a step, which grows like their root.
TEST(NetTraining, MoreStepsAreShorter) {
  auto schema = schema_of();
  const auto step_size = [&](const std::string& optimizer, const std::string& steps) {
    return setting_of<double>(schema, {{"optimizer", optimizer}, {"steps", steps}}, "step_size");
  };
  const auto noise = [&](const std::string& steps) {
    return setting_of<double>(schema, {{"steps", steps}}, "noise_multiplier");
  };
  EXPECT_NEAR(step_size("adam", "900") * 3, step_size("adam", "100"), 1e-12);
  for (const std::string optimizer : {"sgd", "momentum"}) {
    const double few = step_size(optimizer, "100") * noise("100") * 10;
    EXPECT_NEAR(step_size(optimizer, "900") * noise("900") * 30, few, 1e-3 * few);
  }
  EXPECT_EQ(step_size("adam", "5"), step_size("adam", "100"));
}

std::string error_of(const data::Schema& schema, const Values& values) {
  try {
    static_cast<void>(planned(schema, values));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(NetTraining, RefusesWhatMakesNoSense) {
  const auto schema = schema_of();
  const auto says = [&](const Values& values, const std::string& words) {
    const auto error = error_of(schema, values);
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  says({{"delta", "0"}}, "pure privacy");
  says({{"epsilon", "inf"}, {"feature-selection", "0.3"}}, "no meaning with epsilon inf");
  says({{"hidden", "1,2,3"}}, "up to 2 numbers");
  says({{"batch-size", "3000"}}, "at most public_row_count");
  says({{"max-records-per-unit", "2"}}, "needs a unit column");
  says({{"selection", "fest"}}, "all or adafest");
  says({{"threshold", "3"}}, "no meaning where all vectors");
  says({{"optimizer", "lion"}}, "sgd, momentum, adagrad or adam");
  says({{"optimizer", "momentum"}, {"selection", "adafest"}}, "undoes selection");
  says({{"loss", "hinge"}}, "logistic, the softmax or the squared loss");
  says({{"head", "two-tower"}}, "columns of each side");
  auto heavy = schema;
  heavy.target->class_weights = {1, 2};
  EXPECT_NE(error_of(heavy, {}).find("weights"), std::string::npos);
  auto large = schema;
  large.columns[0].rule = data::HashedColumn{.bits = 30};
  EXPECT_NE(error_of(large, {}).find("more than the 2^27"), std::string::npos);
}

}  // namespace net_training_test
}  // namespace tacet::learn
