#include "tacet/accounting/routes/repetition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"
#include "tests/support/renyi_bounds.h"

namespace tacet::accounting {
namespace repetition_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto tnb = RepetitionLaw::truncated_negative_binomial;

repetition::Law poisson(double mean) { return {RepetitionLaw::poisson, 0, 0, mean, 0, 0}; }
repetition::Law binomial(std::int64_t trials, double probability) {
  return {RepetitionLaw::binomial, 0, 0, 0, trials, probability};
}

TEST(RepetitionTail, WithWhatTheCapKeepsItIsEverything) {
  for (const auto& law :
       {poisson(.3), poisson(5), poisson(60), binomial(1, .3), binomial(40, .2), binomial(300, .99),
        repetition::Law{tnb, 0, .05}, repetition::Law{tnb, 1, .02}, repetition::Law{tnb, -.9, 1e-4},
        repetition::Law{tnb, -.5, .9}, repetition::Law{tnb, 7, .3}, repetition::Law{tnb, 1000, .9},
        repetition::Law{tnb, 1e-300, .05}}) {
    double kept = repetition::probability(law, 0);
    for (std::int64_t cap = 1; cap < 400; ++cap) {
      kept += repetition::probability(law, cap);
      const double cut = repetition::tail(law, cap);
      EXPECT_GE(kept + cut, 1 - 1e-11) << "eta " << law.eta << " cap " << cap;
      // Beyond the mode it is no more than that.
      if (cut < 1) {
        EXPECT_LE(kept + cut, 1 + 2e-6) << "eta " << law.eta << " cap " << cap;
      }
    }
  }
}

TEST(RepetitionTail, ACapFarBelowTheMeanCutsOffEverything) {
  for (const auto& law : {poisson(800), poisson(1e9), poisson(1e300), binomial(100000, .01),
                          binomial(std::int64_t{1} << 62, .5), repetition::Law{tnb, 1000, .4},
                          repetition::Law{tnb, 1e6, .5}}) {
    for (const std::int64_t cap : {1, 2, 5, 50}) EXPECT_EQ(repetition::tail(law, cap), 1) << cap;
  }
}

TEST(RepetitionTail, IsNothingOnlyWhereNothingIsCutOff) {
  EXPECT_EQ(repetition::tail(binomial(2000, .5), 2000), 0);
  EXPECT_GT(repetition::tail(binomial(2000, .5), 1999), 0);  // 2^-2000
  EXPECT_NEAR(repetition::tail(binomial(10, .5), 9) * 1024, 1, 1e-6);
  EXPECT_GT(repetition::tail(poisson(1), 1000), 0);
  EXPECT_GT(repetition::tail({tnb, 1, .5}, 5000), 0);
}

TEST(Repetition, NoPowerOverflowsInTheLaws) {
  // |eta| (1 - gamma) / gamma^(1 + eta) where gamma^eta is beyond the doubles.
  EXPECT_NEAR(repetition::mean({tnb, -.99, 1e-320}) / (.99 * std::pow(1e-320, -.01)), 1, 1e-11);
  // NB(1000, .4): the truncation changes nothing. Its probabilities and mean, by hand.
  const repetition::Law law{tnb, 1000, .4};
  EXPECT_NEAR(repetition::mean(law), 1500, 1e-9);
  double sum = 0;
  double mean = 0;
  for (std::int64_t k = 1; k < 4000; ++k) {
    sum += repetition::probability(law, k);
    mean += static_cast<double>(k) * repetition::probability(law, k);
  }
  EXPECT_NEAR(sum, 1, 1e-10);
  EXPECT_NEAR(mean / 1500, 1, 1e-10);
  EXPECT_EQ(repetition::generating_function(law, 1), 1);
  EXPECT_NEAR(repetition::generating_function(law, .999), std::pow(1 + 1.5e-3, -1000.0), 1e-12);
}

TEST(Repetition, ACapBelowTheMeanIsRefusedWhateverTheDelta) {
  const Event base = Profile{{{0, 4e-3}, {5, 0}}, add_remove};
  for (const Event& tuned :
       {Event(RandomlyRepeated{RepetitionLaw::poisson, 0, 0, 800, 0, 0, 2, base}),
        Event(RandomlyRepeated{RepetitionLaw::binomial, 0, 0, 0, 100000, .01, 5, base}),
        Event(RandomlyRepeated{tnb, 1000, .4, 0, 0, 0, 5, base}),
        // A mean so small that the base run needs no epsilon: the cap is paid for all the same.
        Event(RandomlyRepeated{RepetitionLaw::poisson, 0, 0, .5, 0, 0, 1, base})}) {
    for (const double delta : {1e-20, 1e-5, .6}) {
      EXPECT_THROW(static_cast<void>(epsilon_interval(tuned, add_remove, Delta(delta))),
                   base::GuaranteeError);
    }
    EXPECT_GT(delta_interval(tuned, add_remove, Epsilon(1)).upper, .1);
  }
}

/// E[x^K].
double generating(const repetition::Law& law, double x) {
  if (law.kind == RepetitionLaw::poisson) return std::exp(law.mean * (x - 1));
  if (law.kind == RepetitionLaw::binomial) {
    return std::pow(1 - law.probability * (1 - x), static_cast<double>(law.trials));
  }
  const double log = std::log1p(-(1 - law.gamma) * x);
  if (law.eta == 0) return log / std::log(law.gamma);
  return std::expm1(-law.eta * log) / std::expm1(-law.eta * std::log(law.gamma));
}

/// The law of the best of K runs whose outputs have these probabilities in order of their scores;
/// the last one is that there was none.
std::vector<double> best_of(const repetition::Law& law, const std::vector<double>& run) {
  std::vector<double> best;
  double up_to = 0;
  for (const double probability : run) {
    best.push_back(generating(law, up_to + probability) - generating(law, up_to));
    up_to += probability;
  }
  best.push_back(generating(law, 0));
  return best;
}

double hockey_stick(const std::vector<double>& one, const std::vector<double>& other, double e) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    sum += std::max(0.0, one[i] - std::exp(e) * other[i]);
  }
  return sum;
}
double both_orders(const std::vector<double>& one, const std::vector<double>& other, double e) {
  return std::max(hockey_stick(one, other, e), hockey_stick(other, one, e));
}

