// Units of several records in Poisson samples: docs/proofs/sampled_units.md.
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/composition.h"
#include "tacet/accounting/filter.h"
#include "tacet/accounting/group_privacy.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/accounting/shapes/grouping.h"
#include "tacet/accounting/shapes/rewrite.h"
#include "tacet/base/error.h"

namespace tacet::accounting {
namespace sampled_units_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
constexpr auto zero_out = Adjacency::zero_out;

Event units(double rate, double noise, std::int64_t records) {
  return PoissonSampled{rate, Gaussian{noise}, records};
}

double cost(const Event& event, Adjacency adjacency, double delta = 1e-5) {
  return epsilon_interval(event, adjacency, Delta(delta)).upper;
}

// Records of the same length: noise of multiplier 1 a record is 1 / k of the unit.
TEST(SampledUnits, MoreRecordsCostMoreAndLessThanAGroup) {
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    double before = 0;
    for (const std::int64_t k : {1, 2, 5}) {
      const auto event = Repeated{200, units(.01, 1 / static_cast<double>(k), k)};
      const auto interval = epsilon_interval(event, adjacency, Delta(1e-5));
      EXPECT_TRUE(interval.lower_is_attained) << k;
      EXPECT_GT(interval.lower, before) << k;
      EXPECT_LE(interval.upper - interval.lower, 2e-3 * interval.upper) << k;
      // The whole unit in or out is a bound, and a looser one.
      const auto whole = PoissonSampled{1 - std::pow(.99, k), Gaussian{1 / static_cast<double>(k)}};
      if (k > 1) {
        EXPECT_LT(interval.upper, cost(Repeated{200, whole}, adjacency));
      }
      before = interval.upper;
    }
    // Two records by way of one: (2 e, (1 + e^e) d).
    const auto one = [&](double d) { return cost(Repeated{200, units(.01, 1, 1)}, adjacency, d); };
    const double pair = cost(Repeated{200, units(.01, .5, 2)}, adjacency);
    EXPECT_LT(pair, 0.97 * internal::group_epsilon(one, 1e-5, 1e9)) << to_string(adjacency);
  }
}

// Sampling each record costs no more than reading all of them, and at rate 1 as much.
TEST(SampledUnits, ARateOfOneIsTheWholeUnit) {
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    const double all = cost(Gaussian{2}, adjacency);
    EXPECT_EQ(cost(units(1, 2, 7), adjacency), all);
    EXPECT_LT(cost(units(.9, 2, 7), adjacency), all);
    EXPECT_NEAR(cost(units(1 - 1e-9, 2, 7), adjacency), all, 1e-3);
    EXPECT_EQ(cost(units(0, 2, 7), adjacency), 0);
  }
}

// Neighbouring numbers of records stand together, upwards: still a bound, no longer attained.
TEST(SampledUnits, ManyRecordsAreBoundedFromAbove) {
  const auto exact = epsilon_interval(units(.5, 1, 127), add_remove, Delta(1e-6));
  EXPECT_TRUE(exact.lower_is_attained);
  for (const std::int64_t k : {1000, 1 << 20}) {
    for (const auto adjacency : {add_remove, replace_one}) {
      const auto many = epsilon_interval(units(.5, 1, k), adjacency, Delta(1e-6));
      EXPECT_FALSE(many.lower_is_attained);
      // The share that joins is all but certain to be half.
      const double half = cost(Gaussian{2}, adjacency, 1e-6);
      EXPECT_GE(many.upper, half);
      EXPECT_LE(many.upper, half * (k == 1000 ? 1.1 : 1.01)) << k;
    }
  }
}

// Of a great many rare records next to none joins: numbers of no weight must not push likely ones
// together. No records stood for four, and epsilon was three times as large.
TEST(SampledUnits, RareNumbersOfRecordsLeaveLikelyOnesApart) {
  const auto many = units(7e-4, 1.0 / 6, 616);
  const auto few = units(7e-4 * 616 / 120, 1.0 / 6, 120);
  const double found = cost(many, add_remove, 1e-7);
  EXPECT_GT(found, 0);
  // Both are all but Poisson numbers of records; the fewer ones are the longer.
  EXPECT_LT(found, cost(few, add_remove, 1e-7));
}

TEST(SampledUnits, TinyAndLargeRatesKeepTheirDigits) {
  // Of rare records only one joins: k samples of a k-th each, at k times the rate.
  for (const std::int64_t k : {10}) {
    const double noise = 0.4;
    const auto rare =
        cost(Repeated{1000, units(1e-7, noise / static_cast<double>(k), k)}, add_remove, 1e-9);
    const auto single =
        cost(Repeated{1000, units(1e-7 * static_cast<double>(k), noise, 1)}, add_remove, 1e-9);
    EXPECT_NEAR(rare / single, 1, 0.02) << k;
  }
}

