#include "tacet/model/loss/loss_smoothness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/loss_facts.h"

namespace tacet::model {
namespace loss_smoothness_test {

std::vector<Loss> every_loss() {
  return {LogisticLoss{},
          SquaredLoss{},
          HingeLoss{},
          SmoothedHingeLoss{0.3},
          SmoothedHingeLoss{1.7},
          HuberLoss{0.3},
          HuberLoss{2.5},
          AbsoluteLoss{},
          PinballLoss{0.8},
          PowerHingeLoss{1.25},
          PowerHingeLoss{1.5},
          PowerHingeLoss{1.7},
          PowerHingeLoss{2},
          PowerRegressionLoss{1.25},
          PowerRegressionLoss{1.5},
          PowerRegressionLoss{2},
          SmoothedAbsoluteLoss{0.3},
          SmoothedPinballLoss{0.8, 0.3},
          EpsilonInsensitiveLoss{0.2},
          SmoothedEpsilonInsensitiveLoss{0.2, 0.3},
          SquaredEpsilonInsensitiveLoss{0.2},
          LinearisedPowerHingeLoss{1.5, 0.2},
          LinearisedPowerHingeLoss{1.25, 0.6},
          LinearisedPowerRegressionLoss{1.5, 0.2},
          LinearisedPowerRegressionLoss{1.3, 0.4},
          PseudoHuberLoss{0.3},
          PseudoHuberLoss{2.5},
          LogCoshLoss{},
          SoftLogisticLoss{},
          ExtendedPoissonLoss{1.2}};
}

struct Pair {
  double u;
  double v;
  double y;
};

// Pairs anywhere within `bound`, close together, and around the kinks that the loss may have.
class PairMaker {
 public:
  PairMaker(const Loss& loss, double bound)
      : classes_(properties(loss).classification),
        shares_(properties(loss).labels == Labels::shares),
        bound_(bound),
        insensitivity_(loss_parameter_name(loss) == "insensitivity" ? loss_parameter(loss) : 0) {}

  Pair operator()() {
    if (shares_) return shares_pair();
    const double y = classes_ || bits_() % 2 == 0 ? (bits_() % 2 == 0 ? 1.0 : -1.0) : sign_(bits_);
    const double far = bound_ * sign_(bits_);
    const double near = std::pow(10.0, -6 * (1 + sign_(bits_)) / 2);
    switch (bits_() % 5) {
      case 0:
        return {far, bound_ * sign_(bits_), y};
      case 1:
        return {far, far + near * sign_(bits_), y};
      case 2:  // on both sides of the kink at u = y, or of the margin 1
        return {y + near, y - near, y};
      case 3:
        return {y, bits_() % 2 == 0 ? y + near : y - near, y};
      default:
        return {y + insensitivity_ + near, y - insensitivity_ - near, y};
    }
  }

 private:
  // Labels do not matter to differences of slopes; the extension's seam is within the bound.
  Pair shares_pair() {
    const double far = bound_ * sign_(bits_);
    const double near = std::pow(10.0, -6 * (1 + sign_(bits_)) / 2);
    return {far, bits_() % 2 == 0 ? far + near * sign_(bits_) : bound_ * sign_(bits_), 0.3};
  }

