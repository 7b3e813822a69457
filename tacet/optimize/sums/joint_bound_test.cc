#include "tacet/optimize/sums/joint_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace joint_bound_test {

using privacy::Adjacency;

constexpr double unit = 0x1p20;
constexpr double coarse = 0x1p22;

// The share by a grid of numbers, as the literature would take it.
double share_on_a_grid(double score, double moment, double half) {
  double least = 1e9;
  for (int i = 1; i < 100000; ++i) {
    const double r = i / 1e5;
    const double left = 1 - score * r * r - half * moment * std::pow(r, 4);
    least = std::min(least, left / (half * 16 * r * r * (1 - r) * (1 - r)));
  }
  return least;
}

// .706 for a moment's share of .05, and the same to 1e-4 as the grid says; a unit more breaks the
// bound at some integer.
TEST(JointBound, CurvatureRidesFreeForTwoClassesAndNoMoreThanThat) {
  const auto moment = static_cast<std::int64_t>(std::floor(.05 * unit));
  const auto score = residual_units - moment;
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const double half = adjacency == Adjacency::replace_one ? .5 : 1;
    const auto share = logistic_curvature_share(score, moment, adjacency);
    EXPECT_NEAR(JointShares::real(share),
                share_on_a_grid(JointShares::real(score), JointShares::real(moment), half), 1e-4);
    JointShares shares{.score = score, .curvature = share, .moment = moment};
    const auto breaks = [&] {
      std::int64_t broken = 0;
      for (std::int64_t rho = 0; rho <= residual_units; ++rho) {
        const std::int64_t limit = 4 * logistic_curvature(rho);
        broken += within_joint_bound(shares, adjacency, rho, limit) ? 0 : 1;
        broken += within_joint_bound(shares, adjacency, -rho, limit) ? 0 : 1;
      }
      return broken;
    };
    EXPECT_EQ(breaks(), 0);
    ++shares.curvature;
    EXPECT_GT(breaks(), 0);
  }
  EXPECT_NEAR(JointShares::real(logistic_curvature_share(score, moment, Adjacency::zero_out)), .706,
              5e-4);
}

TEST(JointBound, AResidualOfFullSizeLeavesNothingToItsCurvature) {
  const JointShares shares{.score = residual_units - 1000, .curvature = 900000, .moment = 1000};
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto limits = record_limits(shares, adjacency, -residual_units, residual_units);
    EXPECT_EQ(limits.score, std::int64_t{1} << 48);
    EXPECT_EQ(limits.moment, std::int64_t{1} << 22);
    EXPECT_TRUE(within_joint_bound(shares, adjacency, residual_units, limits.curvature));
    EXPECT_FALSE(within_joint_bound(shares, adjacency, residual_units, limits.curvature + 1));
    const auto none = record_limits(shares, adjacency, 0, residual_units);
    EXPECT_EQ(none.score, 0);
    EXPECT_EQ(none.moment, 0);
    EXPECT_EQ(none.curvature, std::int64_t{1} << 22);
  }
}

/// What a record adds in units of the bounds: its score along a direction of the plane, and the
/// squares that are its curvature and its moment.
struct Added {
  double score, curvature, moment, angle;
};

/// Frobenius' distance of two multiples of projectors whose lines have this angle between them.
double squares_apart(double one, double other, double angle) {
  const double inner = std::pow(std::cos(angle), 2);
  return one * one + other * other - 2 * one * other * inner;
}

double apart(const JointShares& shares, const Added& a, const Added& b) {
  const double angle = a.angle - b.angle;
  const double score =
      a.score * a.score + b.score * b.score - 2 * a.score * b.score * std::cos(angle);
  return JointShares::real(shares.score) * score +
         JointShares::real(shares.curvature) * squares_apart(a.curvature, b.curvature, angle) +
         JointShares::real(shares.moment) * squares_apart(a.moment, b.moment, angle);
}

Added added(const JointShares& shares, std::int64_t residual, std::int64_t curvature,
            double angle) {
  const auto limits = record_limits(shares, Adjacency::replace_one, residual, curvature);
  return {static_cast<double>(residual) / unit, static_cast<double>(limits.curvature) / coarse,
          static_cast<double>(limits.moment) / coarse, angle};
}

// Two records under replace_one, as vectors and matrices of the plane: whatever their residuals,
// curvatures and directions, what they add lies at most two bounds apart. It does where only scores
// are released, opposed on one line, and where curvature has nearly all, on lines at right angles;
// shares that count a score's square half, or a matrix's less, would be beyond.
TEST(JointBound, ReplacedRecordsLieAtMostTwoBoundsApart) {
  std::mt19937_64 bits(7);
  const auto share = [](double part) { return static_cast<std::int64_t>(part * unit); };
  const JointShares scores{.score = residual_units};
  const JointShares matrices{.score = share(.001), .curvature = share(1.998)};
  const JointShares all{.score = share(.95), .curvature = 700000, .moment = share(.1)};
  for (const auto& shares : {scores, matrices, all}) {
    double largest = 0;
    for (int trial = 0; trial < 100000; ++trial) {
      const auto part = [&] { return static_cast<std::int64_t>(bits() % (residual_units + 1)); };
      const auto size = [&] { return trial % 3 == 0 ? residual_units : part(); };
      constexpr double corner = 1.5707963267948966;  // half of pi
      const double angle =
          trial % 2 == 0 ? corner * static_cast<double>(bits() % 3) : static_cast<double>(part());
      const auto a = added(shares, size(), size(), 0);
      const auto b = added(shares, bits() % 2 == 0 ? size() : -size(), size(), angle);
      const double found = apart(shares, a, b);
      ASSERT_LE(found, 4 * (1 + 1e-9));
      largest = std::max(largest, found);
    }
    EXPECT_GT(largest, shares.moment > 0 ? 3.6 : 3.99);
  }
}

TEST(JointBound, RefusesWhatIsOutOfItsRange) {
  const JointShares shares{};
  const auto refused = [&](const JointShares& of, std::int64_t residual, std::int64_t curvature) {
    EXPECT_THROW(static_cast<void>(record_limits(of, Adjacency::add_remove, residual, curvature)),
                 base::InternalError);
  };
  refused(shares, residual_units + 1, 0);
  refused(shares, -residual_units - 1, 0);
  refused(shares, 0, residual_units + 1);
  refused(shares, 0, -1);
  refused({.curvature = -1}, 0, 0);
  EXPECT_NO_THROW(static_cast<void>(
      record_limits(shares, Adjacency::add_remove, -residual_units, residual_units)));
}

TEST(JointBound, CurvatureOfTwoClassesIsNoneAtBothEndsAndWholeInTheMiddle) {
  EXPECT_EQ(logistic_curvature(0), 0);
  EXPECT_EQ(logistic_curvature(residual_units), 0);
  EXPECT_EQ(logistic_curvature(residual_units / 2), residual_units);
  EXPECT_EQ(logistic_curvature(-residual_units / 2), residual_units);
}

}  // namespace joint_bound_test
}  // namespace tacet::optimize
