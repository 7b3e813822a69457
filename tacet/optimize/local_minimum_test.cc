#include "tacet/optimize/local_minimum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/gaussian.h"
#include "tacet/privacy/budget.h"

namespace tacet::optimize {
namespace {

using Rows = std::vector<std::pair<std::vector<std::int16_t>, double>>;

data::Dataset dataset_of(const Rows& rows, std::size_t columns) {
  data::Dataset dataset({.columns = static_cast<std::int64_t>(columns), .norm_bound = 1});
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

// Random neighbours around random centres, after 1, 5 and 30 steps and with a certificate, in balls
// that bind and balls that do not; the worst of them come close to the bound.
TEST(LocalMinimum, NeighboursMoveNoFurtherThanTheirShare) {
  std::mt19937_64 bits(17);
  base::ThreadPool pool(1);
  double closest = 0;
  for (const auto& loss :
       {GlmLoss(model::LogisticLoss{}), GlmLoss(model::HingeLoss{}, .2),
        GlmLoss(model::AbsoluteLoss{}, .1), GlmLoss(model::SquaredLoss{}, 0, 3)}) {
    for (int trial = 0; trial < 40; ++trial) {
      const std::size_t columns = 1 + bits() % 3;
      const auto rows = random_rows(bits, 2 + bits() % 7, columns);
      auto others = rows;
      others[1] = random_rows(bits, 1, columns)[0];
      auto emptied = rows;
      emptied[1].first.assign(columns, 0);
      for (const std::int64_t steps : {0, 1, 5, 30}) {
        LocalProblem problem{.loss = loss,
                             .rows = {0, std::ssize(rows)},
                             .l2 = .05 + .2 * static_cast<double>(bits() % 10),
                             .domain = Ball{bits() % 2 == 0 ? 0.4 : 3.0},
                             .gradient_share = loss.slope_bound(),
                             .steps = steps,
                             .tolerance = steps == 0 ? 1e-4 : 0};
        for (std::size_t j = 0; j < columns; ++j) {
          problem.centre.push_back(0.1 * static_cast<double>(bits() % 5) - 0.2);
        }
        const auto at = [&](const Rows& records) {
          return opened(local_minimum(dataset_of(records, columns), problem, pool));
        };
        const double share = local_share(problem, 1, static_cast<std::int64_t>(columns));
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

TEST(LocalMinimum, IsTheMinimumAroundItsCentre) {
  // (1/2)(w - 1)^2 for two records with x = 1, plus |w - 3|^2 / 2 * 2: minimum at w = 2.
  const Rows rows{{{2048}, 1}, {{2048}, 1}};
  base::ThreadPool pool(1);
  LocalProblem problem{.loss = GlmLoss(model::SquaredLoss{}, 0, 20),
                       .rows = {0, 2},
                       .l2 = 2,
                       .centre = {3},
                       .domain = Ball{10},
                       .gradient_share = 11};
  for (const std::int64_t steps : {0, 200}) {
    problem.steps = steps;
    problem.tolerance = steps == 0 ? 1e-6 : 0;
    EXPECT_NEAR(opened(local_minimum(dataset_of(rows, 1), problem, pool))[0], 2, 1e-4);
  }
  problem.domain = Ball{1.5};
  EXPECT_NEAR(opened(local_minimum(dataset_of(rows, 1), problem, pool))[0], 1.5, 1e-4);
}

TEST(LocalMinimum, ReadsItsOwnRowsAlone) {
  std::mt19937_64 bits(18);
  base::ThreadPool pool(1);
  auto rows = random_rows(bits, 12, 2);
  const LocalProblem problem{.loss = GlmLoss(model::LogisticLoss{}),
                             .rows = {4, 9},
                             .l2 = 1,
                             .domain = Ball{5},
                             .steps = 40};
  const auto before = opened(local_minimum(dataset_of(rows, 2), problem, pool));
  rows[3] = random_rows(bits, 1, 2)[0];
  rows[9] = random_rows(bits, 1, 2)[0];
  EXPECT_EQ(opened(local_minimum(dataset_of(rows, 2), problem, pool)), before);
  rows[4].second = -rows[4].second;
  rows[4].first = {1448, 1448};
  EXPECT_NE(opened(local_minimum(dataset_of(rows, 2), problem, pool)), before);
}

TEST(LocalMinimum, RefusesWhatHasNoBound) {
  base::ThreadPool pool(1);
  const Rows rows{{{2048}, 1}, {{2048}, 1}};
  LocalProblem problem{.loss = GlmLoss(model::SquaredLoss{}), .rows = {0, 2}, .steps = 3};
  EXPECT_THROW((void)local_share(problem, 1, 1), base::UsageError);
  problem.loss = GlmLoss(model::LogisticLoss{});
  problem.domain = WholeSpace{};
  EXPECT_THROW((void)local_share(problem, 1, 1), base::UsageError);
  problem.domain = Ball{1};
  problem.rows = {1, 3};
  EXPECT_THROW((void)local_minimum(dataset_of(rows, 1), problem, pool), base::InternalError);
}

}  // namespace
}  // namespace tacet::optimize