  bool classes_;
  bool shares_;
  double bound_;
  double insensitivity_;
  std::mt19937_64 bits_{1};
  std::uniform_real_distribution<double> sign_{-1, 1};
};

void check_smoothness(int pairs) {
  for (const auto& loss : every_loss()) {
    SCOPED_TRACE(std::string(loss_name(loss)));
    const auto facts = smoothness(loss);
    PairMaker make(loss, 30);
    double constant = 0;
    double range = 0;
    double modulus = 0;
    for (int i = 0; i < pairs; ++i) {
      const auto [u, v, y] = make();
      const double t = std::fabs(u - v);
      if (t < 1e-6) continue;
      const double gap = std::fabs(loss_slope(loss, u, y) - loss_slope(loss, v, y));
      constant = std::max(constant, gap / std::pow(t, facts.exponent));
      range = std::max(range, gap);
      ASSERT_LE(gap, modulus_of_continuity(loss, t) * (1 + 1e-7) + 1e-12);
      modulus = std::max(modulus, gap / modulus_of_continuity(loss, t));
      ASSERT_LE((loss_slope(loss, u, y) - loss_slope(loss, v, y)) * (u - v), 1e300);
      ASSERT_GE((loss_slope(loss, u, y) - loss_slope(loss, v, y)) * (u - v), -1e-18);
    }
    EXPECT_LE(constant, facts.constant * (1 + 1e-7));
    EXPECT_GE(constant, facts.constant * 0.99);
    EXPECT_GE(modulus, 0.99);
    if (!std::isinf(facts.range)) {
      EXPECT_LE(range, facts.range * (1 + 1e-12));
      EXPECT_GE(range, facts.range * 0.99);
    }
    EXPECT_EQ(std::isinf(facts.curvature), facts.exponent < 1);
  }
}

TEST(LossSmoothness, HoelderConstantRangeAndModulusHoldAndAreReached) { check_smoothness(40000); }
TEST(LossSmoothnessLong, HoelderConstantRangeAndModulusHoldAndAreReached) {
  check_smoothness(200000);
}

TEST(LossSmoothness, SlopeBoundsWithinABallHoldAndAreReached) {
  for (const auto& loss : every_loss()) {
    SCOPED_TRACE(std::string(loss_name(loss)));
    const bool classes = properties(loss).classification;
    const auto range = label_range(properties(loss).labels);
    for (const double bound : {0.0, 0.1, 1.3, 2.6}) {
      double slope = 0;
      double value = 0;
      for (int i = 0; i <= 2000; ++i) {
        const double u = bound * (i / 1000.0 - 1);
        for (int k = 0; k <= 20; ++k) {
          const double y = classes            ? (k % 2 == 0 ? 1 : -1)
                           : range.lower == 0 ? k / 20.0
                                              : k / 10.0 - 1;
          slope = std::max(slope, std::fabs(loss_slope(loss, u, y)));
          value = std::max(value, loss_value(loss, 0, y));
          ASSERT_GE(loss_value(loss, u, y), 0);
        }
      }
      EXPECT_LE(slope, slope_bound_within(loss, bound) * (1 + 1e-9));
      EXPECT_GE(slope, slope_bound_within(loss, bound) * 0.99);
      EXPECT_NEAR(value, largest_loss_at_zero(loss), 1e-12);
    }
  }
}

// Predictions up to 3, numbers up to 1: largest slope and loss.
TEST(LossSmoothness, ConstantsOnABallAgreeWithTheReferenceTable) {
  struct Row {
    Loss loss;
    double slope;
    double most;
  };
  for (const auto& row :
       {Row{SquaredLoss{}, 4, 8}, Row{LogisticLoss{}, .952574126822, 3.04858735157},
        Row{HuberLoss{1.5}, 1.5, 4.875}, Row{PseudoHuberLoss{1.5}, 1.40449376635, 4.15800280899},
        Row{LogCoshLoss{}, .999329299739, 3.30718822581}, Row{HingeLoss{}, 1, 4},
        Row{SmoothedHingeLoss{.5}, 1, 3.75}, Row{AbsoluteLoss{}, 1, 4},
        Row{PinballLoss{.3}, .7, 2.8}, Row{PowerHingeLoss{2}, 8, 16}}) {
    EXPECT_NEAR(slope_bound_within(row.loss, 3), row.slope, 1e-10) << loss_name(row.loss);
    const double most = std::max(loss_value(row.loss, 3, -1), loss_value(row.loss, -3, 1));
    EXPECT_NEAR(most, row.most, 1e-10) << loss_name(row.loss);
  }
  // 1 - width / 2 would be negative, and the radius that follows from it no number.
  EXPECT_DOUBLE_EQ(largest_loss_at_zero(SmoothedHingeLoss{3}), 1.0 / 6);
}

// A bound of 0 would mean a release without noise, though rounding of |y - u| may pass the kink.
TEST(LossSmoothness, InsensitiveLossesNeverClaimAZeroSlope) {
  EXPECT_EQ(slope_bound_within(EpsilonInsensitiveLoss{0.999}, 0), 1);
  EXPECT_GT(slope_bound_within(SquaredEpsilonInsensitiveLoss{0.999}, 0), 0);
  EXPECT_GT(slope_bound_within(SmoothedEpsilonInsensitiveLoss{0.999, 0.5}, 0), 0);
}

TEST(LossSmoothness, SmoothedLossesLieBelowByAtMostTheirBias) {
  std::mt19937_64 bits(3);
  std::uniform_real_distribution<double> wide(-3, 3);
  for (const auto& loss : every_loss()) {
    if (!can_be_smoothed(loss)) continue;
    SCOPED_TRACE(std::string(loss_name(loss)));
    const bool classes = properties(loss).classification;
    for (const double width : {0.01, 0.2, 1.0}) {
      const auto smooth = smoothed(loss, width);
      double bias = 0;
      for (int i = 0; i < 100000; ++i) {
        const double y = classes ? (i % 2 == 0 ? 1 : -1) : wide(bits) / 3;
        const double u = i % 3 == 0 ? y + width * wide(bits) : wide(bits);
        const double gap = loss_value(loss, u, y) - loss_value(smooth, u, y);
        ASSERT_GE(gap, -1e-12);
        bias = std::max(bias, gap);
      }
      EXPECT_LE(bias, smoothing_bias(loss, width) * (1 + 1e-9));
      EXPECT_GE(bias, smoothing_bias(loss, width) * 0.99);
    }
  }
}

TEST(LossSmoothness, StepTiedWidthGivesTheCurvatureOfANonExpansiveStep) {
  for (const auto& loss : every_loss()) {
    if (!can_be_smoothed(loss)) continue;
    for (const double step : {1e-4, 0.03, 0.7}) {
      const auto smooth = smoothed(loss, width_for_step(loss, step));
      const double curvature = smoothness(smooth).curvature;
      EXPECT_LE(curvature * step, 2 * (1 + 1e-12)) << loss_name(loss);
      EXPECT_GE(curvature * step, 2 * (1 - 1e-9)) << loss_name(loss);
    }
  }
}

TEST(LossSmoothness, CurvatureIsTheDerivativeOfTheSlope) {
  std::mt19937_64 bits(5);
  std::uniform_real_distribution<double> wide(-3, 3);
  for (const auto& loss : every_loss()) {
    const bool classes = properties(loss).classification;
    int agree = 0;
    for (int i = 0; i < 1000; ++i) {
      const double y = classes ? (i % 2 == 0 ? 1 : -1) : 0.3;
      const double u = wide(bits);
      const double h = 1e-6;
      const double change = (loss_slope(loss, u + h, y) - loss_slope(loss, u - h, y)) / (2 * h);
      agree += std::fabs(change - loss_curvature(loss, u, y)) < 1e-3 * (1 + change) ? 1 : 0;
    }
    EXPECT_GE(agree, 990) << loss_name(loss);  // all but those next to an end of a piece
  }
}

}  // namespace loss_smoothness_test
}  // namespace tacet::model
