#include "tacet/accounting/loss/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/rdp.h"
#include "tests/support/pair_profiles.h"

namespace tacet::accounting::pairs {
namespace pairs_test {

using test::delta_of;
using test::no_end;

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;

struct Named {
  std::string name;
  PairPointer pair;
  bool symmetric;
};

std::vector<Named> all_pairs() {
  std::vector<Named> all;
  const auto add = [&](std::string name, PairPointer pair, bool symmetric) {
    all.push_back({std::move(name), std::move(pair), symmetric});
  };
  add("gaussian", gaussian(0.7), true);
  add("gaussian of a large mean", gaussian(9), true);
  add("laplace", laplace(0.5), true);
  add("bounded range", bounded_range(1.5), true);
  add("approximate", approximate(1, 1e-3), true);
  add("pure", approximate(2, 0), true);
  add("profile", profile({{0, 0.3}, {0.5, 0.1}, {2, 1e-4}}), true);
  add("discrete gaussian", discrete_gaussian(2.5, 3), true);
  add("discrete laplace", discrete_laplace(2, 3).pair, true);
  for (const auto order : {Order::remove, Order::add}) {
    const std::string way = order == Order::remove ? "less" : "more";
    add("poisson gaussian, " + way, poisson(gaussian(1), 0.1, order), false);
    add("poisson laplace, " + way, poisson(laplace(0.5), 0.3, order), false);
    add("poisson list, " + way, poisson(discrete_gaussian(2.5, 1), 0.3, order), false);
  }
  add("fixed size", fixed_size(gaussian(1.2), 0.2), true);
  add("fixed size, next to no noise", fixed_size(gaussian(20), 0.2), true);
  return all;
}

/// Edges over the losses of a pair that meet none of its atoms.
std::vector<double> edges_of(const Pair& pair) {
  const double low = std::max(pair.lowest(), pair.lower_quantile(-30)) - 0.011;
  const double high = std::min(pair.highest(), pair.upper_quantile(-30)) + 0.013;
  std::vector<double> edges;
  for (int i = 0; i <= 40; ++i) edges.push_back(low + (high - low) * i / 40);
  return edges;
}

TEST(Pairs, BothLawsHaveAllTheirMass) {
  for (const auto& [name, pair, symmetric] : all_pairs()) {
    const auto all = pair->interval(-no_end, no_end);
    EXPECT_NEAR(all.p + pair->infinite_mass(), 1, 1e-13) << name;
    EXPECT_LE(all.q, 1 + 1e-13) << name;
    if (symmetric) {
      EXPECT_NEAR(all.q, 1, 1e-13) << name;
    }
  }
}

TEST(Pairs, IntervalsAddUpAndHoldTheirRatios) {
  for (const auto& [name, pair, symmetric] : all_pairs()) {
    const auto edges = edges_of(*pair);
    double p = pair->interval(-no_end, edges.front()).p;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      const auto m = pair->interval(edges[i], edges[i + 1]);
      p += m.p;
      if (m.p < 1e-200 || m.q < 1e-200) continue;
      EXPECT_NEAR(m.log_ratio, std::log(m.p / m.q), m.ratio_error + 1e-12) << name << " " << i;
      EXPECT_GE(m.log_ratio, edges[i] - m.ratio_error) << name << " " << i;
      EXPECT_LE(m.log_ratio, edges[i + 1] + m.ratio_error) << name << " " << i;
    }
    p += pair->interval(edges.back(), no_end).p;
    EXPECT_NEAR(p + pair->infinite_mass(), 1, 1e-13) << name;
  }
}

// What fill and the atoms give together is what the intervals give.
TEST(Pairs, CellsAndAtomsAreTheIntervals) {
  for (const auto& [name, pair, symmetric] : all_pairs()) {
    const auto edges = edges_of(*pair);
    std::vector<Masses> masses(edges.size() - 1, nothing);
    pair->fill(edges, masses);
    double p = pair->lowest_atom().p + pair->highest_atom().p + pair->zero_atom().p;
    double q = pair->lowest_atom().q + pair->highest_atom().q + pair->zero_atom().q;
    for (const auto& m : masses) {
      p += m.p;
      q += m.q;
    }
    const auto all = pair->interval(edges.front(), edges.back());
    EXPECT_NEAR(p, all.p, 1e-13) << name;
    EXPECT_NEAR(q, all.q, 1e-13) << name;
  }
}

// A loss under one law is minus a loss under the other.
TEST(Pairs, SymmetricOnesMirrorTheirLosses) {
  for (const auto& [name, pair, symmetric] : all_pairs()) {
    if (!symmetric) continue;
    for (const double low : {0.013, 0.31, 1.3}) {
      for (const double high : {1.7, no_end}) {
        const auto up = pair->interval(low, high);
        const auto down = pair->interval(-high, -low);
        // Under the other law, losses without end are among the smallest ones.
        const double endless = high == no_end ? pair->infinite_mass() : 0;
        EXPECT_NEAR(up.p + endless, down.q, 1e-13) << name << " " << low << " " << high;
        EXPECT_NEAR(up.q, down.p, 1e-13) << name << " " << low << " " << high;
      }
    }
  }
}

TEST(Pairs, LessThanTheTailLiesBeyondItsQuantiles) {
  for (const auto& [name, pair, symmetric] : all_pairs()) {
    for (const double log_tail : {-1.0, -10.0, -60.0}) {
      EXPECT_LE(pair->interval(pair->upper_quantile(log_tail), no_end).p,
                std::exp(log_tail) * (1 + 1e-6))
          << name << " " << log_tail;
      EXPECT_LE(pair->interval(-no_end, pair->lower_quantile(log_tail)).p,
                std::exp(log_tail) * (1 + 1e-6))
          << name << " " << log_tail;
    }
  }
}

TEST(Pairs, HaveTheProfilesOfTheirMechanisms) {
  for (const double e : {0.0, 0.3, 0.9}) {
    EXPECT_NEAR(delta_of(*pairs::gaussian(0.7), e), accounting::gaussian::delta(0.7, e), 1e-13);
    EXPECT_NEAR(delta_of(*laplace(0.5), e), -std::expm1((e - 2) / 2), 1e-13);
    const double h = std::exp(0.5) - std::exp(e / 2);
    EXPECT_NEAR(delta_of(*bounded_range(1), e), h * h / std::expm1(1), 1e-13);
    const double pure = (std::exp(1) - std::exp(e)) / (1 + std::exp(1));
    EXPECT_NEAR(delta_of(*approximate(1, 1e-3), e), 1e-3 + (1 - 1e-3) * pure, 1e-13);
    // q delta(log(1 + (e^e - 1) / q)), in the order that removes.
    const double inner = std::log1p(std::expm1(e) / 0.1);
    EXPECT_NEAR(delta_of(*poisson(pairs::gaussian(1), 0.1, Order::remove), e),
                0.1 * accounting::gaussian::delta(1, inner), 1e-13);
    EXPECT_NEAR(delta_of(*fixed_size(pairs::gaussian(1), 0.1), e),
                0.1 * accounting::gaussian::delta(1, inner), 1e-13);
  }
}

TEST(Pairs, AProfileMeetsItsPointsAndLiesOnTheirChords) {
  const std::vector<Point> points{{0, 0.3}, {0.5, 0.1}, {2, 1e-4}};
  const auto pair = profile(points);
  for (const auto& [epsilon, delta] : points) {
    EXPECT_GE(delta_of(*pair, epsilon), delta * (1 - 1e-12)) << epsilon;
    EXPECT_NEAR(delta_of(*pair, epsilon), delta, 1e-12) << epsilon;
  }
  // Between two points, straight in e^epsilon.
  const double middle = std::log(0.5 * (1 + std::exp(0.5)));
  EXPECT_NEAR(delta_of(*pair, middle), 0.2, 1e-12);
}

// Losses of a list, and what stands beyond all of them.
TEST(Pairs, ListsAreWhatWasGiven) {
  const auto pair = finite({{-1, 0.2, 0.5}, {0.5, 0.7, 0.4}}, 0.1, 0.1);
  EXPECT_EQ(pair->lowest(), -1);
  EXPECT_EQ(pair->highest(), 0.5);
  EXPECT_EQ(pair->infinite_mass(), 0.1);
  ASSERT_EQ(pair->list().size(), 2U);
  EXPECT_NEAR(delta_of(*pair, 0), 0.1 + 0.7 - 0.4, 1e-15);
  EXPECT_NEAR(pair->interval(-1, 0.5).p, 0.7, 1e-15);
  EXPECT_NEAR(pair->interval(-no_end, -1).q, 0.5 + 0.1, 1e-15);
}

// Scale 1000 at distance 1000, thirty times: all of it, and not epsilon alone.
TEST(DiscreteLaplaceNoise, HasItsOwnLossDistribution) {
  const Event event = DiscreteLaplace{1000, 1000};
  const auto thirty = epsilon_interval(Repeated{30, event}, add_remove, Delta(1e-5));
  EXPECT_NEAR(thirty.upper, 26.52, 5e-3);
  EXPECT_LE(thirty.upper - thirty.lower, 1e-3 * thirty.upper);
  EXPECT_TRUE(thirty.lower_is_attained);
  EXPECT_NEAR(
      epsilon_interval(Repeated{30, DiscreteLaplace{2000, 1000}}, replace_one, Delta(1e-5)).upper,
      thirty.upper, 1e-3 * thirty.upper);
  // One use: sum of (p(k - D) - e^epsilon p(k))_+.
  for (const auto& [scale, distance] : {std::pair(1.0, 1), std::pair(.3, 2), std::pair(20.0, 7)}) {
    for (const double epsilon : {0.0, .1, .5}) {
      double total = 0;
      double sum = 0;
      for (int k = -2000; k <= 2000; ++k) {
        const double here = std::exp(-std::abs(k) / scale);
        total += here;
        sum += std::max(0.0, std::exp(-std::abs(k - distance) / scale) - std::exp(epsilon) * here);
      }
      const auto found =
          delta_interval(DiscreteLaplace{scale, distance}, add_remove, Epsilon(epsilon));
      EXPECT_NEAR(found.upper, sum / total, 1e-12) << scale << " " << epsilon;
      EXPECT_NEAR(found.lower, sum / total, 1e-12) << scale << " " << epsilon;
    }
  }
}

TEST(DiscreteLaplaceNoise, HasItsRenyiDivergence) {
  for (const auto& [scale, distance] : {std::pair(1.0, 1), std::pair(.5, 3), std::pair(40.0, 9)}) {
    for (const double alpha : {1.3, 2.0, 30.0}) {
      double total = 0;
      double sum = 0;
      for (int k = -3000; k <= 3000; ++k) {
        total += std::exp(-std::abs(k) / scale);
        sum += std::exp((-alpha * std::abs(k) + (alpha - 1) * std::abs(k - distance)) / scale);
      }
      const double exact = std::log(sum / total) / (alpha - 1);
      EXPECT_NEAR(rdp::discrete_laplace(scale, distance, alpha), exact, 1e-10 * exact);
    }
  }
  // A published value at scale and distance 1, order 2.
  EXPECT_NEAR(rdp::discrete_laplace(1, 1, 2), .7353, 5e-5);
}

/// sup_S P(S) - gamma Q(S).
double profile_of(const Pair& pair, double gamma) {
  const auto m = pair.interval(std::log(gamma), no_end);
  return m.p - gamma * m.q + pair.infinite_mass();
}

// Too many losses are grouped: never below the exact list, and hardly above it.
TEST(DiscreteLaplaceNoise, GroupedLossesDominate) {
  const auto exact = discrete_laplace(5000, 8000);
  const auto grouped = discrete_laplace(6000, 20000);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(grouped.exact);
  for (const double gamma : {.3, .9, 1.0, 1.1, 2.0, 4.0}) {
    double truth = 0;
    double total = 0;
    for (int k = -250000; k <= 250000; ++k) {
      const double here = std::exp(-std::abs(k) / 6000.0);
      total += here;
      truth += std::max(0.0, std::exp(-std::abs(k - 20000) / 6000.0) - gamma * here);
    }
    EXPECT_GE(profile_of(*grouped.pair, gamma), truth / total * (1 - 1e-12)) << gamma;
    EXPECT_NEAR(profile_of(*grouped.pair, gamma), truth / total, 1e-6) << gamma;
  }
}

// 1 - q + q e^s of rates next to 1 is a small difference of numbers next to 1.
TEST(Pairs, RatesNextToOneKeepTheDigitsOfTheirLosses) {
  const double q = 1 - 0x1p-30;
  const auto pair = poisson(gaussian(4), q, Order::remove);
  for (const double low : {-20.5, -19.0, -15.0, -10.0, -3.0}) {
    const auto m = pair->interval(low, low + 0.5);
    ASSERT_GT(m.p, 0);
    const double exact = std::log(m.p / m.q);
    EXPECT_NEAR(m.log_ratio, exact, m.ratio_error + 1e-14) << low;
    EXPECT_LE(m.ratio_error, 1e-12) << low;
    EXPECT_GE(m.log_ratio, low);
    EXPECT_LE(m.log_ratio, low + 0.5);
  }
}

// Near epsilon 0, where e^epsilon has few digits of it left.
TEST(Pairs, ProfilesNeverShrink) {
  for (const double epsilon : {3e-16, 1.2e-14, 1e-9, 0.5, 30.0}) {
    const auto pair = profile({{epsilon, 0}});
    EXPECT_GE(pair->highest(), epsilon);
    EXPECT_LE(pair->highest(), epsilon * (1 + 1e-12) + 2e-15);
    EXPECT_LE(pair->lowest(), -epsilon);
  }
}

}  // namespace pairs_test
}  // namespace tacet::accounting::pairs
