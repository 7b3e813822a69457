#include "tacet/accounting/loss/discretize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/support/pair_profiles.h"

namespace tacet::accounting::pld {
namespace discretize_test {

/// delta of a law on a grid.
double delta_of(const LossGrid& grid, double epsilon) {
  double sum = grid.infinite;
  for (std::size_t j = 0; j < grid.mass.size(); ++j) {
    const double loss = grid.offset + static_cast<double>(grid.index[j]) * grid.step;
    if (loss > epsilon) sum -= grid.mass[j] * std::expm1(epsilon - loss);
  }
  return sum;
}

TEST(Discretisation, LowerGridStaysBelowTheProfileOfItsPair) {
  // Losses far from 0, where 1 - e^-loss rounds to 1, must not raise the merged ratios.
  for (const double end : {0.01, 1.0, 33.3, 700.0}) {
    for (const bool sampled : {false, true}) {
      auto pair = pairs::laplace(1 / end);
      if (sampled) pair = pairs::poisson(std::move(pair), 0.2, pairs::Order::remove);
      const auto moments = loss_moments(*pair, -40);
      const auto cells = make_cells(*pair, moments.spread / 7, -60, {moments, true, 0});
      const auto lower = lower_grid(cells);
      const auto upper = upper_grid(cells);
      for (int i = 1; i < 20; ++i) {
        const double epsilon = pair->lowest() + i * 0.05 * (pair->highest() - pair->lowest());
        const auto m = pair->interval(epsilon, HUGE_VAL);
        const double exact = -m.p * std::expm1(epsilon - m.log_ratio);
        EXPECT_LE(delta_of(lower, epsilon), exact * (1 + 1e-10))
            << end << " " << sampled << " " << i;
        EXPECT_GE(delta_of(upper, epsilon), exact * (1 - 1e-10))
            << end << " " << sampled << " " << i;
      }
    }
  }
}

TEST(Discretisation, BothGridsKeepAHeavyTailOnWideIntervals) {
  // Steps far beyond the spread of the losses, intervals that double: the upper tail falls by more
  // from one to the next than a bucket that starts below could make up for.
  const auto pair = pairs::poisson(pairs::gaussian(2), 1e-7, pairs::Order::remove);
  const auto moments = loss_moments(*pair, -40);
  const auto cells = make_cells(*pair, 4.6e-6, -60, {moments, false, 13});
  const auto lower = lower_grid(cells);
  const auto upper = upper_grid(cells);
  for (const double epsilon : {1e-4, 1e-3, 1e-2, 0.1, 1.0}) {
    const auto m = pair->interval(epsilon, HUGE_VAL);
    const double exact = -m.p * std::expm1(epsilon - m.log_ratio);
    EXPECT_LE(delta_of(lower, epsilon), exact * (1 + 1e-9)) << epsilon;
    EXPECT_GE(delta_of(lower, epsilon), exact * 0.5) << epsilon;
    EXPECT_GE(delta_of(upper, epsilon), exact * (1 - 1e-9)) << epsilon;
    EXPECT_LE(delta_of(upper, epsilon), exact * 2) << epsilon;
  }
}

TEST(Discretisation, LossesOfTinyRatesKeepTheirRelativePrecision) {
  // E[1 - e^-L] = 0; a loss rounded as a number near the base's would miss that by 1e-6 spreads.
  for (const double q : {1e-9, 1e-4}) {
    for (const bool subset : {false, true}) {
      const auto pair = subset ? pairs::fixed_size(pairs::gaussian(1e-3), q)
                               : pairs::poisson(pairs::gaussian(1e-3), q, pairs::Order::remove);
      const auto moments = loss_moments(*pair, -40);
      const auto cells =
          make_cells(*pair, moments.spread / 30, -60, {{0, moments.spread}, true, 0});
      double mean = 0;
      for (std::size_t i = 0; i < cells.p.size(); ++i) {
        mean -= cells.p[i] * std::expm1(-cells.log_ratio[i]);
      }
      EXPECT_LE(std::fabs(mean), 1e-10 * moments.spread) << q << " " << subset;
    }
  }
}

// p - e^l q, where q is nearly p e^-l, from the log of their quotient.
TEST(Discretisation, ASurplusKeepsItsDigits) {
  EXPECT_EQ(surplus(0.5, 1, 1), 0);
  EXPECT_NEAR(surplus(0.5, std::log(2.0), 0), 0.25, 1e-15);
  EXPECT_NEAR(surplus(1, 3 + 1e-12, 3) / 1e-12, 1, 1e-3);
  EXPECT_LT(surplus(0.5, 1, 2), 0);
}

TEST(Discretisation, MomentsAreThoseOfTheLoss) {
  for (const double mu : {0.01, 0.3, 2.0}) {
    const auto moments = loss_moments(*pairs::gaussian(mu), -40);
    EXPECT_NEAR(moments.mean, 0.5 * mu * mu, 0.02 * mu) << mu;
    EXPECT_NEAR(moments.spread / mu, 1, 0.02) << mu;
  }
}

TEST(Discretisation, LessThanTheTailLiesOutsideTheRange) {
  for (const double mu : {0.01, 0.3, 2.0}) {
    const auto pair = pairs::gaussian(mu);
    const auto range = loss_range(*pair, -60);
    EXPECT_LE(pair->interval(range.high, test::no_end).p, std::exp(-60.0)) << mu;
    EXPECT_LE(pair->interval(-test::no_end, range.low).p, std::exp(log_low_tail)) << mu;
    EXPECT_GT(narrowest(range), 0x1p-53 * (range.high - range.low));
  }
}

// Each interval's masses move to its two ends: of both laws none is lost or made.
TEST(Discretisation, ConservesBothMasses) {
  for (const double q : {1e-4, 0.3}) {
    for (const auto order : {pairs::Order::remove, pairs::Order::add}) {
      const auto pair = pairs::poisson(pairs::gaussian(1), q, order);
      const auto moments = loss_moments(*pair, -40);
      const auto cells = make_cells(*pair, moments.spread / 10, -60, {moments, false, 5});
      for (const auto& grid : {upper_grid(cells), lower_grid(cells)}) {
        double p = grid.infinite;
        double mass = 0;
        for (std::size_t i = 0; i < grid.mass.size(); ++i) {
          EXPECT_GE(grid.mass[i], 0);
          p += grid.mass[i];
          const double loss = grid.offset + static_cast<double>(grid.index[i]) * grid.step;
          mass += grid.mass[i] * std::exp(-loss);
        }
        EXPECT_NEAR(p, 1, 1e-11) << q;
        EXPECT_NEAR(mass, 1, 1e-8) << q;
      }
    }
  }
}

}  // namespace discretize_test
}  // namespace tacet::accounting::pld
