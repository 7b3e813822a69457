#include "tacet/learn/one_dimensional/line_draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tacet::learn {
namespace line_draw_test {

/// Slope of a record's loss at weight w as draw_on_line takes it.
double slope_of(const model::Loss& loss, double row, double label, double w) {
  const bool unbounded = std::isinf(model::properties(loss).slope_bound);
  const double cut = unbounded ? clipped_residual : HUGE_VAL;
  return row * std::clamp(model::loss_slope(loss, row * w, label), -cut, cut);
}

struct Extent {
  double least = HUGE_VAL;
  double largest = -HUGE_VAL;
};
Extent extent_at(const LineProblem& problem, double w) {
  Extent extent;
  const bool classes = model::properties(problem.loss).classification;
  for (int i = -60; i <= 60; ++i) {
    const double row = problem.location ? 1 : i / 60.0;
    for (int k = -20; k <= 20; k += classes ? 40 : 4) {
      const double slope = slope_of(problem.loss, row, k / 20.0, w);
      extent.least = std::min(extent.least, slope);
      extent.largest = std::max(extent.largest, slope);
    }
  }
  return extent;
}

std::vector<LineProblem> problems() {
  std::vector<LineProblem> found;
  for (const double radius : {0.3, 0.8, 1.0, 4.0, 20.0}) {
    for (const bool location : {false, true}) {
      found.push_back({model::SquaredLoss{}, radius, location});
    }
    for (const model::Loss& loss :
         {model::Loss{model::LogisticLoss{}}, model::Loss{model::HuberLoss{}},
          model::Loss{model::PowerHingeLoss{}}, model::Loss{model::SmoothedPinballLoss{0.9}}}) {
      found.push_back({loss, radius});
    }
  }
  return found;
}

// What is stated of a range is public and only costs utility; but it is to be true, so that no
// slope is cut, and not to fall, so that cut slopes still rise.
TEST(SlopeRange, HoldsAllSlopesAndRises) {
  for (const auto& problem : problems()) {
    const auto range = slope_range(problem);
    double widest = 0;
    double before = -HUGE_VAL;
    for (int j = -100; j <= 100; ++j) {
      const double w = problem.radius * j / 100;
      const auto extent = extent_at(problem, w);
      const double largest = range.largest(w);
      EXPECT_GE(largest, before);
      before = largest;
      EXPECT_LE(extent.largest, std::max(largest, -range.steepest) + 1e-12)
          << model::loss_name(problem.loss) << " " << w;
      EXPECT_GE(extent.least, std::min(largest - range.width, range.steepest) - 1e-12)
          << model::loss_name(problem.loss) << " " << w;
      EXPECT_LE(std::max(-extent.least, extent.largest), range.steepest + 1e-12);
      widest = std::max(widest, extent.largest - extent.least);
    }
    // Twice the steepest is what a record can move by at most; often much less.
    EXPECT_LE(range.width, 2 * range.steepest);
    EXPECT_GE(widest, 0.7 * range.width) << model::loss_name(problem.loss);
  }
}

// Replacing a record costs hi - lo of a location, the table of constants' row, and not twice the
// steepest slope.
TEST(SlopeRange, OfALocationIsTheWidthOfTheTarget) {
  EXPECT_EQ(slope_range({model::SquaredLoss{}, 1, true}).width, 2);
  EXPECT_EQ(slope_range({model::SquaredLoss{}, 4, true}).steepest, 2);
  EXPECT_NEAR(slope_range({model::SquaredLoss{}, 4}).width, 2.25, 1e-9);
  EXPECT_NEAR(slope_range({model::LogisticLoss{}, 4}).width, 1.051634, 1e-6);
  EXPECT_EQ(slope_range({model::LogisticLoss{}, 1}).width, 1);
}

}  // namespace line_draw_test
}  // namespace tacet::learn
