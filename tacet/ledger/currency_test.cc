#include "tacet/ledger/currency.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/filter.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::ledger {
namespace currency_test {

using privacy::Adjacency;
using privacy::Event;
using privacy::Guarantee;

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
using numeric::infinity;

const Guarantee one_run{1, 1e-5, add_remove};

double cost(const Event& event, Currency currency, Adjacency adjacency = add_remove,
            double order = 0) {
  return cost_of(event, adjacency, {.currency = currency, .value = 1, .order = order}, one_run)
      .value;
}

TEST(Currency, PowersOfTwoAreBookedExactly) {
  EXPECT_EQ(cost(privacy::Gaussian{8}, Currency::gdp), 1.0 / 64);
  EXPECT_EQ(cost(privacy::Gaussian{8}, Currency::zcdp), 1.0 / 128);
  EXPECT_EQ(cost(privacy::Gaussian{8}, Currency::gdp, replace_one), 1.0 / 16);
  EXPECT_EQ(cost(privacy::Zcdp{1.0 / 64, add_remove}, Currency::zcdp), 1.0 / 64);
  EXPECT_EQ(cost(privacy::PureDp{1.0 / 64, add_remove}, Currency::pure), 1.0 / 64);
  EXPECT_EQ(cost(privacy::Repeated{256, privacy::Gaussian{16}}, Currency::gdp), 1.0);
}

TEST(Currency, CostsOfKnownEventsAreTheTheoremsNumbers) {
  // Bun, Steinke 2016: epsilon^2/2; Cesar, Rogers 2021: epsilon^2/8 for bounded range.
  EXPECT_NEAR(cost(privacy::PureDp{0.5, add_remove}, Currency::zcdp), 0.125, 1e-15);
  EXPECT_NEAR(cost(privacy::PureDp{4, add_remove}, Currency::zcdp), 4, 1e-12);
  EXPECT_NEAR(cost(privacy::BoundedRange{2, add_remove}, Currency::zcdp), 0.5, 1e-15);
  EXPECT_NEAR(cost(privacy::DiscreteGaussian{10, 5, 3}, Currency::zcdp), 0.125, 1e-15);
  EXPECT_NEAR(cost(privacy::Gaussian{2}, Currency::rdp, add_remove, 8), 8 * 0.25 / 2, 1e-11);
  // Dong, Roth, Su 2019: randomised response touches the curve of mu where Phi(-mu/2) =
  // 1/(1+e^epsilon).
  const double square = cost(privacy::PureDp{1, add_remove}, Currency::gdp);
  EXPECT_NEAR(numeric::normal_cdf(-std::sqrt(square) / 2), 1 / (1 + std::exp(1.0)), 1e-12);
}

TEST(Currency, TheGaussianCurveOfAPureMechanismLiesBelowRandomisedResponse) {
  for (const double epsilon : {1e-6, 0.1, 1.0, 5.0, 40.0}) {
    const double mu =
        std::sqrt(accounting::squared_gdp(privacy::PureDp{epsilon, add_remove}, add_remove));
    for (double e = 0; e < epsilon; e += epsilon / 7) {
      // delta of randomised response at e (Kairouz, Oh, Viswanath 2015).
      const double response = (std::exp(epsilon) - std::exp(e)) / (1 + std::exp(epsilon));
      EXPECT_GE(accounting::gaussian::delta(mu, e) * (1 + 1e-9), response) << epsilon << ' ' << e;
    }
  }
}

// Every currency's promise for a composition is a valid bound, so it is never below the tight one.
TEST(Currency, PromisesAreNeverBelowTheTightGuarantee) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> noise(0.8, 20);
  const privacy::Delta delta(1e-6);
  for (int i = 0; i < 50; ++i) {
    const double multiplier = noise(random);
    const Event event = privacy::Repeated{1 + i, privacy::Gaussian{multiplier}};
    const double tight = accounting::epsilon(event, add_remove, delta);
    const Cap zcdp{.currency = Currency::zcdp, .value = 1};
    const Cap gdp{.currency = Currency::gdp, .value = 1};
    const Cap rdp{.currency = Currency::rdp, .value = 1, .order = 6};
    EXPECT_GE(epsilon_at(cost_of(event, add_remove, zcdp, one_run), zcdp, delta), tight);
    EXPECT_GE(epsilon_at(cost_of(event, add_remove, rdp, one_run), rdp, delta), tight);
    const double by_gdp = epsilon_at(cost_of(event, add_remove, gdp, one_run), gdp, delta);
    EXPECT_GE(by_gdp * (1 + 1e-9), tight);
    EXPECT_LE(by_gdp, tight * (1 + 1e-9));
  }
}