// Next to no noise: who is in the sample is seen, whatever the other laws give. A loss of 0 had no
// outcome in numbers, and one step was said to cost nothing.
TEST(SampledUnits, NextToNoNoiseShowsWhoIsThere) {
  for (const double noise : {.03, .026, .0118}) {
    for (const std::int64_t k : {1, 3}) {
      for (const auto adjacency : {add_remove, zero_out, replace_one}) {
        SCOPED_TRACE(std::to_string(noise) + " " + std::to_string(k) + to_string(adjacency));
        const auto event = units(5e-4, noise / static_cast<double>(k), k);
        const double joins = 1 - std::pow(1 - 5e-4, static_cast<double>(k));
        const auto delta = delta_interval(event, adjacency, Epsilon(0));
        EXPECT_GE(delta.upper, joins * (1 - 1e-9));
        EXPECT_LE(delta.lower, joins * (1 + 1e-9));
        EXPECT_GT(epsilon_interval(event, adjacency, Delta(1e-17)).upper, 100);
      }
    }
  }
}

// Rates near the smallest numbers: masses lost their digits, and one use was said to cost 5e-324 or
// to be known from both sides at contradictory values.
void check_smallest_rates(std::initializer_list<double> rates,
                          std::initializer_list<std::int64_t> records) {
  for (const double rate : rates) {
    for (const std::int64_t k : records) {
      for (const auto adjacency : {add_remove, replace_one}) {
        SCOPED_TRACE(std::to_string(std::log10(rate)) + " " + std::to_string(k));
        const auto seen = delta_interval(units(rate, .001, k), adjacency, Epsilon(1));
        const double joins = static_cast<double>(k) * rate;
        EXPECT_GE(seen.upper, joins * (1 - 1e-9));
        EXPECT_LE(seen.lower, joins * (1 + 1e-9));
        EXPECT_LE(seen.upper, joins * (1 + 1e-3));
      }
    }
  }
}

TEST(SampledUnits, TheSmallestRatesStillCost) { check_smallest_rates({1e-320}, {2}); }
TEST(SampledUnitsLong, TheSmallestRatesStillCost) {
  check_smallest_rates({1e-320, 1e-300}, {1, 2});
}

// What has no pair of its own is what a unit costs that joins whole or not at all; noise on sums
// also what its records cost one by one.
TEST(SampledUnits, OtherEventsAreBoundedByWholeUnits) {
  const double q = .05;
  const std::int64_t k = 3;
  const double whole = 1 - std::pow(1 - q, static_cast<double>(k));
  const auto expect = [&](const Event& base, Adjacency adjacency) {
    const auto interval =
        epsilon_interval(PoissonSampled{q, base, k}, adjacency, Delta(1e-6), {.attained = true});
    const double bound = cost(PoissonSampled{whole, base}, adjacency, 1e-6);
    EXPECT_LE(interval.upper, bound * (1 + 1e-9));
    EXPECT_GT(interval.upper, cost(PoissonSampled{q, base}, adjacency, 1e-6) / 3);
    // Data sets are known to meet the Gaussian part alone.
    EXPECT_EQ(interval.attained > 0, base.as<Composed>() != nullptr);
    EXPECT_FALSE(interval.lower_is_attained);
    return interval.upper / bound;
  };
  for (const auto adjacency : {add_remove, replace_one}) {
    EXPECT_NEAR(expect(PureDp{1, add_remove}, adjacency), 1, 1e-9);
    EXPECT_NEAR(expect(ApproximateDp{1, 1e-7, add_remove}, adjacency), 1, 1e-9);
    EXPECT_NEAR(expect(Zcdp{.1, add_remove}, adjacency), 1, 1e-6);
    EXPECT_LT(expect(Laplace{.3}, adjacency), 0.6);
    (void)expect(Composed{{Gaussian{2}, Laplace{2}}}, adjacency);
  }
  // (1 + q (e^{epsilon/k} - 1))^k.
  const double one = std::log1p(q * std::expm1(1 / (.3 * 3)));
  EXPECT_NEAR(internal::pure_epsilon(PoissonSampled{q, Laplace{.3}, k}, add_remove), 3 * one,
              1e-12);
  EXPECT_NEAR(internal::participation(units(q, 1, k)), whole, 1e-15);
  EXPECT_GE(internal::participation(units(q, 1, k)), whole);
  // The Renyi and the additive currencies.
  const auto curve = rdp::curve(units(q, 1, k), add_remove);
  ASSERT_TRUE(curve);
  EXPECT_NEAR((*curve)(4) / (*rdp::curve(units(whole, 1, 1), add_remove))(4), 1, 1e-12);
  EXPECT_GT((*curve)(4), (*rdp::curve(units(q, 1, 1), add_remove))(4));
}