/// Up to six outputs of any ratios, now and then randomised response.
std::vector<double> random_run(std::mt19937_64& bits, std::size_t outputs, double spread) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> run;
  double sum = 0;
  for (std::size_t i = 0; i < outputs; ++i) {
    run.push_back(std::exp(spread * unit(bits)) * (unit(bits) < 0.1 ? 1e-3 : 1));
    sum += run.back();
  }
  for (auto& probability : run) probability /= sum;
  return run;
}

// Three thousand base runs on neighbours, what comes out of each law of K computed exactly: the
// bound is never below it, and it is met.
TEST(Repetition, TheProfileBoundHoldsAgainstExactLawsOfThreeThousandRuns) {
  std::mt19937_64 bits(11);
  std::uniform_real_distribution<double> unit(0, 1);
  double nearest = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto outputs = static_cast<std::size_t>(2 + k % 5);
    const double spread = 3 * unit(bits);
    auto one = random_run(bits, outputs, spread);
    auto other = random_run(bits, outputs, spread);
    if (k % 10 == 0) {
      const double p = 1 / (1 + std::exp(spread));
      one = {p, 1 - p};
      other = {1 - p, p};
    }
    const auto delta = [&](double e) { return both_orders(one, other, e); };
    const double mean = 1.1 + 30 * unit(bits);
    for (const auto& law : {repetition::Law{tnb, 0, repetition::gamma_for_mean(0, mean)},
                            repetition::Law{tnb, 1, repetition::gamma_for_mean(1, mean)},
                            repetition::Law{tnb, -.5, repetition::gamma_for_mean(-.5, mean)},
                            poisson(mean), binomial(12, mean / 40)}) {
      const auto bound = repetition::profile_bound(law, delta);
      // A coarse search ends above a fine one, within what it is allowed.
      const auto coarse = repetition::profile_bound(law, delta, {}, 1e-6);
      EXPECT_GE(coarse.shift, bound.shift * (1 - 1e-9)) << k;
      EXPECT_LE(coarse.shift, bound.shift * (1 + 2e-6)) << k;
      const auto best = best_of(law, one);
      const auto next = best_of(law, other);
      for (const double e : {0.0, 0.1, 0.5, 1.0, 2.0}) {
        const double exact = both_orders(best, next, e);
        const double most = std::min(1.0, bound.scale * delta(e - bound.shift));
        EXPECT_LE(exact, most * (1 + 1e-9) + 1e-12) << k << " " << e;
        if (exact > 1e-6) nearest = std::max(nearest, exact / most);
      }
    }
  }
  EXPECT_GT(nearest, 0.9);
}

TEST(Repetition, OfPureRunsNeverMoreThanTheClosedForm) {
  for (const double eta : {-.5, 0.0, 1.0, 3.0}) {
    for (const double mean : {1.5, 10.0, 200.0}) {
      for (const double base : {0.01, 0.3, 1.0, 4.0}) {
        const auto total =
            repetition::pure_epsilon({tnb, eta, repetition::gamma_for_mean(eta, mean)}, base);
        EXPECT_LE(total, (2 + eta) * base * (1 + 1e-9));
        EXPECT_GE(total, base);
      }
    }
  }
}

}  // namespace repetition_test
}  // namespace tacet::accounting
