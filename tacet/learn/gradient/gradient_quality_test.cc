#include "tacet/learn/gradient/gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/data_sets.h"
#include "tests/support/labelled_records.h"

/// What noisy descent is worth on real data, and what the stated noise of its coefficients is.
namespace tacet::learn {
namespace gradient_quality_test {

constexpr auto add_remove = privacy::Adjacency::add_remove;

using Setting = test::LabelledRecords;
using test::accuracy;
using test::berkeley;

TrainedModel train(const Setting& setting, const GradientPlan& plan, std::uint64_t seed) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(2);
  return train_gradient(setting.train, setting.schema, plan, {source, reservation, pool});
}

/// Whether three of the models of seeds 1 to 5 are good, as their median is then: known as soon as
/// three are, or are not.
template <typename Good>
bool median_is_good(const Setting& setting, const ParameterValues& options, const Good& good) {
  const auto plan = plan_gradient(setting.schema, gradient_options(options));
  int yes = 0;
  int no = 0;
  for (std::uint64_t seed = 1; yes < 3 && no < 3; ++seed) {
    ++(good(train(setting, plan, seed).model) ? yes : no);
  }
  return yes == 3;
}

bool reaches(const Setting& setting, const data::Dataset& test, double epsilon, double least) {
  return median_is_good(
      setting, {{"epsilon", epsilon}, {"delta", 1e-5}, {"adjacency", add_remove}},
      [&](const model::LinearModel& model) { return accuracy(model, test) >= least; });
}

TEST(GradientQuality, ReachesTheStatedAccuracyOnAdult) {
  TACET_SKIP_WITHOUT_DATA(train_file, "adult/adult.train.csv.gz");
  TACET_SKIP_WITHOUT_DATA(test_file, "adult/adult.test.csv.gz");
  auto schema = data::load_schema(test::source_file("data/schemas/adult.toml"));
  auto records = data::read_dataset(train_file, schema);
  const auto test = data::read_dataset(test_file, schema);
  const Setting setting{std::move(schema), std::move(records)};
  EXPECT_TRUE(reaches(setting, test, 1, 0.845));
  EXPECT_TRUE(reaches(setting, test, 0.1, 0.835));
}

// Every fifth record tests; files ordered by date make it a fixed split, not a random one.
std::pair<data::Dataset, data::Dataset> split(const data::Dataset& all,
                                              const data::Schema& schema) {
  std::pair<data::Dataset, data::Dataset> parts{data::Dataset(schema.shape()),
                                                data::Dataset(schema.shape())};
  for (std::int64_t i = 0; i < all.rows(); ++i) {
    auto& part = i % 5 == 4 ? parts.second : parts.first;
    if (all.sparse()) {
      const auto row = all.sparse_row(i);
      part.append({.columns = {row.columns.begin(), row.columns.end()},
                   .values = {row.values.begin(), row.values.end()},
                   .label = all.label(i)});
    } else {
      part.append_dense(all.dense_row(i), all.label(i));
    }
  }
  return parts;
}

TEST(GradientQuality, ReachesTheStatedAccuracyOnBankMarketing) {
  TACET_SKIP_WITHOUT_DATA(file, "bank_marketing/bank-additional-full.csv.gz");
  auto schema = data::load_schema(test::source_file("data/schemas/bank_marketing.toml"));
  const auto all = data::read_dataset(file, schema);
  auto [train_part, test] = split(all, schema);
  schema.public_row_count = 32950;
  const Setting setting{std::move(schema), std::move(train_part)};
  EXPECT_TRUE(reaches(setting, test, 1, 0.897));
}

// Whether the mean loss is so small a part of the best constant's, on records that were not trained
// on.
bool loses_at_most(const Setting& setting, const data::Dataset& test, const model::Loss& loss,
                   double ratio) {
  double best = std::numeric_limits<double>::infinity();
  for (double c = -1; c <= 1; c += 0.005) {
    double total = 0;
    for (std::int64_t i = 0; i < test.rows(); ++i) {
      total += model::loss_value(loss, c, test.label(i));
    }
    best = std::min(best, total);
  }
  return median_is_good(
      setting, {{"epsilon", 1}, {"delta", 1e-5}, {"adjacency", add_remove}, {"loss", loss}},
      [&](const model::LinearModel& model) {
        double total = 0;
        std::vector<double> margin(1);
        for (std::int64_t i = 0; i < test.rows(); ++i) {
          model::margins(model, test, i, margin);
          total += model::loss_value(loss, margin[0], test.label(i));
        }
        return total <= ratio * best;
      });
}

TEST(GradientQuality, ReachesTheStatedLossOnCaliforniaHousing) {
  TACET_SKIP_WITHOUT_DATA(file, "california_housing/housing.csv.gz");
  auto schema = data::load_schema(test::source_file("data/schemas/california_housing.toml"));
  const auto all = data::read_dataset(file, schema);
  auto [train_part, test] = split(all, schema);
  schema.public_row_count = 16512;
  const Setting setting{std::move(schema), std::move(train_part)};
  EXPECT_TRUE(loses_at_most(setting, test, model::AbsoluteLoss{}, 0.75));
  EXPECT_TRUE(loses_at_most(setting, test, model::HuberLoss{}, 0.75));
  EXPECT_TRUE(loses_at_most(setting, test, model::PinballLoss{0.9}, 0.8));
}

struct NoiseCounts {
  double covered =
      0;  // share of coefficients within 1.96 stated standard deviations of the quiet descent
  double close = 0;  // within a quarter of one
};

// The intervals of released models against the same descent with next to no noise.
NoiseCounts noise_counts(const Setting& setting, double epsilon, std::uint64_t seeds,
                         std::optional<double> average = {}) {
  ParameterValues options{{"epsilon", epsilon}, {"adjacency", add_remove}};
  if (average) options.set("average", *average);
  const auto plan = plan_gradient(setting.schema, gradient_options(options));
  auto quiet = plan;
  quiet.noise_multiplier = 1e-3;
  quiet.events = privacy::Repeated{quiet.steps, privacy::Gaussian{1e-3}};
  quiet.guarantee =
      accounting::account(quiet.events, add_remove, privacy::Delta(quiet.guarantee.delta));
  quiet.prg_slack = 0;
  random::SeededSource source(1);
  privacy::TrustingBudget budget(add_remove);
  auto reservation =
      budget.reserve(quiet.events, {std::numeric_limits<double>::infinity(), 1e-5, add_remove});
  base::ThreadPool pool(2);
  const auto exact =
      train_gradient(setting.train, setting.schema, quiet, {source, reservation, pool})
          .model.coefficients;
  NoiseCounts counts;
  const double total = static_cast<double>(seeds) * static_cast<double>(exact.size());
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto noisy = train(setting, plan, seed).model;
    for (std::size_t j = 0; j < exact.size(); ++j) {
      const double gap = std::fabs(noisy.coefficients[j] - exact[j]);
      counts.covered += gap < 1.96 * noisy.noise_stddevs[j] ? 1 / total : 0;
      counts.close += gap < 0.25 * noisy.noise_stddevs[j] ? 1 / total : 0;
    }
  }
  return counts;
}