// A filter and a ledger admit the same runs.
TEST(Currency, LedgersAndFiltersHaveOnePriceForOneEvent) {
  EXPECT_EQ(cost(privacy::PureDp{4, add_remove}, Currency::zcdp), 4);
  EXPECT_EQ(accounting::zcdp_rho(privacy::PureDp{4, add_remove}, add_remove), 4);
  const Event sampled = privacy::Repeated{1000, privacy::PoissonSampled{.01, privacy::Gaussian{1}}};
  EXPECT_EQ(cost(sampled, Currency::zcdp), 500);
  EXPECT_EQ(accounting::zcdp_rho(sampled, add_remove), 500);
  for (const Event& event :
       {Event(privacy::PureDp{4, add_remove}), sampled, Event(privacy::Laplace{.2}),
        Event(privacy::BoundedRange{3, add_remove}), Event(privacy::Gaussian{3}),
        Event(privacy::DiscreteLaplace{3, 2}), Event(privacy::DiscreteGaussian{3, 2, 5}),
        Event(privacy::Composed{{privacy::Gaussian{3}, privacy::Laplace{8}}}),
        Event(privacy::PoissonSampled{.2, privacy::Laplace{.5}})}) {
    auto zcdp = accounting::Filter::zcdp(1e6, add_remove);
    ASSERT_TRUE(zcdp.admit(event));
    EXPECT_EQ(zcdp.spent(), cost(event, Currency::zcdp)) << privacy::event_to_json(event);
    auto renyi =
        accounting::Filter::renyi(8, privacy::Epsilon(1e6), privacy::Delta(.1), add_remove);
    ASSERT_TRUE(renyi.admit(event));
    EXPECT_EQ(renyi.spent(), cost(event, Currency::rdp, add_remove, 8));
    if (std::isinf(accounting::squared_gdp(event, add_remove))) continue;
    auto gaussian = accounting::Filter::gaussian(1e6, add_remove);
    ASSERT_TRUE(gaussian.admit(event));
    EXPECT_EQ(gaussian.spent(), cost(event, Currency::gdp)) << privacy::event_to_json(event);
  }
}

TEST(Currency, SamplingAndDisjointBlocksCostAtMostWhatIsInside) {
  const Event sampled = privacy::PoissonSampled{0.01, privacy::Gaussian{2}};
  EXPECT_EQ(cost(sampled, Currency::zcdp), cost(privacy::Gaussian{2}, Currency::zcdp));
  // The account of one Renyi order sees the amplification.
  EXPECT_LT(cost(sampled, Currency::rdp, add_remove, 4),
            0.01 * cost(privacy::Gaussian{2}, Currency::rdp, add_remove, 4));
  const Event blocks = privacy::Partitioned{privacy::Assignment::by_record,
                                            {privacy::Gaussian{2}, privacy::Gaussian{4}}};
  EXPECT_EQ(cost(blocks, Currency::gdp), 0.25);
  const Event fixed = privacy::FixedSizeSampled{1, 10, privacy::Gaussian{2}};
  EXPECT_EQ(cost(fixed, Currency::gdp, replace_one), 1.0);
}

TEST(Currency, WhatHasNoProofIsRefused) {
  EXPECT_THROW(cost(privacy::Gaussian{2}, Currency::pure), base::GuaranteeError);
  EXPECT_THROW(cost(privacy::Gaussian{0}, Currency::zcdp), base::GuaranteeError);
  EXPECT_THROW(cost(privacy::Zcdp{0.1, add_remove}, Currency::gdp), base::GuaranteeError);
  EXPECT_THROW(cost(privacy::Zcdp{0.1, replace_one}, Currency::zcdp), base::GuaranteeError);
  EXPECT_THROW(cost(privacy::ApproximateDp{1, 1e-6, add_remove}, Currency::rdp, add_remove, 3),
               base::GuaranteeError);
  EXPECT_THROW(cost(privacy::FixedSizeSampled{1, 10, privacy::Gaussian{2}}, Currency::zcdp),
               base::GuaranteeError);
}

