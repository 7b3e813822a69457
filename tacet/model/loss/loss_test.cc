#include "tacet/model/loss/loss.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <variant>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/model/loss/loss_parts.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::model {
namespace loss_test {

std::vector<Loss> every_loss() {
  return {LogisticLoss{},
          SquaredLoss{},
          HingeLoss{},
          SmoothedHingeLoss{0.5},
          SmoothedHingeLoss{2.0},
          HuberLoss{0.5},
          HuberLoss{0.1},
          AbsoluteLoss{},
          PinballLoss{0.8},
          PinballLoss{0.1},
          PowerHingeLoss{1.5},
          PowerHingeLoss{2},
          PowerRegressionLoss{1.25},
          PowerRegressionLoss{2},
          SmoothedAbsoluteLoss{0.3},
          SmoothedPinballLoss{0.8, 0.4},
          EpsilonInsensitiveLoss{0.1},
          SmoothedEpsilonInsensitiveLoss{0.2, 0.5},
          SquaredEpsilonInsensitiveLoss{0.3},
          LinearisedPowerHingeLoss{1.5, 0.5},
          LinearisedPowerRegressionLoss{1.25, 0.4},
          PseudoHuberLoss{0.5},
          LogCoshLoss{},
          SoftLogisticLoss{},
          ExtendedPoissonLoss{1.5}};
}

// Slopes of many records at once are made in another way than those of one.
void expect_the_bits_of_one(const std::vector<double>& predictions,
                            const std::vector<double>& labels) {
  auto losses = every_loss();
  losses.insert(losses.end(), {PoissonLoss{}, SoftmaxLoss{}});
  for (const auto& loss : losses) {
    std::visit(
        [&](const auto& family) {
          auto slopes = predictions;
          slope_each(family, slopes, labels);
          for (std::size_t i = 0; i < slopes.size(); ++i) {
            const double one = family.slope(predictions[i], labels[i]);
            if (std::isnan(one) && std::isnan(slopes[i])) continue;
            ASSERT_EQ(std::bit_cast<std::uint64_t>(slopes[i]), std::bit_cast<std::uint64_t>(one))
                << family.name << ' ' << predictions[i] << ' ' << labels[i];
          }
        },
        loss);
  }
}

TEST(Loss, SlopesOfManyHaveTheBitsOfSlopesOfOne) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> predictions = {0.0,   -0.0,  1e-300, 1,     -1,       36.9,
                                     599.9, 600.1, 1e9,    1e300, infinite, -infinite};
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(-50, 50);
  while (predictions.size() < 1001) predictions.push_back(uniform(generator));
  for (const double label : {-1.0, 0.0, 0.3, 1.0}) {
    expect_the_bits_of_one(predictions, std::vector<double>(predictions.size(), label));
  }
}

// 10^8 records a loss: near 0, over the range of training, and beyond what exponentials take.
TEST(LossLong, SlopesOfManyHaveTheBitsOfSlopesOfOne) {
  std::mt19937_64 generator(4);
  const auto uniform = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; };
  std::vector<double> predictions(100'003);
  std::vector<double> labels(predictions.size());
  for (int round = 0; round < 1000; ++round) {
    const double scale = std::array{1e-3, 1.0, 40.0, 800.0}[static_cast<std::size_t>(round % 4)];
    for (double& prediction : predictions) prediction = scale * uniform();
    for (double& label : labels) label = round % 3 == 0 ? uniform() : uniform() < 0 ? -1.0 : 1.0;
    expect_the_bits_of_one(predictions, labels);
    if (HasFatalFailure()) return;
  }
}

