#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/filter.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/objective.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/accounting/routes/shuffle.h"
#include "tacet/base/error.h"
#include "tests/support/renyi_bounds.h"
#include "tests/support/textbook_bounds.h"

namespace tacet::accounting {
namespace routes_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
constexpr auto tnb = RepetitionLaw::truncated_negative_binomial;

// ---- private tuning; reference values computed at 12 digits by an independent program

TEST(Repetition, LawsAgreeWithTheReferenceTable) {
  struct Case {
    double eta, mean, gamma, p1, p2, p3, f;
  };
  for (const auto& c :
       {Case{0, 10, .0269182596007, .269182596007, .130968334504, .0849619299174, .316202716472},
        {1, 10, .1, .1, .09, .081, .189189189189},
        {.5, 10, .0625, .15625, .10986328125, .0858306884766, .235201910282},
        {-.5, 10, .00277008310249, .526315789474, .13121446275, .0654254938918, .475538527283},
        {2, 25, .0744562646538, .0103191456527, .0143262309194, .0176794043715, .0393864606691}}) {
    const double gamma = repetition::gamma_for_mean(c.eta, c.mean);
    EXPECT_NEAR(gamma / c.gamma, 1, 1e-9) << c.eta;
    const repetition::Law law{tnb, c.eta, gamma};
    EXPECT_NEAR(repetition::mean(law) / c.mean, 1, 1e-9);
    EXPECT_NEAR(repetition::probability(law, 1) / c.p1, 1, 1e-9);
    EXPECT_NEAR(repetition::probability(law, 2) / c.p2, 1, 1e-9);
    EXPECT_NEAR(repetition::probability(law, 3) / c.p3, 1, 1e-9);
    EXPECT_NEAR(repetition::generating_function(law, 0.7) / c.f, 1, 1e-9);
  }
  const repetition::Law law{tnb, 0, .0269182596007};
  EXPECT_NEAR(repetition::tail(law, 1000) / 1.34e-14, 1, 2e-2);
  EXPECT_NEAR(repetition::tail(law, 100) / 5.0e-3, 1, 2e-2);
}

Event tuned(double eta, double mean, double mu) {
  return RandomlyRepeated{
      tnb, eta, repetition::gamma_for_mean(eta, mean), 0, 0, 0, 0, Gaussian{1 / mu}};
}

TEST(Repetition, ProfileBoundAgreesWithTheReferenceTable) {
  struct Case {
    double base, eta, mean, total;
  };
  for (const auto& c : {Case{1, -.5, 10, 1.366560657},
                        {1, 0, 5, 1.325922111},
                        {1, 0, 10, 1.44102799},
                        {1, 0, 30, 1.6047925},
                        {1, 0, 100, 1.765340353},
                        {1, 1, 10, 1.54060811},
                        {1, 1, 100, 2.03279945},
                        {.5, 0, 10, .7330793033},
                        {3, 0, 10, 4.1829153},
                        {3, 1, 10, 4.451304169}}) {
    const double mu = gaussian::mu_for(Epsilon(c.base), Delta(1e-6));
    const auto interval = epsilon_interval(tuned(c.eta, c.mean, mu), add_remove, Delta(1e-6));
    EXPECT_NEAR(interval.upper / c.total, 1, 2e-8) << c.base << " " << c.eta << " " << c.mean;
    EXPECT_EQ(interval.route, "tuning profile");
  }
}

TEST(Repetition, PlannedBaseRunsMeetTheTotal) {
  struct Case {
    double total, eta, mean, mu;
  };
  for (const auto& c : {Case{1, 0, 10, .1670352918},
                        {1, 0, 30, .1502919016},
                        {1, 1, 10, .1564933064},
                        {1, -.5, 10, .1758641803},
                        {2, 0, 10, .3232304883},
                        {4, 0, 10, .6211992414}}) {
    const auto interval = epsilon_interval(tuned(c.eta, c.mean, c.mu), add_remove, Delta(1e-6));
    EXPECT_NEAR(interval.upper / c.total, 1, 1e-8) << c.total << " " << c.eta;
  }
}

TEST(Repetition, PureRunsAndPublishedBounds) {
  const auto pure = [](double eta, double mean, double base) {
    return repetition::pure_epsilon({tnb, eta, repetition::gamma_for_mean(eta, mean)}, base);
  };
  EXPECT_NEAR(pure(0, 10, 1), 1.93923575935, 1e-8);
  EXPECT_NEAR(pure(1, 10, 1), 2.59134407832, 1e-8);
  EXPECT_NEAR(pure(1, 10, 2), 4.92037362513, 1e-8);
  // Where e^base is no number any more: the first root is -ln gamma = ln 1e6 to all digits.
  EXPECT_NEAR(repetition::pure_epsilon({tnb, 1, 1e-6}, 800), 800 + 2 * std::log(1e6), 1e-5);
  const double mu = gaussian::mu_for(Epsilon(1), Delta(1e-6));
  const auto curve = rdp::curve(tuned(0, 10, mu), add_remove);
  ASSERT_TRUE(curve);
  EXPECT_NEAR((*curve)(20), 1.29025500349, 1e-3);
  EXPECT_LE((*curve)(20), 1.29025500349 * (1 + 1e-9));
  const auto base_delta = [&](double e) { return gaussian::delta(mu, e); };
  EXPECT_NEAR(repetition::poisson_rdp(10, 5, 2.5 * mu * mu, base_delta), .960264837287, 1e-9);
  EXPECT_NEAR(repetition::poisson_rdp(10, 20, 10 * mu * mu, base_delta), 1.40772881565, 1e-9);
}

TEST(Repetition, ACapThatCutsTooMuchIsRefused) {
  const double mu = gaussian::mu_for(Epsilon(1), Delta(1e-6));
  const auto capped = [&](std::int64_t cap) {
    return Event(RandomlyRepeated{tnb, 0, .0269182596007, 0, 0, 0, cap, Gaussian{1 / mu}});
  };
  EXPECT_THROW(static_cast<void>(epsilon_interval(capped(100), add_remove, Delta(1e-6))),
               base::GuaranteeError);
  EXPECT_NEAR(epsilon_interval(capped(1000), add_remove, Delta(1e-6)).upper, 1.44102799, 1e-3);
}

// ---- shuffled reports; reference values verified by brute force

TEST(Shuffle, DeltaAgreesWithTheReferenceTable) {
  struct Case {
    std::int64_t n;
    double local, epsilon, theorem, proved;
  };
  for (const auto& c : {Case{5, 1, .3, 0.1246360981, 0.1716316082},
                        {20, 2, .5, 0.1299302562, 0.2245368277},
                        {30, 1, .2, 0.02733965831, 0.04300447734},
                        {40, 3, 1, 0.1458536274, 0.3140853201}}) {
    EXPECT_NEAR(shuffle::clones_delta(c.n, c.local, c.epsilon), c.proved, 2e-10);
    EXPECT_NEAR(shuffle::clones_delta(c.n, c.local, c.epsilon, 2 / (std::exp(c.local) + 1)),
                c.theorem, 2e-10);
  }
}

TEST(Shuffle, EpsilonAgreesWithTheReferenceTable) {
  struct Case {
    std::int64_t n;
    double local, clones, closed;
  };
  for (const auto& c : {Case{1000, .5, 0.0705234676, 0.27263760920041036},
                        {1000, 4, 3.989963598, 4},
                        {10000, 2, 0.1550452425, 0.5009200872512194},
                        {100000, 4, 0.1697697473, 0.5346339916517076}}) {
    const auto interval = epsilon_interval(ShuffledLocal{c.local, c.n}, replace_one, Delta(1e-6));
    EXPECT_NEAR(interval.upper / c.clones, 1, 1e-7) << c.n;
    EXPECT_NEAR(textbook::shuffled_epsilon_2021(c.n, c.local, 1e-6), c.closed, 1e-9) << c.n;
  }
  EXPECT_EQ(epsilon_interval(ShuffledLocal{1, 100}, replace_one, Delta(0)).upper, 1);
}

// ---- objective perturbation; reference values checked against numerical integration

TEST(ObjectivePerturbationCost, ExactMinimumAgreesWithTheReferenceTable) {
  struct Case {
    double epsilon, sigma, lambda, beta, delta;
  };
  for (const auto& c : {Case{1, 4, 1, .25, 1.905171382570e-4},
                        {.5, 10, 5, .25, 1.637772421182e-7},
                        {2, 2, .5, .25, 4.165789227215e-4},
                        {.1, 1, .25, .25, .8246588273550},
                        {1, 1, 10, 1, .2900385164004}}) {
    EXPECT_NEAR(
        objective::exact_delta(c.sigma, {1, c.beta, c.lambda}, c.epsilon, add_remove) / c.delta, 1,
        1e-9);
  }
  // The certified maximum lies a little above the value at the worst angle.
  struct Replaced {
    double epsilon, sigma, lambda, delta;
  };
  for (const auto& c : {Replaced{1, 4, 1, 3.733217555547e-2},
                        {.5, 10, 5, 2.077291519050e-3},
                        {2, 2, .5, 9.533702214134e-2}}) {
    const double found =
        objective::exact_delta(c.sigma, {1, .25, c.lambda}, c.epsilon, replace_one);
    EXPECT_GE(found, c.delta * (1 - 1e-9));
    EXPECT_LE(found, c.delta * (1 + 1.1e-4));
  }
}

TEST(ObjectivePerturbationCost, ApproximateMinimumAgreesWithTheReferenceTable) {
  // Output noise such that its own mu is s2: 2 tolerance / (lambda output_sigma).
  const auto delta_at = [](double sigma, double s2, Adjacency adjacency) {
    return objective::delta({sigma, 1, .25, 10, 1e-3, 2e-3 / (10 * s2)}, 1, adjacency);
  };
  EXPECT_NEAR(delta_at(4.4725276929, .01, add_remove) / 1e-6, 1, 1e-6);
  EXPECT_NEAR(delta_at(4.5839142234, .05, add_remove) / 1e-6, 1, 1e-6);
  for (const auto& [sigma, s2] : {std::pair{8.9450553858, .01}, {9.1678284469, .05}}) {
    const double replaced = delta_at(sigma, s2, replace_one);
    EXPECT_GE(replaced, 1e-6 * (1 - 1e-6));
    EXPECT_LE(replaced, 1.01e-6);
  }
}

TEST(ObjectivePerturbationCost, RenyiBoundAgreesWithTheReferenceTable) {
  const auto curve = rdp::curve(ObjectivePerturbation{4, 1, .25, 1, 0, 1}, add_remove);
  ASSERT_TRUE(curve);
  EXPECT_NEAR((*curve)(8), .566324060230, 1e-10);
  // Replacing a record is bounded by the same formula at half the noise, for all directions.
  const auto replaced = rdp::curve(ObjectivePerturbation{8, 1, .25, 1, 0, 1}, replace_one);
  ASSERT_TRUE(replaced);
  EXPECT_NEAR((*replaced)(8), .566324060230, 1e-10);
}

// ---- selection among many candidates; reference values of an independent program

TEST(WideTraining, SelectionAndNoiseTogetherAgreeWithTheReference) {
  struct Case {
    double spent, epsilon;
  };
  for (const auto& c : {Case{0.28378695, 3.525835317468896},
                        {1, 3.5772086612377088},
                        {2, 5.036681386184317},
                        {3, 6.904994898741833}}) {
    // Score differences range over 0.2, so eta is the epsilon of one draw over that.
    const ScoreSelection draw{c.spent / 0.2, 0.1, 0.75, 0.2, 99901, 1000, add_remove};
    const Event step = PoissonSampled{1e-4, Composed{{Repeated{100, draw}, Gaussian{0.5}}}};
    const auto interval = epsilon_interval(Repeated{200000, step}, add_remove, Delta(1e-5));
    EXPECT_LE(interval.upper, c.epsilon * (1 + 1e-4)) << c.spent;
    EXPECT_GE(interval.upper, c.epsilon * (1 - 5e-3)) << c.spent;
    EXPECT_EQ(interval.route, "rdp");
  }
  const auto free = epsilon_interval(Repeated{200000, PoissonSampled{1e-4, Gaussian{0.5}}},
                                     add_remove, Delta(1e-5));
  EXPECT_LE(free.lower, 2.41787354);
  EXPECT_NEAR(free.upper, 2.41787354, 2.5e-3);
}

// ---- filters

TEST(Filters, NeverExceedTheirCapUnderARandomAdaptiveAdversary) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int sequence = 0; sequence < 10000; ++sequence) {
    const double cap = 0.5 + uniform(random);
    auto zcdp = Filter::zcdp(cap, add_remove);
    auto gaussian = Filter::gaussian(std::sqrt(cap), add_remove);
    long double rho = 0;
    long double square = 0;
    double last = 1;
    for (int step = 0; step < 20; ++step) {
      // The adversary reacts to what was admitted.
      const double noise = 1 + 8 * last * uniform(random);
      const Event event = Gaussian{noise};
      const bool first = zcdp.admit(event);
      if (first) rho += 0.5L / (static_cast<long double>(noise) * noise);
      if (gaussian.admit(event)) square += 1.0L / (static_cast<long double>(noise) * noise);
      last = first ? 0.3 : 1.5;
    }
    EXPECT_LE(rho, static_cast<long double>(cap));
    EXPECT_LE(square, static_cast<long double>(cap));
    EXPECT_LE(static_cast<double>(rho), zcdp.spent());
  }
}