TEST(Currency, ABasicAccountBooksTheLargerOfStatedAndProved) {
  const Cap cap{.currency = Currency::basic, .value = 10, .delta = 1e-4};
  const Event event = privacy::Gaussian{5};
  const double proved = accounting::epsilon(event, add_remove, privacy::Delta(1e-5));
  EXPECT_EQ(cost_of(event, add_remove, cap, {2 * proved, 1e-5, add_remove}),
            (Amount{2 * proved, 1e-5, true}));
  EXPECT_EQ(cost_of(event, add_remove, cap, {proved / 2, 1e-5, add_remove}),
            (Amount{proved, 1e-5}));
  // What an account of replace-one neighbours pays for a run under add_remove.
  EXPECT_EQ(cost_of(event, replace_one, cap, {proved, 1e-5, add_remove}).value,
            accounting::epsilon(event, replace_one, privacy::Delta(1e-5)));
  const Event approximate = privacy::Composed{
      {privacy::ApproximateDp{0.5, 1e-6, add_remove}, privacy::PureDp{0.25, add_remove}}};
  EXPECT_EQ(cost_of(approximate, add_remove, cap, {0.75, 1e-6, add_remove}),
            (Amount{0.75, 1e-6, true}));
}

TEST(Cap, TheLargestCapThatPromisesEpsilonDoesNotPromiseMore) {
  const privacy::Epsilon epsilon(2);
  const privacy::Delta delta(1e-6);
  for (const auto currency : {Currency::zcdp, Currency::gdp, Currency::rdp}) {
    const auto cap = cap_for(currency, epsilon, delta, currency == Currency::rdp ? 12 : 0);
    const double promised = epsilon_at(amount_of(cap), cap, delta);
    EXPECT_LE(promised, 2) << to_string(currency);
    EXPECT_GT(promised, 2 * (1 - 1e-9)) << to_string(currency);
  }
  // mu at (1, 1e-5): Balle, Wang 2018, as accounting/routes/gaussian computes it.
  EXPECT_NEAR(cap_for(Currency::gdp, privacy::Epsilon(1), privacy::Delta(1e-5), 0).value,
              accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-5)), 1e-9);
  EXPECT_THROW(static_cast<void>(cap_for(Currency::zcdp, epsilon, privacy::Delta(0), 0)),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(cap_for(Currency::pure, epsilon, delta, 0)), base::UsageError);
  // At order 1.5 the conversion alone costs more than 2.
  EXPECT_THROW(static_cast<void>(cap_for(Currency::rdp, epsilon, delta, 1.5)), base::UsageError);
}

TEST(Cap, RangesAreChecked) {
  EXPECT_THROW(static_cast<void>(checked(Cap{.value = -1})), base::UsageError);
  EXPECT_THROW(static_cast<void>(checked(Cap{.value = infinity})), base::UsageError);
  EXPECT_THROW(static_cast<void>(checked(Cap{.value = std::nan("")})), base::UsageError);
  EXPECT_THROW(static_cast<void>(checked(Cap{.value = 1, .delta = 1})), base::UsageError);
  EXPECT_THROW(
      static_cast<void>(checked(Cap{.currency = Currency::zcdp, .value = 1, .delta = 1e-9})),
      base::UsageError);
  EXPECT_THROW(static_cast<void>(checked(Cap{.currency = Currency::rdp, .value = 1, .order = 1})),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(parse_currency("euro")), base::UsageError);
}

// A14: whatever an adversary asks for after seeing what was admitted, the sum stays within the cap.
void try_adversaries(std::uint64_t seed, int sequences) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-12, 1);
  for (int sequence = 0; sequence < sequences; ++sequence) {
    const Cap cap{.currency = sequence % 2 == 0 ? Currency::gdp : Currency::basic,
                  .value = std::exp2(exponent(random)),
                  .delta = sequence % 2 == 0 ? 0 : 1e-5};
    Tally admitted;
    for (int i = 0; i < 20; ++i) {
      // Asks for what is left, a little more, or anything.
      Amount ask{i % 3 == 0 ? admitted.remaining(cap).value : std::exp2(exponent(random)),
                 cap.delta > 0 ? 1e-5 * std::exp2(exponent(random)) : 0};
      if (i % 3 == 1) ask.value = std::nextafter(admitted.remaining(cap).value, infinity);
      auto after = admitted;
      after.add(ask);
      if (after.within(cap)) admitted = after;
    }
    EXPECT_TRUE(admitted.within(cap));
    // The total is rounded up to a double; the cap is a decimal, which may lie between two.
    EXPECT_LE(admitted.total().delta, std::nextafter(cap.delta, 1));
    EXPECT_LE(admitted.total().value, std::nextafter(amount_of(cap).value, infinity));
  }
}

