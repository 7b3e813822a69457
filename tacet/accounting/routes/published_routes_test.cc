// Private selection and shuffled reports: values that papers print or independent programs
// computed.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/accounting/routes/shuffle.h"
#include "tests/support/renyi_bounds.h"
#include "tests/support/textbook_bounds.h"

namespace tacet::accounting {
namespace published_routes_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto tnb = RepetitionLaw::truncated_negative_binomial;

// ---- private tuning

double mu_of_one() { return gaussian::mu_for(Epsilon(1), Delta(1e-6)); }

TEST(Repetition, ShiftsOfTheProfileBoundAgreeWithTheReference) {
  struct Case {
    double eta, mean, shift;
  };
  const double mu = mu_of_one();
  const auto base = [&](double e) { return gaussian::delta(mu, e); };
  for (const auto& c : {Case{-.5, 10, .5034370823},
                        {0, 5, .2445245168},
                        {0, 10, .3261858746},
                        {0, 30, .4386896753},
                        {0, 100, .545279569},
                        {1, 10, .212882997},
                        {1, 100, .4063693327}}) {
    const double gamma = repetition::gamma_for_mean(c.eta, c.mean);
    const auto bound = repetition::profile_bound({tnb, c.eta, gamma}, base);
    EXPECT_NEAR(bound.first / c.shift, 1, 1e-8) << c.eta << " " << c.mean;
    EXPECT_GE(bound.shift, (1 + c.eta) * c.shift * (1 - 1e-8)) << c.eta << " " << c.mean;
    EXPECT_NEAR(bound.scale / c.mean, 1, 1e-9);
  }
}

TEST(Repetition, PureRunsHaveTheirPrintedShifts) {
  struct Case {
    double base, eta, mean, shift, total;
  };
  for (const auto& c : {Case{1, 0, 10, .939235759349, 1.93923575935},
                        {1, 1, 10, .79567203916, 2.59134407832},
                        {2, 1, 10, 1.46018681257, 4.92037362513}}) {
    const double gamma = repetition::gamma_for_mean(c.eta, c.mean);
    const auto profile = [&](double e) {
      return std::max(0.0, (std::exp(c.base) - std::exp(e)) / (1 + std::exp(c.base)));
    };
    const auto bound = repetition::profile_bound({tnb, c.eta, gamma}, profile);
    EXPECT_NEAR(bound.first / c.shift, 1, 1e-8) << c.base << " " << c.eta;
    EXPECT_NEAR(repetition::pure_epsilon({tnb, c.eta, gamma}, c.base) / c.total, 1, 1e-9);
    EXPECT_LE(repetition::pure_epsilon({tnb, c.eta, gamma}, c.base), (2 + c.eta) * c.base);
  }
}

TEST(Repetition, PublishedRenyiBoundAgreesOnIntegerOrders) {
  // The published theorem minimised over integer orders up to 256, which ours never exceeds.
  struct Case {
    double eta, constant, at_20, epsilon;
    double order;
  };
  const double mu = mu_of_one();
  for (const auto& c : {Case{0, .608776676134, 1.29025500349, 1.7987762446, 23},
                        {1, .959917286823, 1.64139561418, 2.14991685529, 23}}) {
    const double gamma = repetition::gamma_for_mean(c.eta, 10);
    double constant = HUGE_VAL;
    for (double order = 2; order <= 256; ++order) {
      constant = std::min(constant, (1 + c.eta) * (1 - 1 / order) * rdp::gaussian(mu, order) -
                                        (1 + c.eta) * std::log(gamma) / order);
    }
    EXPECT_NEAR(constant / c.constant, 1, 1e-10) << c.eta;
    const auto published = [&](double order) {
      return rdp::gaussian(mu, order) + constant + std::log(10) / (order - 1);
    };
    EXPECT_NEAR(published(20) / c.at_20, 1, 1e-10) << c.eta;
    double best = HUGE_VAL;
    double best_order = 0;
    for (double order = 2; order <= 256; ++order) {
      const double epsilon = rdp::to_epsilon(order, published(order), 1e-6);
      if (epsilon < best) best_order = order;
      best = std::min(best, epsilon);
    }
    EXPECT_NEAR(best / c.epsilon, 1, 1e-10) << c.eta;
    EXPECT_EQ(best_order, c.order);
    // Ours: all real orders in both places, so at most that; and the profile is below both.
    const Event event = RandomlyRepeated{tnb, c.eta, gamma, 0, 0, 0, 0, Gaussian{1 / mu}};
    const auto curve = rdp::curve(event, add_remove);
    ASSERT_TRUE(curve);
    EXPECT_LE((*curve)(20), c.at_20 * (1 + 1e-9));
    EXPECT_GE((*curve)(20), c.at_20 * (1 - 1e-3));
    const double renyi = rdp::best_epsilon(*curve, Delta(1e-6)).epsilon;
    EXPECT_LE(renyi, c.epsilon * (1 + 1e-9));
    EXPECT_GE(renyi, c.epsilon * (1 - 1e-3));
    EXPECT_LT(epsilon_interval(event, add_remove, Delta(1e-6)).upper, renyi);
  }
}

TEST(Repetition, PoissonCountsAgreeWithThePublishedTheorem) {
  struct Case {
    double order, epsilon, delta, value;
  };
  const double mu = mu_of_one();
  const auto base = [&](double e) { return gaussian::delta(mu, e); };
  for (const auto& c : {Case{5, .223143551314, .0244546154475, .960264837287},
                        {20, .0512932943876, .0726250488293, 1.40772881565}}) {
    const double epsilon = std::log1p(1 / (c.order - 1));
    EXPECT_NEAR(epsilon / c.epsilon, 1, 1e-11);
    EXPECT_NEAR(base(epsilon) / c.delta, 1, 1e-11);
    EXPECT_NEAR(repetition::poisson_rdp(10, c.order, rdp::gaussian(mu, c.order), base) / c.value, 1,
                1e-10);
  }
}

TEST(Repetition, ChanceOfNoRunFromTheBestFifthAgreesWithTheReference) {
  for (const auto& [eta, mean, f] :
       {std::tuple(0., 10., .416929), {0., 30., .315321}, {1., 10., .285714}}) {
    const repetition::Law law{tnb, eta, repetition::gamma_for_mean(eta, mean)};
    EXPECT_NEAR(repetition::generating_function(law, .8), f, 5.1e-7) << eta << " " << mean;
  }
}

// ---- shuffled reports, delta 1e-6

void check_shuffle_table(std::int64_t fewest, std::int64_t most) {
  struct Case {
    std::int64_t n;
    double local, clones, theorem, closed, closed_2022;
  };
  const Case cases[] = {
      {1000, 0.5, 0.0705234676, 0.06268656573, 0.27263760920041036, 0.24733361123313694},
      {1000, 1, 0.1824123475, 0.1486706164, 0.5662014894828012, 0.48758554694171624},
      {1000, 2, 0.5454979655, 0.3970870586, 2, 0.941597676824182},
      {1000, 4, 3.989963598, 1.852906554, 4, 4},
      {10000, 0.5, 0.0204014551, 0.01811740687, 0.0938681618520289, 0.08450143565421328},
      {10000, 1, 0.05300531648, 0.04320615808, 0.21402565193083783, 0.18000636773139655},
      {10000, 2, 0.1550452425, 0.1143996153, 0.5009200872512194, 0.39815706006991136},
      {10000, 4, 0.6009087636, 0.4108122931, 4, 0.9581431564245838},
      {100000, 0.5, 0.005812548731, 0.00515272909, 0.030579330543759106, 0.027446949537326418},
      {100000, 1, 0.01528206239, 0.01242989749, 0.07255492488700492, 0.060360493621755516},
      {100000, 2, 0.04502558032, 0.03318724896, 0.18618919728288, 0.1433272407357705},
      {100000, 4, 0.1697697473, 0.1181530665, 0.5346339916517076, 0.4077925871611126},
      {1000000, 0.5, 0.001619094361, 0.001431477194, 0.009764589396731404, 0.008755643916222333},
      {1000000, 1, 0.004334519803, 0.003513521016, 0.023496774905355525, 0.0194698665694725},
      {1000000, 2, 0.0129583699, 0.009517230607, 0.06261672225278497, 0.04753011597759554},
      {1000000, 4, 0.04930707439, 0.03427976766, 0.2009852295237436, 0.1473466816575497}};
  for (const auto& c : cases) {
    if (c.n < fewest || c.n > most) continue;
    const double clones = shuffle::clones_epsilon(c.n, c.local, 1e-6);
    EXPECT_NEAR(clones / c.clones, 1, 1e-7) << c.n << " " << c.local;
    EXPECT_NEAR(
        shuffle::clones_epsilon(c.n, c.local, 1e-6, 2 / (std::exp(c.local) + 1)) / c.theorem, 1,
        1e-7)
        << c.n << " " << c.local;
    EXPECT_NEAR(textbook::shuffled_epsilon_2021(c.n, c.local, 1e-6) / c.closed, 1, 1e-12) << c.n;
    EXPECT_NEAR(textbook::shuffled_epsilon_2022(c.n, c.local, 1e-6) / c.closed_2022, 1, 1e-12)
        << c.n;
    EXPECT_LE(clones, c.closed) << c.n;
    EXPECT_LE(c.theorem, c.clones);
  }
}

TEST(Shuffle, SmallRowsOfTheTableAgreeWithTheReference) { check_shuffle_table(1, 1000); }
TEST(ShuffleLong, LargeRowsOfTheTableAgreeWithTheReference) { check_shuffle_table(1001, 1000000); }

TEST(Shuffle, LiesInTheIntervalOfTheFirstAnalysis) {
  const double epsilon = shuffle::clones_epsilon(100000, 4, 1e-6);
  EXPECT_GE(epsilon, 0.16754);
  EXPECT_LE(epsilon, 0.17279);
}

}  // namespace published_routes_test
}  // namespace tacet::accounting