// Reference values at (prediction, label) = (.3, 1), (.8, 1), (-.4, -1), computed at 10 digits.
TEST(Loss, EqualsReferenceValues) {
  struct Row {
    Loss loss;
    double value[3];
    double slope[3];
  };
  const Row rows[] = {
      {HingeLoss{}, {0.7, 0.2, 0.6}, {-1, -1, 1}},
      {SquaredLoss{}, {0.245, 0.02, 0.18}, {-0.7, -0.2, 0.6}},
      {LogisticLoss{},
       {0.5543552445, 0.3711006659, 0.5130152524},
       {-0.4255574832, -0.3100255189, 0.4013123399}},
      {SmoothedHingeLoss{0.5}, {0.45, 0.04, 0.35}, {-1, -0.4, 1}},
      {PinballLoss{0.8}, {0.56, 0.16, 0.12}, {-0.8, -0.8, 0.2}},
      {PowerHingeLoss{1.5},
       {0.5856620186, 0.0894427191, 0.4647580015},
       {-1.2549900398, -0.6708203932, 1.1618950039}},
      {PowerRegressionLoss{1.5},
       {0.5856620186, 0.0894427191, 0.4647580015},
       {-1.2549900398, -0.6708203932, 1.1618950039}},
      {SmoothedAbsoluteLoss{0.5}, {0.45, 0.04, 0.35}, {-1, -0.4, 1}},
      {SmoothedPinballLoss{0.8, 0.5}, {0.4, 0.04, 0.11}, {-0.8, -0.4, 0.2}},
      {EpsilonInsensitiveLoss{0.1}, {0.6, 0.1, 0.5}, {-1, -1, 1}},
      {SmoothedEpsilonInsensitiveLoss{0.1, 0.5}, {0.35, 0.01, 0.25}, {-1, -0.2, 1}},
      {SquaredEpsilonInsensitiveLoss{0.1}, {0.36, 0.01, 0.25}, {-1.2, -0.2, 1}},
      {LinearisedPowerHingeLoss{1.5, 0.5},
       {0.4972736709, 0.04242640687, 0.3763696539},
       {-1.2549900398, -0.4242640687, 1.1618950039}},
      {LinearisedPowerRegressionLoss{1.5, 0.5},
       {0.4972736709, 0.04242640687, 0.3763696539},
       {-1.2549900398, -0.4242640687, 1.1618950039}},
  };
  const double points[3][2] = {{.3, 1}, {.8, 1}, {-.4, -1}};
  for (const auto& row : rows) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(loss_value(row.loss, points[i][0], points[i][1]), row.value[i], 5e-11);
      EXPECT_NEAR(loss_slope(row.loss, points[i][0], points[i][1]), row.slope[i], 5e-11);
    }
  }
}

// Half of the pairs lie close to a kink of the loss.
TEST(Loss, SlopeBoundAndCurvatureHoldAndAreReached) {
  std::mt19937_64 bits(7);
  std::uniform_real_distribution<double> wide(-30, 30);
  std::uniform_real_distribution<double> narrow(-1e-3, 1e-3);
  std::uniform_real_distribution<double> target(-1, 1);
  for (const auto& loss : every_loss()) {
    const auto facts = properties(loss);
    double largest_slope = 0;
    double largest_curvature = 0;
    for (int i = 0; i < 200000; ++i) {
      const double y = facts.classification ? (i % 2 == 0 ? 1.0 : -1.0)
                                            : sanitised_label(facts.labels, target(bits));
      const double centre = i % 4 < 2 ? wide(bits) : (facts.classification ? y : y);
      const double u = centre + (i % 4 < 2 ? 0 : 0.6 * narrow(bits) * 1e3);
      const double v = u + 1e-4 + std::fabs(narrow(bits));
      const double slope_u = loss_slope(loss, u, y);
      const double slope_v = loss_slope(loss, v, y);
      EXPECT_LE(slope_u, slope_v + 1e-12) << loss_name(loss);
      EXPECT_GE(loss_value(loss, u, y), 0);
      EXPECT_LE(std::fabs(slope_u), facts.slope_bound);
      EXPECT_LE(slope_v - slope_u, facts.curvature * (v - u) * (1 + 1e-7)) << loss_name(loss);
      largest_slope = std::max(largest_slope, std::fabs(slope_u));
      largest_curvature = std::max(largest_curvature, (slope_v - slope_u) / (v - u));
      // The slope is a subgradient: the tangent stays below the loss.
      EXPECT_GE(loss_value(loss, v, y) - loss_value(loss, u, y) - slope_u * (v - u), -1e-12);
    }
    if (!std::isinf(facts.slope_bound)) {
      EXPECT_GE(largest_slope, 0.99 * facts.slope_bound);
    }
    if (!std::isinf(facts.curvature)) {
      EXPECT_GE(largest_curvature, 0.98 * facts.curvature);
    }
    if (std::isinf(facts.curvature)) {
      EXPECT_GE(largest_curvature, 50) << loss_name(loss);
    }
  }
}

TEST(Loss, SlopeIsTheDerivativeOfTheValue) {
  std::mt19937_64 bits(8);
  std::uniform_real_distribution<double> wide(-5, 5);
  for (const auto& loss : every_loss()) {
    for (int i = 0; i < 2000; ++i) {
      const double y = properties(loss).classification ? (i % 2 == 0 ? 1.0 : -1.0) : 0.3;
      const double u = wide(bits);
      const double h = 1e-6;
      const double left = loss_slope(loss, u - h, y);
      const double right = loss_slope(loss, u + h, y);
      const double change = (loss_value(loss, u + h, y) - loss_value(loss, u - h, y)) / (2 * h);
      EXPECT_GE(change, left - 1e-8);
      EXPECT_LE(change, right + 1e-8);
    }
  }
}

