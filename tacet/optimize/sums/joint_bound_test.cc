#include "tacet/optimize/sums/joint_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace joint_bound_test {

using privacy::Adjacency;

constexpr double unit = 0x1p20;
constexpr double coarse = 0x1p22;

// The share by a grid of numbers, as the literature would take it; under replace_one by the two
// conditions of theorem 3 (docs/proofs/inference.md).
double share_on_a_grid(double score, double moment, Adjacency adjacency) {
  double least = 1e9;
  for (int i = 1; i < 100000; ++i) {
    const double r = i / 1e5;
    const double square = r * r;
    const double alone = 1 - score * square - moment * square * square;
    const double pairs =
        std::min(4 - score * (1 + r) * (1 + r) - moment * (1 - square) * (1 - square),
                 2 - 1.5 * score * square - moment * square * square);
    const double left = adjacency == Adjacency::replace_one ? pairs : alone;
    least = std::min(least, left / (16 * square * (1 - r) * (1 - r)));
  }
  return least;
}

// .706 for a moment's share of .05, and the same to 1e-4 as the grid says; a unit more breaks the
// bound at some integer.
TEST(JointBound, CurvatureRidesFreeForTwoClassesAndNoMoreThanThat) {
  const auto moment = static_cast<std::int64_t>(std::floor(.05 * unit));
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto score =
        adjacency == Adjacency::replace_one ? residual_units : residual_units - moment;
    const auto share = logistic_curvature_share(score, moment, adjacency);
    EXPECT_NEAR(JointShares::real(share),
                share_on_a_grid(JointShares::real(score), JointShares::real(moment), adjacency),
                1e-4);
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
  EXPECT_NEAR(JointShares::real(
                  logistic_curvature_share(residual_units - moment, moment, Adjacency::zero_out)),
              .706, 5e-4);
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

JointShares shares_of(double score, double curvature, double moment = 0, double squares = 0) {
  const auto share = [](double part) { return static_cast<std::int64_t>(part * unit); };
  return {share(score), share(curvature), share(moment), share(squares)};
}

// Two records under replace_one, as vectors and matrices of the plane: whatever their residuals,
// curvatures and directions, what they add lies at most two bounds apart, and .99 of them are
// reached. Where only scores are released, those of opposed ones on one line; with curvature, where
// one of the two has none; where curvature has nearly all, on lines at right angles; in between on
// lines whose cosine is the score's share over twice the curvature's.
TEST(JointBound, ReplacedRecordsLieAtMostTwoBoundsApartAndComeThere) {
  std::mt19937_64 bits(7);
  const double lean = .418 / (2 * 1.553);
  const auto classes = [](double moment) {
    auto shares = shares_of(1, 0, moment);
    shares.curvature =
        logistic_curvature_share(shares.score, shares.moment, Adjacency::replace_one);
    return shares;
  };
  for (const auto& shares :
       {shares_of(1, 0), shares_of(.001, 1.998), shares_of(.875, .5, .1), shares_of(.418, 1.553),
        shares_of(.418, 1.553, 0, .1), shares_of(.95, .667, .1), classes(0), classes(.1)}) {
    double largest = 0;
    for (int trial = 0; trial < 100000; ++trial) {
      const auto part = [&] { return static_cast<std::int64_t>(bits() % (residual_units + 1)); };
      const auto size = [&] {
        const auto kind = bits() % 4;
        return kind == 0 ? part() : kind == 1 ? std::int64_t{0} : residual_units;
      };
      const auto kind = bits() % 4;
      const double angle = kind == 0   ? static_cast<double>(part())
                           : kind == 1 ? std::acos(lean)
                                       : std::acos(0.0) * static_cast<double>(kind - 2);
      const auto a = added(shares, size(), size(), 0);
      const auto b = added(shares, bits() % 2 == 0 ? size() : -size(), size(), angle);
      const double found = apart(shares, a, b);
      ASSERT_LE(found, 4 * (1 + 1e-9));
      largest = std::max(largest, found);
    }
    EXPECT_GT(largest, 4 * .99 * .99);
  }
}

// All pairs of residuals of two classes on a grid that holds both ends, with their curvature or
// without, on all lines: a search that knows nothing of the proof.
TEST(JointBound, NoPairOfTwoClassesIsFartherThanTheProofSays) {
  auto shares = shares_of(1, 0, .1);
  shares.curvature = logistic_curvature_share(shares.score, shares.moment, Adjacency::replace_one);
  constexpr int steps = 128;
  double largest = 0;
  std::vector<Added> records;
  for (int k = 0; k <= steps; ++k) {
    const std::int64_t rho = residual_units / steps * k;
    records.push_back(added(shares, rho, logistic_curvature(rho), 0));
    records.push_back(added(shares, rho, 0, 0));
  }
  for (const auto& a : records) {
    for (auto b : records) {
      b.score = -b.score;
      for (int turn = 0; turn <= 32; ++turn) {
        b.angle = std::acos(turn / 32.0);
        largest = std::max(largest, apart(shares, a, b));
      }
    }
  }
  EXPECT_LE(largest, 4 * (1 + 1e-9));
  EXPECT_GT(largest, 4 * (1 - 1e-6));
}

// More than the theorems allow is not called within the bound, whichever condition it breaks.
TEST(JointBound, SharesThatGoTooFarUnderReplaceOneAreNotWithin) {
  const auto full = [](const JointShares& shares) {
    return within_joint_bound(shares, Adjacency::replace_one, residual_units,
                              std::int64_t{1} << 22);
  };
  EXPECT_TRUE(full(shares_of(.875, .5, .1)));
  EXPECT_FALSE(full(shares_of(.8751, .5, .1)));  // opposed scores, one without curvature
  EXPECT_FALSE(full(shares_of(.425, 1.56)));     // lines that lean
  EXPECT_FALSE(full(shares_of(.5, .5, .26)));    // a moment that is more than half of the score
  EXPECT_FALSE(full(shares_of(.418, 1.553, 0, .25)));
  EXPECT_FALSE(within_joint_bound(shares_of(1.001, 0), Adjacency::replace_one, residual_units, 0));
}

TEST(JointBound, RoundingIsAllowedForUnderReplaceOneAlone) {
  const auto shares = shares_of(.875, .5, .1);
  EXPECT_EQ(rounding_allowance(shares, Adjacency::add_remove, 100), 1);
  EXPECT_EQ(rounding_allowance(shares, Adjacency::zero_out, 100), 1);
  EXPECT_NEAR(rounding_allowance(shares, Adjacency::replace_one, 10) - 1,
              std::sqrt(10 * 1.4) / 2048, 1e-5);
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
