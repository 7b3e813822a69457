#include "tacet/audit/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"

namespace tacet::audit {
namespace evidence_test {

constexpr double level = 1e-6;
constexpr double delta = 1e-5;

// Values of R's binom.test.
TEST(Evidence, BinomialBoundsAreThoseOfClopperAndPearson) {
  EXPECT_NEAR(binomial_lower_bound(7, 20, 0.025), 0.1539092, 1e-6);
  EXPECT_NEAR(binomial_upper_bound(7, 20, 0.025), 0.5921885, 1e-6);
  EXPECT_EQ(binomial_lower_bound(0, 20, 0.025), 0);
  EXPECT_EQ(binomial_upper_bound(20, 20, 0.025), 1);
  EXPECT_NEAR(binomial_upper_bound(0, 20, 0.025), 0.1684335, 1e-6);
  EXPECT_THROW((void)binomial_lower_bound(21, 20, 0.025), base::UsageError);
  EXPECT_THROW((void)binomial_lower_bound(1, 0, 0.025), base::UsageError);
  EXPECT_THROW((void)binomial_lower_bound(1, 20, 0), base::UsageError);
}

TEST(Evidence, WhatIsSeenOnOneSideAloneRefutesTheMost) {
  const double most = epsilon_refuted({1000, 1000}, {0, 1000}, 0, level);
  EXPECT_NEAR(most, std::log(1000 / -std::log(level)), 0.02);
  EXPECT_LT(epsilon_refuted({999, 1000}, {0, 1000}, 0, level), most);
  EXPECT_EQ(epsilon_refuted({500, 1000}, {500, 1000}, 0, level), 0);
  EXPECT_EQ(epsilon_refuted({10, 1000}, {0, 1000}, 0.5, level), 0);
  // Both directions, of which the second one shows.
  const Seen half{500, 1000};
  EXPECT_GT(epsilon_refuted({half, half, {0, 1000}, {1000, 1000}}, 0, level), 3);
}

/// The probability of each number of successes of runs with these probabilities.
std::vector<double> law_of(std::initializer_list<double> probabilities) {
  std::vector<double> law{1};
  for (const double probability : probabilities) {
    law.push_back(0);
    for (std::size_t k = law.size() - 1; k > 0; --k) {
      law[k] = law[k] * (1 - probability) + law[k - 1] * probability;
    }
    law[0] *= 1 - probability;
  }
  return law;
}

// Every outcome of three runs a side, for all probabilities of a grid up to its ends: a true claim
// is refuted with at most the level, however different both directions are.
TEST(Evidence, BothDirectionsTogetherFailAtMostAsOftenAsTheyMay) {
  constexpr double of = 0.2;
  constexpr int runs = 3;
  double bound[2 * runs + 1][2 * runs + 1];
  for (std::int64_t i = 0; i <= 2 * runs; ++i) {
    for (std::int64_t j = 0; j <= 2 * runs; ++j) {
      bound[i][j] = epsilon_refuted_together(
          {{i / 2, runs}, {j / 2, runs}, {j - j / 2, runs}, {i - i / 2, runs}}, 0, of);
    }
  }
  const auto refuted = [&](const std::vector<double>& often, const std::vector<double>& seldom,
                           double truth) {
    double chance = 0;
    for (std::size_t i = 0; i < often.size(); ++i) {
      for (std::size_t j = 0; j < seldom.size(); ++j) {
        chance += bound[i][j] > truth ? often[i] * seldom[j] : 0;
      }
    }
    return chance;
  };
  double most = 0;
  const double grid[] = {1e-3, 0.02, 0.05, 0.1, 0.15, 0.2, 0.35, 0.5, 0.7, 0.9, 0.999};
  for (const double p : grid) {
    for (const double p2 : grid) {
      for (const double q : grid) {
        for (const double q2 : grid) {
          // The least epsilon of which the claim of both directions is true.
          const double truth = std::log(std::max({1.0, p / q, p2 / q2}));
          most = std::max(
              most, refuted(law_of({p, p, p, p2, p2, p2}), law_of({q, q, q, q2, q2, q2}), truth));
        }
      }
    }
  }
  EXPECT_LE(most, of);
  EXPECT_GT(most, of / 20);  // some claims are refuted
}

// Twice as many runs stand behind each bound, at twice the level.
TEST(Evidence, BothDirectionsTogetherShowMoreWhereTheyShowTheSame) {
  const Seen often{50000, 100000};
  const Seen seldom{916, 100000};
  EXPECT_GT(epsilon_refuted_together({often, seldom, seldom, often}, 0, level),
            epsilon_refuted({often, seldom, seldom, often}, 0, level) + 0.05);
  const Seen half{50000, 100000};
  EXPECT_LT(epsilon_refuted_together({often, seldom, half, half}, 0, level),
            epsilon_refuted({often, seldom, half, half}, 0, level));
}

// The curve of Gaussian noise is Phi(Phi^-1(1 - a) - mu): lines touch it from below.
TEST(Evidence, CurvesLieBelowTheTrueOneAndComeNear) {
  const boost::math::normal normal;
  const TradeOff curve(privacy::Gaussian{1}, privacy::Adjacency::add_remove, 4);
  for (const double alarms : {0.001, 0.05, 0.3, 0.6, 0.95}) {
    const double truth = boost::math::cdf(normal, boost::math::quantile(normal, 1 - alarms) - 1);
    EXPECT_LE(curve.misses(alarms), truth + 1e-9) << alarms;
    EXPECT_GE(curve.misses(alarms), truth - 0.005) << alarms;
  }
  EXPECT_LE(curve.misses(1), 1e-9);
  EXPECT_NEAR(TradeOff({1, 0, privacy::Adjacency::add_remove}).misses(0.1), 1 - 0.1 * std::exp(1.0),
              1e-12);
  EXPECT_TRUE(curve.violated({{0, 1000}, {0, 1000}}, level));
  EXPECT_FALSE(curve.violated({{500, 1000}, {500, 1000}}, level));
}

TEST(Evidence, PValuesAreTheLeastLevelsThatRefute) {
  EXPECT_NEAR(p_value([](double of) { return of > 1e-4; }), 1e-4, 1e-8);
  EXPECT_EQ(p_value([](double) { return false; }), 1);
}

struct Cell {
  double epsilon;
  std::int64_t runs;
};

/// How many of 4,000 audits of noise that is too small by `fault` find it. Counts of both sides are
/// binomial, so that they are drawn and not the runs.
int found_of_4000(const Cell& cell, double fault) {
  std::mt19937_64 bits(static_cast<std::uint64_t>(1000 * cell.epsilon * fault));
  const double mu =
      accounting::gaussian::mu_for(privacy::Epsilon(cell.epsilon), privacy::Delta(delta));
  const auto counted = cell.runs - cell.runs / 10;
  const boost::math::normal normal;
  std::binomial_distribution<std::int64_t> wrong(counted,
                                                 boost::math::cdf(normal, -mu * fault / 2));
  int found = 0;
  for (int audit = 0; audit < 4000; ++audit) {
    const Errors errors{{wrong(bits), counted}, {wrong(bits), counted}};
    found += mu_refuted(errors, level) > mu ? 1 : 0;
  }
  return found;
}

void expect_power(double fault, std::initializer_list<Cell> cells) {
  for (const auto& cell : cells) {
    EXPECT_GE(found_of_4000(cell, fault), 3996)
        << "epsilon " << cell.epsilon << ", fault " << fault;
  }
}

// A power of 0.999 at confidence 1 - 10^-6.
TEST(Evidence, SmallNoiseIsFoundInSoManyRuns) {
  expect_power(2, {{0.5, 30000}, {1, 10000}, {2, 3000}, {4, 1000}});
  expect_power(std::sqrt(2), {{0.5, 100000}, {1, 30000}, {2, 10000}, {4, 3000}});
  expect_power(1 / 0.9, {{0.5, 3000000}, {1, 1000000}, {2, 300000}, {4, 100000}});
}

// Pure claims of epsilon 1 by an event that has half of the mass on one side, as beyond both peaks
// of Laplace noise.
TEST(Evidence, LargerPureEpsilonsAreFoundInSoManyRuns) {
  for (const auto& [fault, runs] :
       {std::pair{2.0, 3000}, {1.2, 30000}, {1.1, 100000}, {1.05, 1000000}}) {
    std::mt19937_64 bits(static_cast<std::uint64_t>(runs));
    const std::int64_t counted = runs - runs / 10;
    std::binomial_distribution<std::int64_t> often(counted, 0.5);
    std::binomial_distribution<std::int64_t> seldom(counted, 0.5 * std::exp(-fault));
    int found = 0;
    for (int audit = 0; audit < 4000; ++audit) {
      const Seen one{often(bits), counted};
      const Seen other{seldom(bits), counted};
      const Seen down{often(bits), counted};
      const Seen other_down{seldom(bits), counted};
      found += epsilon_refuted({one, other, other_down, down}, 0, level) > 1 ? 1 : 0;
    }
    EXPECT_GE(found, 3996) << fault;
  }
}

// Honest runs show nearly all there is: 10^5 a side of a Gaussian step, and of a pure mechanism on
// its pair. The median of simulated audits; of the pure mechanism 198 of 201.
TEST(Evidence, HonestRunsShowNearlyAllThereIs) {
  const boost::math::normal normal;
  constexpr std::int64_t counted = 90000;
  const auto reached = [&](std::ptrdiff_t place, const auto& bound) {
    std::vector<double> bounds;
    std::mt19937_64 bits(5);
    for (int i = 0; i < 201; ++i) bounds.push_back(bound(bits));
    std::ranges::nth_element(bounds, bounds.begin() + place);
    return bounds[static_cast<std::size_t>(place)];
  };
  const struct {
    double epsilon, gaussian, pure;
  } cells[] = {{1, 0.76, 0.94}, {2, 1.74, 1.92}, {4, 3.70, 3.81}};
  for (const auto& cell : cells) {
    const double mu =
        accounting::gaussian::mu_for(privacy::Epsilon(cell.epsilon), privacy::Delta(delta));
    EXPECT_GE(reached(100,
                      [&](auto& bits) {
                        std::binomial_distribution<std::int64_t> wrong(
                            counted, boost::math::cdf(normal, -mu / 2));
                        const Errors errors{{wrong(bits), counted}, {wrong(bits), counted}};
                        return accounting::gaussian::epsilon_below(mu_refuted(errors, level),
                                                                   privacy::Delta(delta));
                      }),
              cell.gaussian);
    EXPECT_GE(reached(3,
                      [&](auto& bits) {
                        std::binomial_distribution<std::int64_t> often(counted, 0.5);
                        std::binomial_distribution<std::int64_t> seldom(
                            counted, 0.5 * std::exp(-cell.epsilon));
                        const Seen one{often(bits), counted};
                        const Seen other{seldom(bits), counted};
                        const Seen down{often(bits), counted};
                        const Seen other_down{seldom(bits), counted};
                        return epsilon_refuted_together({one, other, other_down, down}, 0, level);
                      }),
              cell.pure);
  }
}

}  // namespace evidence_test
}  // namespace tacet::audit