TEST(Filter, AnAdaptiveAdversaryNeverPassesTheCap) { try_adversaries(11, 1000); }
TEST(FilterLong, AnAdaptiveAdversaryNeverPassesTheCap) { try_adversaries(12, 10000); }

/// Ten runs that state `epsilon` and `delta` against a cap of ten times as much.
int admitted_of_ten(const Event& event, double epsilon, double delta, const Cap& cap) {
  Tally tally;
  int admitted = 0;
  for (int i = 0; i < 11; ++i) {
    auto after = tally;
    after.add(cost_of(event, add_remove, cap, {epsilon, delta, add_remove}));
    if (!after.within(cap)) continue;
    tally = after;
    ++admitted;
  }
  return admitted;
}

TEST(BasicAccount, TenRunsAtATenthFitWhereTheProofReachesBelowTheDecimal) {
  const Cap cap{.currency = Currency::basic, .value = 1, .delta = 1e-6};
  // Calibrated to less than 0.1 at 1e-7, as calibrated noise is.
  const double noise = 42;
  const double proved = accounting::gaussian::epsilon(1 / noise, privacy::Delta(1e-7));
  ASSERT_LT(proved, 0.1 * (1 - 1e-12));
  EXPECT_EQ(admitted_of_ten(privacy::Gaussian{noise}, 0.1, 1e-7, cap), 10);
  const auto one = cost_of(privacy::Gaussian{noise}, add_remove, cap, {0.1, 1e-7, add_remove});
  EXPECT_EQ(one, (Amount{0.1, 1e-7, true}));
  // The event itself is the double 0.1, which is more than a tenth: never booked below it.
  EXPECT_EQ(admitted_of_ten(privacy::PureDp{0.1, add_remove}, 0.1, 0, cap), 9);
  EXPECT_EQ(admitted_of_ten(privacy::PureDp{std::nextafter(0.1, 0.0), add_remove}, 0.1, 0, cap),
            10);
  // The double 0.3 is below the decimal: three of them fit into 0.9, and three tenths into 0.3.
  EXPECT_EQ(admitted_of_ten(privacy::PureDp{0.3, add_remove}, 0.3, 0,
                            {.currency = Currency::basic, .value = 0.9}),
            3);
}

TEST(BasicAccount, OneRunAtJustTheCapFitsAndTheNextDoubleDoesNot) {
  for (const double cap_value : {0.1, 0.2, 0.3, 0.7}) {
    for (const auto currency : {Currency::pure, Currency::basic}) {
      const Cap cap{.currency = currency, .value = cap_value};
      const auto fits = [&](double epsilon) {
        Tally tally;
        tally.add(cost_of(privacy::PureDp{epsilon, add_remove}, add_remove, cap,
                          {epsilon, 0, add_remove}));
        return tally.within(cap);
      };
      EXPECT_TRUE(fits(cap_value)) << cap_value;
      EXPECT_FALSE(fits(std::nextafter(cap_value, 1))) << cap_value;
      Tally twice;
      twice.add(Amount{cap_value, 0});
      twice.add(Amount{5e-324, 0});
      numeric::ExactSum decimal;
      decimal.add_decimal(cap_value);
      numeric::ExactSum binary;
      binary.add(cap_value);
      EXPECT_EQ(twice.within(cap), !(decimal <= binary)) << cap_value;
    }
  }
}

TEST(BasicAccount, NoRunIsBookedBelowWhatIsProved) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> exponent(-20, 3);
  for (int i = 0; i < 2000; ++i) {
    const double proved = std::exp2(exponent(random));
    const double stated = i % 2 == 0 ? proved : std::nextafter(proved, infinity);
    const Cap cap{.currency = Currency::basic, .value = 100};
    const auto cost =
        cost_of(privacy::PureDp{proved, add_remove}, add_remove, cap, {stated, 0, add_remove});
    numeric::ExactSum least;
    least.add(proved);
    numeric::ExactSum most;
    if (cost.as_stated) {
      most.add_decimal(cost.value);
    } else {
      most.add(cost.value);
    }
    ASSERT_TRUE(least <= most) << proved;
    ASSERT_GE(cost.value, proved);
  }
}

