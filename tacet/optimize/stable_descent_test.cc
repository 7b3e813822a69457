#include "tacet/optimize/stable_descent.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/gaussian.h"
#include "tacet/privacy/budget.h"

namespace tacet::optimize {
namespace {

using data::Dataset;
using Rows = std::vector<std::pair<std::vector<std::int16_t>, double>>;

Dataset dataset_of(const Rows& rows, std::size_t columns) {
  Dataset dataset({.columns = static_cast<std::int64_t>(columns), .norm_bound = 1});
  for (const auto& [row, label] : rows) dataset.append_dense(row, label);
  return dataset;
}

Rows random_rows(std::mt19937_64& bits, std::size_t count, std::size_t columns) {
  Rows rows;
  const int reach = static_cast<int>(2048 / std::sqrt(static_cast<double>(columns)));
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int16_t> row;
    for (std::size_t j = 0; j < columns; ++j) {
      row.push_back(static_cast<std::int16_t>(static_cast<int>(bits() % 3) * reach - reach));
    }
    rows.emplace_back(row, bits() % 2 == 0 ? 1 : -1);
  }
  return rows;
}

// What a mechanism would see: the released value at next to no noise.
std::vector<double> opened(privacy::BoundedSum sum) {
  random::SeededSource source(1);
  privacy::MemoryBudget budget(privacy::Adjacency::replace_one);
  const privacy::Event event = privacy::Gaussian{1e-9};
  auto reservation = budget.reserve(
      event, {std::numeric_limits<double>::infinity(), 1e-5, privacy::Adjacency::replace_one});
  return mechanism::release_gaussian(std::move(sum), privacy::NoiseMultiplier(1e-9), {}, source,
                                     reservation)
      .value();
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

const std::vector<GlmLoss>& losses() {
  static const std::vector<GlmLoss> all{
      GlmLoss(model::LogisticLoss{}), GlmLoss(model::HingeLoss{}, .2),
      GlmLoss(model::SmoothedHingeLoss{.3}), GlmLoss(model::SquaredLoss{}, 0, 1.5),
      GlmLoss(model::HuberLoss{.4})};
  return all;
}

// Random neighbours at any length of the descent; the worst of them come close to the bound.
TEST(StableDescent, NeighboursMoveNoFurtherThanTheirShare) {
  std::mt19937_64 bits(7);
  base::ThreadPool pool(1);
  double closest = 0;
  for (const auto& loss : losses()) {
    for (int trial = 0; trial < 60; ++trial) {
      const std::size_t columns = 1 + bits() % 3;
      auto rows = random_rows(bits, 2 + bits() % 7, columns);
      auto others = rows;
      others[0] = random_rows(bits, 1, columns)[0];
      auto emptied = rows;
      emptied[0].first.assign(columns, 0);
      for (const std::int64_t steps : {3, 20, 300}) {
        const StableDescent descent{.loss = loss,
                                    .l2 = .05 + .2 * static_cast<double>(bits() % 10),
                                    .radius = 3,
                                    .steps = steps};
        const auto at = [&](const Rows& records) {
          return opened(stable_minimum(dataset_of(records, columns), descent, pool));
        };
        const double share =
            stable_share(descent, std::ssize(rows), 1, static_cast<std::int64_t>(columns));
        const auto here = at(rows);
        const double moved = distance(here, at(others));
        EXPECT_LE(moved, 2 * share);
        EXPECT_LE(distance(here, at(emptied)), share);
        closest = std::max(closest, moved / (2 * share));
      }
    }
  }
  EXPECT_GT(closest, .9);
}

TEST(CertifiedMinimum, NeighboursMoveNoFurtherThanTheirShareForAnyNumberOfRecords) {
  std::mt19937_64 bits(8);
  base::ThreadPool pool(1);
  constexpr std::size_t columns = 2;
  // The regularization belongs to a public count of 30; the true one is 3 to 900.
  for (const auto& loss : losses()) {
    for (const std::size_t count : {3u, 10u, 30u, 100u, 900u}) {
      const RegularizedProblem problem{.loss = loss, .l2 = .05 * 30, .domain = Ball{2}};
      const double tolerance = 1e-5;
      auto rows = random_rows(bits, count, columns);
      const auto here =
          opened(certified_minimum(dataset_of(rows, columns), problem, tolerance, pool));
      auto fewer = rows;
      fewer.pop_back();
      auto others = rows;
      others[0] = random_rows(bits, 1, columns)[0];
      const double share = certified_share(problem, tolerance, 1, columns);
      EXPECT_LE(distance(here, opened(certified_minimum(dataset_of(fewer, columns), problem,
                                                        tolerance, pool))),
                share);
      EXPECT_LE(distance(here, opened(certified_minimum(dataset_of(others, columns), problem,
                                                        tolerance, pool))),
                2 * share);
    }
  }
}

// The counter-example against a descent whose step is made for a public count: twice as many
// records and one more move its end by 250 times the bound. The certified route stays within.
TEST(CertifiedMinimum, MoreRecordsThanThePublicCountDoNotBreakTheBound) {
  constexpr double public_count = 100;
  constexpr double l2 = .05 * public_count;
  const auto rows_of = [](int count) {
    Rows rows(static_cast<std::size_t>(count), {{2048}, 0});
    return rows;
  };
  auto rows = rows_of(210);
  auto more = rows;
  more.push_back({{2048}, -1});
  const GlmLoss loss(model::SquaredLoss{}, 0, 2);
  const auto broken = [&](const Rows& records) {
    double w = 0;
    const double step = 1 / (public_count + l2);
    for (int k = 0; k < 1000; ++k) {
      double gradient = l2 * w;
      for (const auto& [row, label] : records) gradient += std::clamp(w - label, -2.0, 2.0);
      w = std::clamp(w - step * gradient, -1.0, 1.0);
    }
    return w;
  };
  base::ThreadPool pool(1);
  const RegularizedProblem problem{.loss = loss, .l2 = l2, .domain = Ball{1}};
  const double share = certified_share(problem, 1e-6, 1, 1);
  EXPECT_GT(std::fabs(broken(rows) - broken(more)), share);
  EXPECT_LE(distance(opened(certified_minimum(dataset_of(rows, 1), problem, 1e-6, pool)),
                     opened(certified_minimum(dataset_of(more, 1), problem, 1e-6, pool))),
            share);
}

// The released iterate is that of the recursion (whose values reference_table_test checks).
TEST(StableDescent, FollowsItsRecursion) {
  const Rows rows{{{1200, 1600}, 1}, {{2000, 0}, -1}, {{0, -2000}, 1}, {{-1600, 1200}, -1}};
  base::ThreadPool pool(1);
  const GlmLoss loss(model::SquaredLoss{}, 0, 10);
  const StableDescent descent{.loss = loss, .l2 = .4, .radius = 10, .steps = 5};
  double a = 0;
  double b = 0;
  const double step = 2 / (4 * 1.0 + 2 * .4);
  for (int k = 0; k < 5; ++k) {
    double ga = .4 * a;
    double gb = .4 * b;
    for (const auto& [row, label] : rows) {
      const double x = row[0] / 2048.0;
      const double y = row[1] / 2048.0;
      const double slope = a * x + b * y - label;
      ga += slope * x;
      gb += slope * y;
    }
    a -= step * ga;
    b -= step * gb;
  }
  const auto found = opened(stable_minimum(dataset_of(rows, 2), descent, pool));
  EXPECT_NEAR(found[0], a, 1e-3);
  EXPECT_NEAR(found[1], b, 1e-3);
}

TEST(StableDescent, RefusesAnUnboundedSlope) {
  const StableDescent descent{.loss = GlmLoss(model::SquaredLoss{}), .l2 = 1};
  EXPECT_THROW((void)stable_share(descent, 10, 1, 2), base::UsageError);
}

}  // namespace
}  // namespace tacet::optimize