TEST(Filters, RenyiFilterGivesItsGuarantee) {
  auto filter = Filter::renyi(30, Epsilon(1), Delta(1e-6), add_remove);
  const Event step = PoissonSampled{0.01, Gaussian{2}};
  std::int64_t admitted = 0;
  while (filter.admit(step)) ++admitted;
  EXPECT_GT(admitted, 10);
  const auto curve = rdp::curve(Repeated{admitted, step}, add_remove);
  EXPECT_LE(rdp::to_epsilon(30, (*curve)(30), 1e-6), 1 + 1e-12);
  const auto more = rdp::curve(Repeated{admitted + 1, step}, add_remove);
  EXPECT_GT(rdp::to_epsilon(30, (*more)(30), 1e-6), 1 - 1e-9);
}

TEST(Filters, BasicFilterCountsBothNumbers) {
  auto filter = Filter::basic({1, 1e-6, add_remove});
  EXPECT_TRUE(filter.admit(Guarantee{0.5, 1e-6, add_remove}));
  EXPECT_FALSE(filter.admit(Guarantee{0.1, 1e-9, add_remove}));
  EXPECT_TRUE(filter.admit(PureDp{0.5, add_remove}));
  EXPECT_FALSE(filter.admit(PureDp{0.001, add_remove}));
  EXPECT_THROW(static_cast<void>(filter.admit(Gaussian{1})), base::GuaranteeError);
  EXPECT_THROW(static_cast<void>(filter.admit(Guarantee{0, 0, replace_one})), base::UsageError);
}

TEST(Filters, ZcdpCostsFollowTheirTheorems) {
  EXPECT_NEAR(zcdp_rho(Gaussian{2}, replace_one), 0.5, 1e-15);
  EXPECT_NEAR(zcdp_rho(BoundedRange{2, add_remove}, add_remove), 0.5, 1e-15);
  EXPECT_NEAR(zcdp_rho(PureDp{2, add_remove}, add_remove), 2, 1e-15);
  EXPECT_EQ(zcdp_rho(PoissonSampled{0.1, Gaussian{1}}, add_remove), .5);
  EXPECT_NEAR(zcdp_epsilon(0.5, Delta(1e-5)), 4.7283869849433, 1e-6);
}

}  // namespace routes_test
}  // namespace tacet::accounting