// At (0.3, 1), (-2, 1), (1.7, -1), at 12 digits; log_cosh is even in the residual.
TEST(Loss, LogCoshAndPseudoHuberEqualReferenceValues) {
  EXPECT_NEAR(loss_value(LogCoshLoss{}, 0.3, 1), 0.227270229359, 5e-13);
  EXPECT_NEAR(loss_value(LogCoshLoss{}, -2, 1), 2.30932850458, 5e-12);
  EXPECT_NEAR(loss_value(LogCoshLoss{}, 1.7, -1), 2.01135923124, 5e-12);
  // 2.25 (sqrt(1 + r^2 / 2.25) - 1) and its largest slope and value for |u| <= 3, |y| <= 1.
  EXPECT_NEAR(slope_bound_within(PseudoHuberLoss{1.5}, 3), 1.40449376635, 5e-12);
  EXPECT_NEAR(loss_value(PseudoHuberLoss{1.5}, 3, -1), 4.15800280899, 5e-12);
  EXPECT_NEAR(slope_bound_within(LogCoshLoss{}, 3), 0.999329299739, 5e-13);
  EXPECT_NEAR(loss_value(LogCoshLoss{}, 3, -1), 3.30718822581, 5e-12);
}

// e^u - y u + ln Gamma(y + 1) at y = 3, from which ours differs by a term of y alone.
TEST(Loss, PoissonEqualsReferenceValuesUpToATermOfTheLabel) {
  const double label_term = std::lgamma(4.0) - (3 * std::log(3.0) - 3);
  for (const Loss& loss : {Loss(PoissonLoss{}), Loss(ExtendedPoissonLoss{3})}) {
    EXPECT_NEAR(loss_value(loss, 0.3, 3) + label_term, 2.2416182768, 5e-11);
    EXPECT_NEAR(loss_value(loss, -2, 3) + label_term, 7.92709475246, 5e-11);
    EXPECT_NEAR(loss_value(loss, 1.7, 3) + label_term, 2.16570686096, 5e-11);
  }
  EXPECT_NEAR(slope_bound_within(PoissonLoss{}, 3), 20.0855369232, 1e-9);
}

TEST(Loss, EqualsReferenceValuesFarFromTheLabel) {
  EXPECT_NEAR(loss_value(LogisticLoss{}, -2, 1), 2.12692801104, 1e-11);
  EXPECT_NEAR(loss_value(LogisticLoss{}, 1.7, -1), 1.86778602939, 1e-11);
  EXPECT_NEAR(loss_value(SquaredLoss{}, -2, 1), 4.5, 1e-12);
  EXPECT_NEAR(loss_value(SquaredLoss{}, 1.7, -1), 3.645, 1e-12);
}

// At the ends of its labels it is the loss of a class; between them the line between the two.
TEST(Loss, SoftLogisticIsTheLogisticLossOfAProbability) {
  for (const double u : {-30.0, -2.0, 0.0, 0.3, 5.0}) {
    const double of_one = loss_value(LogisticLoss{}, u, 1);
    const double of_zero = loss_value(LogisticLoss{}, u, -1);
    EXPECT_NEAR(loss_value(SoftLogisticLoss{}, u, 1), of_one, 1e-15 * (1 + of_one));
    EXPECT_NEAR(loss_value(SoftLogisticLoss{}, u, 0), of_zero, 1e-15 * (1 + of_zero));
    EXPECT_NEAR(loss_value(SoftLogisticLoss{}, u, 0.3), 0.3 * of_one + 0.7 * of_zero, 1e-13);
  }
}

// The counts themselves, with the constant ln Y lower, have the same loss up to a factor.
TEST(Loss, PoissonOfSharesHasTheMinimiserOfTheCounts) {
  constexpr double most = 40;
  for (const double count : {0.0, 3.0, 40.0}) {
    for (const double u : {-4.0, -1.0, 0.5}) {
      const double of_counts = std::exp(u + std::log(most)) - count;
      EXPECT_NEAR(most * loss_slope(PoissonLoss{}, u, count / most), of_counts, 1e-12);
    }
  }
}

// Self-bounding, phi'^2 <= 2 H phi, is what smooth non-negative losses have on the whole line. The
// Poisson loss has it for no H; its extension does.
TEST(Loss, PoissonIsSelfBoundingOnlyWhereItIsExtended) {
  const auto ratio = [](const Loss& loss, double u) {
    const double slope = loss_slope(loss, u, 0);
    return slope * slope / (2 * loss_value(loss, u, 0));
  };
  EXPECT_GT(ratio(PoissonLoss{}, 30), 1e12);
  const ExtendedPoissonLoss extended{2};
  for (double u = -5; u < 40; u += 0.25) {
    EXPECT_LE(ratio(extended, u), properties(extended).curvature * (1 + 1e-12)) << u;
  }
}

