#include "tacet/model/class_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/optimize/solver/erm.h"
#include "tacet/optimize/sums/gradient_sum.h"

// Sums and minimisers with class weights: what they are, and what one record changes in them.
namespace tacet::optimize {
namespace solver_class_weights_test {

using Point = std::vector<double>;

struct Record {
  std::vector<std::int16_t> row;
  double label = 1;
};
using Records = std::vector<Record>;

constexpr double no_clip = std::numeric_limits<double>::infinity();
const model::ClassWeights& weights() {
  static const model::ClassWeights of_classes({1, 4});  // negative, positive
  return of_classes;
}

data::Dataset dataset_of(const Records& records, data::Storage storage = data::Storage::dense) {
  data::Dataset dataset(
      {.columns = std::ssize(records.at(0).row), .norm_bound = 1, .storage = storage});
  for (const auto& [row, label] : records) dataset.append_dense(row, label);
  return dataset;
}

/// Every row with entries among these, of norm at most 1, with either label.
Records all_records() {
  Records records;
  for (const std::int16_t a : std::initializer_list<std::int16_t>{-2048, 0, 1400}) {
    for (const std::int16_t b : std::initializer_list<std::int16_t>{-1400, 0, 2048}) {
      if (a * a + b * b > 2048 * 2048) continue;
      for (const double label : {-1.0, 1.0}) records.push_back({{a, b}, label});
    }
  }
  return records;
}

const Records& base() {
  static const Records records{
      {{2048, 0}, 1}, {{0, 2048}, -1}, {{1400, -1400}, 1}, {{-1400, 1400}, 1}, {{0, 0}, -1}};
  return records;
}

Records with(Records records, const Record& further) {
  records.push_back(further);
  return records;
}

std::vector<std::int64_t> sum_of(const Records& records, const model::Loss& loss, const Point& at,
                                 const model::ClassWeights& of_classes, std::int64_t outputs = 1) {
  base::ThreadPool pool(1);
  const auto dataset = dataset_of(records, data::Storage::sparse);
  const GradientSum sums({dataset, loss, outputs},
                         {.clipping_norm = 1, .norm_bits = 20, .class_weights = of_classes}, pool);
  const auto sum = sums.at(at);
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

double distance(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    square += std::pow(static_cast<double>(a[j] - b[j]), 2);
  return std::sqrt(square);
}

// The brute-forced neighbours of a sum: every record there is, added to every one of the classes,
// moves it by its weight's share of the clipping norm and not by more, whatever the loss's slope.
TEST(ClassWeightedSums, ARecordMovesTheSumByItsWeightAtMost) {
  for (const model::Loss& loss :
       {model::Loss{model::LogisticLoss{}}, model::Loss{model::HingeLoss{}}}) {
    for (const double size : {0.0, 1.0, -30.0}) {
      const Point at{size, -0.5 * size};
      const auto without = sum_of(base(), loss, at, weights());
      double furthest = 0;
      for (const auto& record : all_records()) {
        const double moved =
            distance(sum_of(with(base(), record), loss, at, weights()), without) / 0x1p20;
        EXPECT_LE(moved, weights().of(record.label) + 1e-5);
        furthest = std::max(furthest, moved);
      }
      EXPECT_GT(furthest, size == 0 ? .2 : .6);
    }
  }
  // A loss without a bound of its slope: the clip comes after the weight and holds alone.
  const Point far{1e6, -1e6};
  const auto without = sum_of(base(), model::PowerHingeLoss{2}, far, weights());
  for (const auto& record : all_records()) {
    EXPECT_LE(
        distance(sum_of(with(base(), record), model::PowerHingeLoss{2}, far, weights()), without),
        0x1p20);
  }
}

TEST(ClassWeightedSums, SeveralClassesShareOneBound) {
  const model::ClassWeights three({1, 0.25, 0.5});
  Records records{{{2048, 0}, 0}, {{0, 2048}, 1}, {{1400, -1400}, 2}};
  const Point at{3, -1, 0.5, 2, -2, 0};
  const auto without = sum_of(records, model::LogisticLoss{}, at, three, 3);
  for (auto record : all_records()) {
    for (const double label : {0.0, 1.0, 2.0}) {
      record.label = label;
      const auto sum = sum_of(with(records, record), model::LogisticLoss{}, at, three, 3);
      EXPECT_LE(distance(sum, without), 0x1p20);
      const auto plain = sum_of({record}, model::LogisticLoss{}, at, {}, 3);
      const auto weighted = sum_of({record}, model::LogisticLoss{}, at, three, 3);
      const std::vector<std::int64_t> nothing(6);
      EXPECT_LE(distance(weighted, nothing), distance(plain, nothing) + 3);
    }
  }
}

// Four times a positive record is what weight 4 against 1 counts, up to the common factor.
TEST(ClassWeightedSums, AWeightCountsAsSoManyRecords) {
  Records repeated;
  for (const auto& record : base()) {
    for (int k = 0; k < (record.label > 0 ? 4 : 1); ++k) repeated.push_back(record);
  }
  const Point at{0.7, -0.4};
  const auto weighted = sum_of(base(), model::LogisticLoss{}, at, weights());
  const auto many = sum_of(repeated, model::LogisticLoss{}, at, {});
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(4 * static_cast<double>(weighted[j]), static_cast<double>(many[j]), 0x1p20 / 50);
  }
  base::ThreadPool pool(1);
  const auto few_records = dataset_of(base());
  const auto many_records = dataset_of(repeated);
  const auto minimum = [&](const data::Dataset& records, const GlmLoss& loss, double l2) {
    return minimise_certified(records, {.loss = loss, .sum_l2 = l2}, 1e-9, pool).weights;
  };
  const auto one = minimum(few_records, GlmLoss(model::LogisticLoss{}, 0, no_clip, weights()), .25);
  const auto other = minimum(many_records, GlmLoss(model::LogisticLoss{}), 1);
  const auto exact = minimise_without_protection(
      few_records, model::LogisticLoss{}, {.mean_l2 = .05, .class_weights = weights()}, pool);
  EXPECT_LT(exact.gap, 1e-7);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(one[j], other[j], 1e-8);
    EXPECT_NEAR(one[j], exact.weights[j], 1e-3);
  }
}

// Slope and curvature are those of the value, and no bound is passed: what the proofs use.
TEST(ClassWeightedLoss, KeepsTheBoundsOfTheLoss) {
  for (const auto& loss : {GlmLoss(model::LogisticLoss{}, 0, no_clip, weights()),
                           GlmLoss(model::HingeLoss{}, .2, no_clip, weights()),
                           GlmLoss(model::PowerHingeLoss{2}, 0, 3, weights())}) {
    loss.with_slopes([&](const auto& slope_of) {
      for (const double label : {-1.0, 1.0}) {
        double last = -no_clip;
        for (double u = -8.003; u < 8; u += 0.01) {
          const auto [slope, curvature] = slope_of(u, label);
          EXPECT_LE(std::fabs(slope), loss.slope_bound() * weights().of(label));
          EXPECT_GE(curvature, 0);
          EXPECT_LE(curvature, loss.curvature_bound() * weights().of(label));
          EXPECT_GE(slope, last);  // convex
          last = slope;
          const double h = 1e-5;
          EXPECT_NEAR((loss.value(u + h, label) - loss.value(u - h, label)) / (2 * h), slope, 1e-4);
        }
      }
    });
  }
}

// Brute-forced neighbours of the minimiser: every record for every other one.
TEST(ClassWeightedMinimum, AReplacedRecordMovesItByTwiceItsShareAtMost) {
  base::ThreadPool pool(1);
  constexpr double l2 = 0.2;
  double furthest = 0;
  for (const auto& loss : {GlmLoss(model::LogisticLoss{}, 0, no_clip, weights()),
                           GlmLoss(model::HingeLoss{}, .1, no_clip, weights())}) {
    const auto at = [&](const Record& record) {
      const auto dataset = dataset_of(with(base(), record));
      return minimise_certified(dataset, {.loss = loss, .sum_l2 = l2}, 1e-9, pool).weights;
    };
    std::vector<Point> found;
    for (const auto& record : all_records()) found.push_back(at(record));
    for (const auto& one : found) {
      for (const auto& other : found) {
        const double moved = std::hypot(one[0] - other[0], one[1] - other[1]);
        EXPECT_LE(moved, 2 * loss.slope_bound() / l2);
        furthest = std::max(furthest, moved * l2 / 2);
      }
    }
  }
  EXPECT_GT(furthest, .1);
}

}  // namespace solver_class_weights_test
}  // namespace tacet::optimize
