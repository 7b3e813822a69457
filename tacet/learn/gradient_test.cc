#include "tacet/learn/gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/data/read_dataset.h"
#include "tacet/model/metrics.h"
#include "tacet/privacy/composition.h"
#include "tests/support/data_sets.h"

namespace tacet::learn {
namespace {

constexpr auto add_remove = privacy::Adjacency::add_remove;

struct Setting {
  data::Schema schema;
  data::Dataset train;
};

Setting berkeley() {
  auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  auto train = data::read_dataset(test::source_file("data/berkeley1973.csv"), schema);
  return {std::move(schema), std::move(train)};
}

TrainedModel train(const Setting& setting, const LinearOptions& options, std::uint64_t seed,
                   int threads = 2) {
  const auto plan = plan_gradient(setting.schema, options);
  random::SeededSource source(seed);
  privacy::MemoryBudget budget(options.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(threads);
  base::LocalReducer reducer;
  return train_gradient(setting.train, setting.schema, plan, {source, reservation, pool, reducer});
}

double accuracy(const model::LinearModel& model, const data::Dataset& test) {
  std::int64_t right = 0;
  std::vector<double> margin(1);
  for (std::int64_t i = 0; i < test.rows(); ++i) {
    model::margins(model, test, i, margin);
    right += (margin[0] > 0) == (test.label(i) > 0) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(test.rows());
}

double median_accuracy(const Setting& setting, const data::Dataset& test, double epsilon) {
  std::vector<double> scores;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LinearOptions options{.epsilon = epsilon, .delta = 1e-5, .adjacency = add_remove};
    scores.push_back(accuracy(train(setting, options, seed).model, test));
  }
  std::ranges::sort(scores);
  return scores[2];
}

TEST(Gradient, ReachesTheStatedAccuracyOnAdult) {
  TACET_SKIP_WITHOUT_DATA(train_file, "adult/adult.train.csv.gz");
  TACET_SKIP_WITHOUT_DATA(test_file, "adult/adult.test.csv.gz");
  auto schema = data::load_schema(test::source_file("data/schemas/adult.toml"));
  auto records = data::read_dataset(train_file, schema);
  const auto test = data::read_dataset(test_file, schema);
  const Setting setting{std::move(schema), std::move(records)};
  const double at_one = median_accuracy(setting, test, 1);
  const double at_tenth = median_accuracy(setting, test, 0.1);
  RecordProperty("epsilon_1", std::to_string(at_one));
  RecordProperty("epsilon_0.1", std::to_string(at_tenth));
  EXPECT_GE(at_one, 0.845);
  EXPECT_GE(at_tenth, 0.830);
}

TEST(Gradient, GivesTheSameModelForAnyNumberOfThreads) {
  const auto setting = berkeley();
  const LinearOptions options{.epsilon = 1, .adjacency = add_remove};
  const auto one = train(setting, options, 3, 1).model.coefficients;
  EXPECT_EQ(train(setting, options, 3, 2).model.coefficients, one);
  EXPECT_EQ(train(setting, options, 3, 3).model.coefficients, one);
  EXPECT_NE(train(setting, options, 4, 1).model.coefficients, one);
}

}  // namespace
}  // namespace tacet::learn
