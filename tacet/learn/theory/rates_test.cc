#include "tacet/learn/theory/rates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace rates_test {

// n = 10,000, d = 500, rank 5, B = 2, X = Y = H = G = 1, epsilon 1: numbers of a program written
// apart from this one.
constexpr RateProblem reference{.rows = 10000, .columns = 500, .rank = 5, .radius = 2};

TEST(Rates, ReferenceValues) {
  const auto smooth = smooth_rates(reference);
  EXPECT_NEAR(smooth.known_norm, 0.033416407865, 1e-12);
  EXPECT_NEAR(smooth.lower, 0.024472135955, 1e-12);
  const auto lipschitz = lipschitz_rates(reference);
  EXPECT_NEAR(lipschitz.known_norm, 0.0204472135955, 1e-13);
  EXPECT_EQ(lipschitz.lower, lipschitz.known_norm);
}

// By hand: h = 2, so (2 + 1) / 100 + min(..., sqrt(500) 6 / 10^4 = 0.0134164...) + 5 / 10^4.
TEST(Rates, AnUnknownNormCostsItsSearch) {
  EXPECT_NEAR(smooth_rates(reference).unknown_norm, 0.03 + 0.0134164078650 + 0.0005, 1e-12);
  // 2 (1/100 + sqrt(5) / 10^4) + 1/100 + 3/10^4.
  EXPECT_NEAR(lipschitz_rates(reference).unknown_norm, 0.0204472135955 + 0.01 + 0.0003, 1e-12);
}

// sqrt(d) (h Y + h^2) / (n eps) against (h^(4/3) Y^(2/3) + h^2) / (n eps)^(2/3): at h = Y = 1 they
// meet where d = (n eps)^(2/3).
TEST(Rates, MoreColumnsThanRecordsAllowCostNothingMore) {
  const auto at = [](double columns) {
    return smooth_rates({.rows = 1e6, .columns = columns}).known_norm;
  };
  EXPECT_LT(at(5000), at(9999));
  EXPECT_NEAR(at(10001), 1e-3 + 2e-4, 1e-15);
  EXPECT_EQ(at(1e9), at(10001));
  // Lipschitz: sqrt(r) / (n eps) against 1 / sqrt(n eps), which meet at r = n eps; columns beyond
  // the rank are free.
  const auto of_rank = [](double rank) {
    return lipschitz_rates({.rows = 1e4, .columns = 1e6, .rank = rank}).lower;
  };
  EXPECT_NEAR(of_rank(1), 0.01 + 1e-4, 1e-15);
  EXPECT_NEAR(of_rank(1e4), 0.02, 1e-15);
  EXPECT_EQ(of_rank(1e5), of_rank(1e4));
}

TEST(Rates, NeverAboveTheZeroModelAndNeverBelowTheLowerBound) {
  for (const double rows : {1.0, 1e2, 1e4, 1e6, 1e8}) {
    for (const double columns : {1.0, 100.0, 1e6}) {
      for (const double radius : {0.1, 1.0, 10.0}) {
        for (const double epsilon : {0.01, 1.0, 10.0}) {
          const auto bounds = smooth_rates({.rows = rows,
                                            .columns = columns,
                                            .radius = radius,
                                            .label_bound = 0.5,
                                            .epsilon = epsilon});
          EXPECT_LE(bounds.lower, bounds.known_norm);
          EXPECT_LE(bounds.known_norm, bounds.unknown_norm);
          EXPECT_LE(bounds.unknown_norm, 0.25);
        }
      }
    }
  }
}

// Weights twice as long in rows half as long are the same problem; so is a squared loss in other
// units of the label: errors grow with their square.
TEST(Rates, UnitsDoNotMatter) {
  auto longer = reference;
  longer.radius *= 2;
  longer.row_norm /= 2;
  EXPECT_DOUBLE_EQ(smooth_rates(longer).known_norm, smooth_rates(reference).known_norm);
  auto larger = reference;
  larger.radius *= 3;
  larger.label_bound *= 3;
  EXPECT_NEAR(smooth_rates(larger).known_norm, 9 * smooth_rates(reference).known_norm, 1e-12);
  EXPECT_NEAR(smooth_rates(larger).lower, 9 * smooth_rates(reference).lower, 1e-12);
}

TEST(Rates, WhatMakesNoProblemIsRefused) {
  auto problem = reference;
  problem.rank = 501;
  EXPECT_THROW(static_cast<void>(smooth_rates(problem)), base::UsageError);
  problem = reference;
  problem.rows = 0;
  EXPECT_THROW(static_cast<void>(lipschitz_rates(problem)), base::UsageError);
  problem = reference;
  problem.epsilon = std::nan("");
  EXPECT_THROW(static_cast<void>(smooth_rates(problem)), base::UsageError);
}

}  // namespace rates_test
}  // namespace tacet::learn
