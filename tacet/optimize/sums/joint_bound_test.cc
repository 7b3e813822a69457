#include "tacet/optimize/sums/joint_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

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

// Two records under replace_one: whatever their residuals, their contributions are at most two
// bounds apart, with scores opposed and matrices as far apart as matrices of squares can be.
TEST(JointBound, ReplacedRecordsLieAtMostTwoBoundsApart) {
  std::mt19937_64 bits(7);
  const auto moment = static_cast<std::int64_t>(.1 * unit);
  const JointShares shares{
      .score = residual_units - moment / 2, .curvature = 700000, .moment = moment, .squares = 0};
  double largest = 0;
  for (int trial = 0; trial < 200000; ++trial) {
    const auto draw = [&] { return static_cast<std::int64_t>(bits() % (residual_units + 1)); };
    const auto one = draw();
    const auto other = trial % 2 == 0 ? one : draw();
    const auto a = record_limits(shares, Adjacency::replace_one, one, draw());
    const auto b = record_limits(shares, Adjacency::replace_one, other, draw());
    const double score = static_cast<double>(one + other) / unit;
    const auto square = [](std::int64_t limit) {
      return std::pow(static_cast<double>(limit) / coarse, 2);
    };
    const double apart =
        JointShares::real(shares.score) * score * score +
        JointShares::real(shares.curvature) * (square(a.curvature) + square(b.curvature)) +
        JointShares::real(shares.moment) * (square(a.moment) + square(b.moment));
    ASSERT_LE(apart, 4 * (1 + 1e-12));
    largest = std::max(largest, apart);
  }
  EXPECT_GT(largest, 3.9);
}

TEST(JointBound, CurvatureOfTwoClassesIsNoneAtBothEndsAndWholeInTheMiddle) {
  EXPECT_EQ(logistic_curvature(0), 0);
  EXPECT_EQ(logistic_curvature(residual_units), 0);
  EXPECT_EQ(logistic_curvature(residual_units / 2), residual_units);
  EXPECT_EQ(logistic_curvature(-residual_units / 2), residual_units);
}

}  // namespace joint_bound_test
}  // namespace tacet::optimize