TEST(GradientQuality, NoiseStandardDeviationsCoverTheNoiseFreeDescent) {
  const auto setting = berkeley();
  for (const double epsilon : {0.5, 4.0}) {
    const auto counts = noise_counts(setting, epsilon, 40, 0.5);
    EXPECT_GE(counts.covered, 0.93) << epsilon;
    EXPECT_LE(counts.close, 0.8) << epsilon;  // 20 in 100 where the standard deviation is exact
    // The default averages fewer steps, on which the estimate of the curvature rests.
    const auto shorter = noise_counts(setting, epsilon, 40);
    EXPECT_GE(shorter.covered, 0.93) << epsilon;
    EXPECT_LE(shorter.close, 0.85) << epsilon;
  }
}

TEST(GradientQualityLong, NoiseStandardDeviationsCoverTheNoiseFreeDescentOnAdult) {
  TACET_SKIP_WITHOUT_DATA(train_file, "adult/adult.train.csv.gz");
  auto schema = data::load_schema(test::source_file("data/schemas/adult.toml"));
  auto train_part = data::read_dataset(train_file, schema);
  const Setting setting{std::move(schema), std::move(train_part)};
  for (const double epsilon : {0.1, 1.0}) {
    const auto counts = noise_counts(setting, epsilon, 12);
    EXPECT_GE(counts.covered, 0.94) << epsilon;
    EXPECT_LE(counts.close, 0.8) << epsilon;
  }
}

}  // namespace gradient_quality_test
}  // namespace tacet::learn
