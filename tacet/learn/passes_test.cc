#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/method.h"
#include "tacet/optimize/parts/part_sums.h"
#include "tacet/optimize/parts/record_sums.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/product_records.h"
#include "tests/support/wide_records.h"

/// A plan says how often the records are read. These tests count it while the plan is carried out.
namespace tacet::learn {
namespace passes_test {

/// Counts the sums and rewritings that it is asked for: each of them reads all records once.
class CountedSums : public optimize::PartSums {
 public:
  CountedSums(data::Dataset&& records, base::ThreadPool& threads)
      : sums_(std::move(records), threads) {}

  [[nodiscard]] int passes() const { return passes_; }

  [[nodiscard]] data::DatasetShape shape() const override { return sums_.records().shape(); }
  [[nodiscard]] bool has_units() const override { return sums_.records().has_units(); }
  [[nodiscard]] std::int64_t rows() override { return sums_.records().rows(); }
  void rewrite(const optimize::ReleasedSchema& released) override {
    ++passes_;
    sums_.rewrite(released);
  }

 protected:
  void start(const optimize::GradientTask& task) override { sums_.start(task); }
  [[nodiscard]] std::vector<std::int64_t> add_gradients(std::span<const double> weights,
                                                        optimize::Basis /*basis*/) override {
    ++passes_;
    return sums_.gradients(weights);
  }
  [[nodiscard]] std::vector<std::int64_t> add_moments(const optimize::MomentTask& task) override {
    ++passes_;
    return sums_.moments(task);
  }
  [[nodiscard]] std::vector<optimize::ColumnCount> add_presence(
      const optimize::PresenceTask& task) override {
    ++passes_;
    return sums_.presence(task);
  }
  [[nodiscard]] std::vector<std::int64_t> add_gram(const optimize::GramTask& task) override {
    ++passes_;
    return sums_.gram(task);
  }
  [[nodiscard]] std::vector<std::int64_t> add_predictions(
      const model::LinearModel& /*model*/, const optimize::PredictionCells& /*cells*/) override {
    return {};
  }

 private:
  optimize::RecordSums sums_;
  int passes_ = 0;
};

using test::product_schema;
constexpr std::int64_t rows = test::product_rows;

data::Dataset numbers(const data::Schema& schema) { return test::product_records(schema, rows, 1); }

ParameterValues asked(std::string_view method) {
  return {{"epsilon", 2},
          {"delta", 1e-5},
          {"adjacency", "add_remove"},
          {"method", std::string(method)}};
}

/// How often the records are read when training on their sums as planned.
double counted(const Training& plan, data::Dataset records) {
  random::SeededSource source(1);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(2);
  CountedSums sums(std::move(records), pool);
  static_cast<void>(plan.over_parts(sums, plan.schema, {source, reservation, pool}));
  return sums.passes();
}

// Means, and the records written anew by them, are a pass each.
TEST(PassesOverRecords, AreAsManyAsStepsAndTwoMoreWithReleasedMeans) {
  for (const auto& [standardise, passes] : {std::pair{"none", 7}, {"means", 9}}) {
    auto values = asked("gradient");
    values.set("standardise", standardise);
    values.set("steps", 7);
    const auto plan = plan_training(product_schema(), values);
    EXPECT_EQ(plan.passes_over_records, passes);
    EXPECT_EQ(counted(plan, numbers(plan.reading_schema())), passes);
  }
}

// Means, second moments, and the records written anew.
TEST(PassesOverRecords, OfCurvesAreThreeMore) {
  auto values = asked("gradient");
  values.set("curves", "auto");
  const auto training = plan_training(product_schema(), values);
  ASSERT_TRUE(training.schema.curves);
  const auto plan = plan_gradient(training.schema, gradient_options(values));
  ASSERT_GT(plan.whitening_noise, 0);
  EXPECT_EQ(training.passes_over_records, static_cast<double>(plan.steps) + 3);
  EXPECT_EQ(counted(training, numbers(training.reading_schema())), training.passes_over_records);
}

TEST(PassesOverRecords, OfSelectedColumnsAreTwoMore) {
  for (const auto* method : {"gradient", "adassp"}) {
    auto values = asked(method);
    values.set("feature-selection", 0.3);
    const auto schema = test::wide_schema(rows);
    const auto plan = plan_training(schema, values);
    ASSERT_TRUE(plan.passes_over_records) << method;
    EXPECT_EQ(counted(plan, test::wide_records(schema, rows)), plan.passes_over_records) << method;
  }
}

TEST(PassesOverRecords, OfRidgeRegressionAreOneAndOfUnitsOneMore) {
  const auto plan = plan_training(product_schema(), asked("adassp"));
  EXPECT_EQ(plan.passes_over_records, 1);
  EXPECT_EQ(counted(plan, numbers(plan.reading_schema())), 1);
  auto schema = product_schema();
  schema.unit = "who";
  EXPECT_EQ(plan_training(schema, asked("adassp")).passes_over_records, 2)
      << "one record of each unit is written apart";
}

// Samples read their share of the records; a number that follows from them is not said.
TEST(PassesOverRecords, OfSamplesAreExpectedAndOfOthersUnsaid) {
  auto values = asked("gradient");
  values.set("batch-size", 40);
  values.set("steps", 50);
  const auto plan = plan_training(product_schema(), values);
  ASSERT_TRUE(plan.passes_over_records);
  EXPECT_NEAR(*plan.passes_over_records, 50 * 0.01, 1e-9);
  auto classes = product_schema();
  classes.target = {"y", data::BinaryTarget{.positive = {"1"}}};
  EXPECT_FALSE(plan_training(classes, asked("objective")).passes_over_records);
}

}  // namespace passes_test
}  // namespace tacet::learn
