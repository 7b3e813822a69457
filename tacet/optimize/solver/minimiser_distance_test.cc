#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tacet/optimize/solver/certified_solver.h"

namespace tacet::optimize {
namespace minimiser_distance_test {

constexpr std::int64_t public_count = 40;
constexpr double l2 = 4;  // of the sum, made for the public number of records
constexpr double tolerance = 1e-9;

using Record = std::pair<std::vector<std::int16_t>, double>;

Record random_record(std::mt19937_64& bits) {
  const double angle = static_cast<double>(bits() % 6283) / 1000;
  return {{static_cast<std::int16_t>(2047 * std::cos(angle)),
           static_cast<std::int16_t>(2047 * std::sin(angle))},
          bits() % 2 == 0 ? 1.0 : -1.0};
}

std::vector<double> minimiser(const std::vector<Record>& records, const model::Loss& loss) {
  data::Dataset dataset({.columns = 2, .norm_bound = 1, .storage = data::Storage::dense});
  for (const auto& [row, label] : records) dataset.append_dense(row, label);
  base::ThreadPool pool(1);
  return minimise_certified(dataset, {.loss = GlmLoss(loss), .sum_l2 = l2}, tolerance, pool)
      .weights;
}

double distance(const std::vector<double>& one, const std::vector<double>& other) {
  return std::hypot(one[0] - other[0], one[1] - other[1]);
}

// The minimum of sum of losses + l2/2 |w|^2 moves by at most G / l2 where a record comes, by twice
// that where one is replaced, whatever the number of records: here a tenth to thirty times the
// public one, of which the noise knows nothing.
TEST(MinimiserDistance, NeighboursStayWithinTheSensitivityForAnyNumberOfRecords) {
  const model::Loss loss = model::LogisticLoss{};  // slopes of at most 1
  std::mt19937_64 bits(11);
  double farthest = 0;
  for (const double share : {0.1, 1.0, 3.0, 30.0}) {
    for (int pair = 0; pair < 50; ++pair) {
      std::vector<Record> records(
          static_cast<std::size_t>(share * static_cast<double>(public_count)));
      for (auto& record : records) record = random_record(bits);
      auto more = records;
      more.push_back(random_record(bits));
      auto replaced = records;
      replaced.back() = random_record(bits);
      const auto at = minimiser(records, loss);
      const double added = distance(at, minimiser(more, loss));
      EXPECT_LE(added, 1 / l2 + 2 * tolerance) << share;
      EXPECT_LE(distance(at, minimiser(replaced, loss)), 2 / l2 + 2 * tolerance) << share;
      farthest = std::max(farthest, added * l2);
    }
  }
  EXPECT_GT(farthest, 0.2);
}

}  // namespace minimiser_distance_test
}  // namespace tacet::optimize