// As exact numbers: sums of doubles in any order, and back to nothing.
TEST(Tally, AddsInAnyOrderAndTakesBackWhatWasAdded) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 30);
  std::vector<Amount> amounts;
  for (int i = 0; i < 200; ++i) {
    amounts.push_back({std::exp2(exponent(random)), std::exp2(exponent(random)), i % 3 == 0});
  }
  Tally forwards;
  Tally backwards;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    forwards.add(amounts[i]);
    backwards.add(amounts[amounts.size() - 1 - i]);
  }
  EXPECT_EQ(forwards, backwards);
  EXPECT_EQ(Tally::from_text(forwards.text()), forwards);
  for (const auto& amount : amounts) forwards.subtract(amount);
  EXPECT_EQ(forwards, Tally());
  EXPECT_EQ(forwards.total().value, 0);
}

TEST(Tally, FillsACapToTheLastBit) {
  const Cap cap{.currency = Currency::zcdp, .value = 1};
  Tally tally;
  tally.add({1});
  EXPECT_TRUE(tally.within(cap));
  tally.add({std::numeric_limits<double>::denorm_min()});
  EXPECT_FALSE(tally.within(cap));
  tally.subtract({std::numeric_limits<double>::denorm_min()});
  EXPECT_TRUE(tally.within(cap));
  EXPECT_EQ(tally.remaining(cap).value, 0);
}

// The cap of a Gaussian account is mu, its costs are mu^2: the square is exact.
TEST(Tally, GaussianCostsCountAgainstTheSquareOfTheCap) {
  const double mu = 1 + 0x1p-40;
  const Cap cap{.currency = Currency::gdp, .value = mu};
  Tally tally;
  tally.add({1 + 0x1p-39});
  EXPECT_TRUE(tally.within(cap));  // 2^-80 below the square
  tally.add({0x1p-81});
  EXPECT_TRUE(tally.within(cap));
  tally.add({0x1p-80});
  EXPECT_FALSE(tally.within(cap));
}

TEST(Tally, DeltasHaveALimitOfTheirOwn) {
  const Cap cap{.currency = Currency::basic, .value = 1, .delta = 1e-6};
  Tally tally;
  tally.add({0.5, 1e-6, true});
  EXPECT_TRUE(tally.within(cap));
  tally.add({0, 1e-30, true});
  EXPECT_FALSE(tally.within(cap));
  const Amount left = tally.remaining(cap);
  EXPECT_EQ(left.value, 0.5);
  EXPECT_LE(left.delta, 0);
}

// Ten costs of a tenth are one, as they are printed; ten doubles above a tenth are more.
TEST(Tally, DecimalsAreTheNumbersThatTheyPrint) {
  const Cap cap{.currency = Currency::pure, .value = 1};
  Tally stated;
  Tally doubles;
  for (int i = 0; i < 10; ++i) {
    stated.add({0.1, 0, true});
    doubles.add({0.1});
  }
  EXPECT_EQ(stated.total(), (Amount{1, 0, true}));
  EXPECT_TRUE(stated.within(cap));
  EXPECT_FALSE(doubles.within(cap));
  EXPECT_GT(doubles.total().value, 1);
}

// The total is rounded up and what is left down: together never more than the cap.
TEST(Tally, IsRoundedToTheSafeSide) {
  const Cap cap{.currency = Currency::zcdp, .value = 1};
  Tally tally;
  tally.add({0.1});
  tally.add({0x1p-80});
  EXPECT_GT(tally.total().value, 0.1);
  EXPECT_LT(tally.remaining(cap).value, 0.9);
  EXPECT_LE(tally.total().value - 0.1, 1.5e-17);
  EXPECT_EQ(amount_of({.currency = Currency::gdp, .value = 3}).value, 9);
  EXPECT_EQ(amount_of({.currency = Currency::pure, .value = 0.1}), (Amount{0.1, 0, true}));
}

TEST(Tally, WhatIsInfiniteStaysSo) {
  Tally tally;
  tally.add({infinity});
  EXPECT_TRUE(tally.infinite());
  EXPECT_FALSE(tally.within({.currency = Currency::zcdp, .value = 1e300}));
  EXPECT_TRUE(Tally::from_text(tally.text()).infinite());
}

}  // namespace currency_test

}  // namespace tacet::ledger