// With H the curvature; at every margin, for labels at both ends and between.
TEST(Loss, SmoothLossesAreSelfBounding) {
  for (const auto& loss : every_loss()) {
    const auto facts = properties(loss);
    if (std::isinf(facts.curvature)) continue;
    for (const double label : {-1.0, -0.5, 0.0, 0.3, 1.0}) {
      const double y =
          facts.classification ? (label < 0 ? -1.0 : 1.0) : sanitised_label(facts.labels, label);
      for (double u = -20; u < 20; u += 0.125) {
        const double slope = loss_slope(loss, u, y);
        EXPECT_LE(slope * slope, 2 * facts.curvature * loss_value(loss, u, y) * (1 + 1e-9) + 1e-12)
            << loss_name(loss) << " " << u << " " << y;
      }
    }
  }
}

TEST(Loss, ExtensionLeavesThePoissonLossAloneWithinReach) {
  const ExtendedPoissonLoss extended{1.5};
  for (double u = -8; u <= 1.5; u += 0.125) {
    EXPECT_EQ(loss_value(extended, u, 0.4), loss_value(PoissonLoss{}, u, 0.4));
    EXPECT_EQ(loss_slope(extended, u, 0.4), loss_slope(PoissonLoss{}, u, 0.4));
  }
  EXPECT_LT(loss_slope(extended, 4, 0.4), loss_slope(PoissonLoss{}, 4, 0.4));
}

TEST(Loss, LabelsAreMappedToTheLossesOwn) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sanitised_label(Labels::shares, -1), 0);
  EXPECT_EQ(sanitised_label(Labels::shares, 7), 1);
  EXPECT_EQ(sanitised_label(Labels::shares, nan), 0);
  EXPECT_EQ(sanitised_label(Labels::numbers, -7), -1);
  EXPECT_EQ(sanitised_label(Labels::numbers, INFINITY), 0);
  EXPECT_EQ(sanitised_label(Labels::signs, nan), 1);
  EXPECT_EQ(sanitised_label(Labels::signs, -3), -1);
}

// Raw labels of any size, made ready by the loss's own rule, never make a slope longer than the
// constants say: clamping to [-1, 1] would, for shares.
TEST(Loss, SlopeBoundsHoldForEveryRawLabelThatIsMadeReady) {
  std::mt19937_64 bits(21);
  std::uniform_real_distribution<double> raw(-10, 10);
  for (const auto& loss : every_loss()) {
    for (const double bound : {0.5, 3.0}) {
      const double most = slope_bound_within(loss, bound) * (1 + 1e-12);
      for (int i = 0; i < 2000; ++i) {
        const double y = sanitised_label(properties(loss).labels, raw(bits));
        const double u = bound * raw(bits) / 10;
        ASSERT_LE(std::fabs(loss_slope(loss, u, y)), most) << loss_name(loss);
      }
    }
  }
  EXPECT_GT(std::fabs(loss_slope(SoftLogisticLoss{}, 3, -1)),
            slope_bound_within(SoftLogisticLoss{}, 3));
}

TEST(Loss, RoundTripsByNameAndParameter) {
  for (const auto& loss : every_loss()) {
    const auto again = make_loss(loss_name(loss), loss_parameter(loss), loss_width(loss));
    EXPECT_EQ(loss.index(), again.index());
    EXPECT_EQ(loss_value(loss, 0.3, 1), loss_value(again, 0.3, 1));
  }
}

TEST(Loss, RefusesUnknownNamesAndParametersOutOfRange) {
  EXPECT_THROW((void)make_loss("logit"), base::UsageError);
  EXPECT_THROW((void)make_loss("pinball", 1.0), base::UsageError);
  EXPECT_THROW((void)make_loss("pinball", 0.0), base::UsageError);
  EXPECT_THROW((void)make_loss("huber", -1.0), base::UsageError);
  EXPECT_THROW((void)make_loss("logistic", 0.5), base::UsageError);
  EXPECT_THROW((void)make_loss("power_hinge", 1.0), base::UsageError);
  EXPECT_THROW((void)make_loss("power_hinge", 2.1), base::UsageError);
  EXPECT_NO_THROW((void)make_loss("power_hinge", 2.0));
  EXPECT_THROW((void)make_loss("epsilon_insensitive", 1.0), base::UsageError);
  EXPECT_THROW((void)make_loss("pinball", 0.5, 0.1), base::UsageError);
  EXPECT_THROW((void)make_loss("smoothed_hinge", 0.5, 0.1), base::UsageError);
  EXPECT_THROW((void)make_loss("smoothed_pinball", 0.5, 0.0), base::UsageError);
  EXPECT_THROW((void)make_loss("poisson", 2), base::UsageError);
  EXPECT_THROW((void)make_loss("extended_poisson", 0), base::UsageError);
  EXPECT_THROW((void)make_loss("pseudo_huber", -1), base::UsageError);
}

}  // namespace loss_test
}  // namespace tacet::model