TEST(SampledUnits, RefusesWhatCountsSingleRecords) {
  const auto base = units(.1, 1, 2);
  EXPECT_THROW(units(.1, 1, 0), base::UsageError);
  EXPECT_THROW(units(.1, 1, -3), base::UsageError);
  EXPECT_THROW(units(.1, 1, privacy::records_per_unit_limit + 1), base::UsageError);
  EXPECT_NO_THROW(units(.1, 1, privacy::records_per_unit_limit));
  EXPECT_THROW(Event(PoissonSampled{.5, base}), base::UsageError);
  EXPECT_THROW(Event(PoissonSampled{.5, Composed{{Repeated{2, base}}}}), base::UsageError);
  EXPECT_THROW(Event(FixedSizeSampled{1, 2, base}), base::UsageError);
  EXPECT_THROW(Event(Partitioned{Assignment::by_record, {base}}), base::UsageError);
  for (const Event& inner :
       {Event(PoissonSampled{.5, Gaussian{1}}), Event(FixedSizeSampled{1, 2, Gaussian{1}}),
        Event(Partitioned{Assignment::by_record, {Gaussian{1}}}), Event(ShuffledLocal{1, 9}),
        Event(ObjectivePerturbation{1, 1, 1, 1, 0, 1})}) {
    EXPECT_NO_THROW(Event(PoissonSampled{.5, inner, 1}));
    EXPECT_THROW(Event(PoissonSampled{.5, inner, 2}), base::UsageError);
    EXPECT_THROW(Event(PoissonSampled{.5, Repeated{3, inner}, 2}), base::UsageError);
  }
  EXPECT_NO_THROW(Event(Repeated{3, Composed{{base, Gaussian{1}}}}));
}

TEST(SampledUnits, OneRecordIsNotWritten) {
  // Stated or left out, one record is the same event, and the same bytes.
  EXPECT_EQ(units(.1, 1, 1), Event(PoissonSampled{.1, Gaussian{1}}));
  EXPECT_EQ(event_to_json(units(.1, 1, 1)).find("records"), std::string::npos);
}

TEST(SampledUnits, TheFileSaysHowManyRecords) {
  const Event event = Repeated{5, units(.25, 2, 3)};
  const auto text = event_to_json(event);
  EXPECT_NE(text.find("\"max_records_per_unit\":3"), std::string::npos);
  EXPECT_EQ(event_from_json(text), event);
  EXPECT_NE(event, Event(Repeated{5, units(.25, 2, 4)}));
  const auto with = [](const std::string& records) {
    return R"({"version":1,"event":{"kind":"poisson_sampled","rate":0.5,"max_records_per_unit":)" +
           records + R"(,"base":{"kind":"gaussian","noise_multiplier":1}}})";
  };
  EXPECT_EQ(event_from_json(with("1")), units(.5, 1, 1));
  EXPECT_EQ(event_from_json(with("2")), units(.5, 1, 2));
  for (const char* wrong : {"0", "-1", "1.5", "\"2\"", "null", "1048577", "9223372036854775808"}) {
    EXPECT_THROW((void)event_from_json(with(wrong)), base::DataError) << wrong;
  }
}

// What is rewritten or grouped keeps its records.
TEST(SampledUnits, WalksKeepTheRecords) {
  const auto event = units(.25, 2, 3);
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    EXPECT_EQ(internal::rewritten(event, adjacency), event);
    EXPECT_EQ(internal::rewritten(Repeated{2, Repeated{3, event}}, adjacency),
              Event(Repeated{6, event}));
    EXPECT_EQ(internal::rewritten(units(1, 2, 3), adjacency), Event(Gaussian{2}));
  }
  Composed many;
  for (int i = 0; i < 40; ++i) {
    many.parts.push_back(units(.01 + 1e-4 * i, 2, 3));
    many.parts.push_back(units(.01 + 1e-4 * i, 2, 1));
  }
  const auto fewer = internal::coarsened(many, 8);
  ASSERT_TRUE(fewer);
  std::int64_t counted[4] = {0, 0, 0, 0};
  for (const auto& part : fewer->as<Composed>()->parts) {
    const auto* group = part.as<Repeated>();
    counted[group->base->as<PoissonSampled>()->max_records_per_unit] += group->count;
  }
  EXPECT_EQ(counted[1], 40);
  EXPECT_EQ(counted[3], 40);
  EXPECT_GE(cost(*fewer, add_remove), cost(many, add_remove) * (1 - 2e-3));
}

}  // namespace sampled_units_test
}  // namespace tacet::accounting
