// Units of several records in Poisson samples: docs/proofs/sampled_units.md.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/composition.h"
#include "tacet/accounting/filter.h"
#include "tacet/accounting/group_privacy.h"
#include "tacet/accounting/loss/binomial_pair.h"
#include "tacet/accounting/loss/replaced_pair.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/accounting/shapes/grouping.h"
#include "tacet/accounting/shapes/rewrite.h"
#include "tacet/base/error.h"
#include "tacet/numeric/infinity.h"

namespace tacet::accounting {
namespace sampled_units_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
constexpr auto zero_out = Adjacency::zero_out;
using numeric::infinity;

Event units(double rate, double noise, std::int64_t records) {
  return PoissonSampled{rate, Gaussian{noise}, records};
}

double binomial(std::int64_t k, double q, std::int64_t j) {
  double chance = 1;
  for (std::int64_t i = 0; i < j; ++i) {
    chance *= static_cast<double>(k - i) / static_cast<double>(i + 1);
  }
  return chance * std::pow(q, j) * std::pow(1 - q, k - j);
}

/// Densities of the number of records that joined, each moving the mean by `step`.
double density(double x, double q, std::int64_t k, double step) {
  double sum = 0;
  for (std::int64_t j = 0; j <= k; ++j) {
    const double z = x - static_cast<double>(j) * step;
    sum += binomial(k, q, j) * std::exp(-0.5 * z * z);
  }
  return sum / std::sqrt(2 * M_PI);
}

/// int max(0, p - e^epsilon p'), the integrand's border bisected and each side summed finely.
template <typename First, typename Second>
double hockey_stick(const First& first, const Second& second, double epsilon, double mu) {
  const auto surplus = [&](double x) { return first(x) - std::exp(epsilon) * second(x); };
  // The trapezoid rule is exact to rounding inside; Simpson's on the piece beside the border.
  const double low = -12 - mu;
  const double high = 12 + 2 * mu;
  constexpr int cells = 4000;
  double total = 0;
  for (int i = 0; i < cells; ++i) {
    double a = low + (high - low) * i / cells;
    double b = low + (high - low) * (i + 1) / cells;
    const bool starts = surplus(a) > 0;
    const bool ends = surplus(b) > 0;
    if (!starts && !ends) continue;
    if (starts != ends) {
      double in = starts ? a : b;
      double out = starts ? b : a;
      for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (in + out);
        (surplus(middle) > 0 ? in : out) = middle;
      }
      (starts ? b : a) = in;
    }
    total += (b - a) / 6 * (surplus(a) + 4 * surplus(0.5 * (a + b)) + surplus(b));
  }
  return total;
}

struct Setting {
  double q, noise;
  std::int64_t k;
};
const std::vector<Setting> settings{{.1, 1, 2},    {.02, .5, 5}, {.3, 2, 3},
                                    {.01, .3, 10}, {.7, 1.5, 4}, {.002, .2, 20}};

TEST(SampledUnits, OneStepIsTheHockeyStickOfBinomialMixtures) {
  for (const auto& [q, noise, k] : settings) {
    const double step = 1 / (noise * static_cast<double>(k));
    const auto with = [&](double x) { return density(x, q, k, step); };
    const auto without = [&](double x) { return density(x, 0, 0, 0); };
    const auto mirrored = [&](double x) { return with(-x); };
    for (const double epsilon : {0.0, 0.1, 1.0, 2.5}) {
      SCOPED_TRACE(std::to_string(q) + " " + std::to_string(k) + " " + std::to_string(epsilon));
      const auto event = units(q, noise, k);
      const auto check = [&](Adjacency adjacency, double expected) {
        const auto found = delta_interval(event, adjacency, Epsilon(epsilon));
        EXPECT_GE(found.upper, expected * (1 - 1e-9) - 1e-15);
        EXPECT_LE(found.lower, expected * (1 + 1e-9) + 1e-15);
        EXPECT_NEAR(found.upper, expected, 1e-9 * expected + 1e-14);
        EXPECT_NEAR(found.lower, expected, 1e-9 * expected + 1e-14);
        EXPECT_TRUE(found.lower_is_attained);
      };
      const double mu = 1 / noise;
      const double removed = hockey_stick(with, without, epsilon, mu);
      const double added = hockey_stick(without, with, epsilon, mu);
      check(add_remove, std::max(removed, added));
      check(zero_out, std::max(removed, added));
      check(replace_one, hockey_stick(with, mirrored, epsilon, mu));
    }
  }
}

// The pairs of both files for one record, all over the losses.
TEST(SampledUnits, OneRecordIsToday) {
  for (const double q : {1e-6, .01, .4, .999}) {
    for (const double mu : {.05, 1.0, 4.0}) {
      const auto check = [&](const pairs::Pair& old, const pairs::Pair& found) {
        const double low = std::max(old.lower_quantile(-40), old.lowest());
        const double high = std::min(old.upper_quantile(-40), old.highest());
        for (int i = 0; i < 40; ++i) {
          const double a = low + (high - low) * i / 40;
          const double b = low + (high - low) * (i + 1) / 40;
          const auto one = old.interval(a, b);
          const auto two = found.interval(a, b);
          const double scale = std::max(1e-12 * std::max(one.p, one.q), 1e-16);
          EXPECT_NEAR(two.p, one.p, scale + 1e-9 * one.p) << q << " " << mu << " " << i;
          EXPECT_NEAR(two.q, one.q, scale + 1e-9 * one.q) << q << " " << mu << " " << i;
        }
        const double tail = old.interval(0, infinity).p;
        EXPECT_NEAR(found.interval(0, infinity).p, tail, 1e-12);
      };
      for (const auto order : {pairs::Order::remove, pairs::Order::add}) {
        check(*pairs::poisson(pairs::gaussian(mu), q, order),
              *pairs::binomial_gaussian({mu, q, 1}, order));
      }
      check(*pairs::replaced_gaussian(mu, q), *pairs::replaced_binomial_gaussian({mu, q, 1}));
    }
  }
  // Stated or left out, one record is the same event, and the same bytes.
  EXPECT_EQ(units(.1, 1, 1), Event(PoissonSampled{.1, Gaussian{1}}));
  EXPECT_EQ(event_to_json(units(.1, 1, 1)).find("records"), std::string::npos);
}

/// The best of many tests does not separate two runs better than the pair: contributions of k
/// records in the plane, of length at most `step` each, any subset of which joins.
TEST(SampledUnits, NoPlacementOfRecordsBeatsThePair) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  struct Point {
    double x, y;
  };
  const auto placed = [&](std::int64_t k, double step) {
    std::vector<Point> sums{{0, 0}};
    for (std::int64_t j = 0; j < k; ++j) {
      const double angle = 2 * M_PI * uniform(random);
      // A third of the records at the bound, in one line as often as not.
      const double length = step * (uniform(random) < 0.3 ? 1 : uniform(random));
      const double direction = uniform(random) < 0.5 ? 0 : angle;
      const auto size = sums.size();
      for (std::size_t i = 0; i < size; ++i) {
        sums.push_back(
            {sums[i].x + length * std::cos(direction), sums[i].y + length * std::sin(direction)});
      }
    }
    return sums;
  };
  const auto law = [](const std::vector<Point>& sums, std::int64_t k, double q, double x,
                      double y) {
    double total = 0;
    for (std::size_t set = 0; set < sums.size(); ++set) {
      const auto joined = static_cast<double>(__builtin_popcountll(set));
      const double dx = x - sums[set].x;
      const double dy = y - sums[set].y;
      total += std::pow(q, joined) * std::pow(1 - q, static_cast<double>(k) - joined) *
               std::exp(-0.5 * (dx * dx + dy * dy));
    }
    return total / (2 * M_PI);
  };
  for (int round = 0; round < 30; ++round) {
    const auto k = static_cast<std::int64_t>(1 + random() % 3);
    const double q = 0.05 + 0.9 * uniform(random);
    const double step = 0.2 + 1.3 * uniform(random);
    const auto first = placed(k, step);
    const auto second = placed(k, step);
    const double epsilon = 1.5 * uniform(random);
    // Riemann sums of analytic functions over the plane converge beyond any power of the grid's
    // width; where they are cut at 0, to its square. What lies outside only lowers them.
    constexpr double width = 0.1;
    double removed = 0;
    double added = 0;
    double replaced = 0;
    for (double x = -6; x < 9; x += width) {
      for (double y = -6; y < 6; y += width) {
        const double p = law(first, k, q, x, y);
        const double other = law(second, k, q, x, y);
        const double none = law({{0, 0}}, 0, q, x, y);
        removed += std::max(0.0, p - std::exp(epsilon) * none);
        added += std::max(0.0, none - std::exp(epsilon) * p);
        replaced += std::max(0.0, p - std::exp(epsilon) * other);
      }
    }
    const auto event = units(q, 1 / (step * static_cast<double>(k)), k);
    const auto bound = [&](Adjacency adjacency) {
      return delta_interval(event, adjacency, Epsilon(epsilon)).upper;
    };
    const double cell = width * width;
    constexpr double rule = 2e-4;
    EXPECT_LE(removed * cell, bound(zero_out) + rule) << round;
    EXPECT_LE(added * cell, bound(zero_out) + rule) << round;
    EXPECT_LE(std::max(removed, added) * cell, bound(add_remove) + rule) << round;
    EXPECT_LE(replaced * cell, bound(replace_one) + rule) << round;
  }
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
TEST(SampledUnits, TheSmallestRatesStillCost) {
  for (const double rate : {1e-320, 1e-300}) {
    for (const std::int64_t k : {1, 2}) {
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
  EXPECT_THROW(units(.1, 1, privacy::most_records_a_unit + 1), base::UsageError);
  EXPECT_NO_THROW(units(.1, 1, privacy::most_records_a_unit));
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

TEST(SampledUnits, TheFileSaysHowManyRecords) {
  const Event event = Repeated{5, units(.25, 2, 3)};
  const auto text = event_to_json(event);
  EXPECT_NE(text.find("\"records_a_unit\":3"), std::string::npos);
  EXPECT_EQ(event_from_json(text), event);
  EXPECT_NE(event, Event(Repeated{5, units(.25, 2, 4)}));
  const auto with = [](const std::string& records) {
    return R"({"version":1,"event":{"kind":"poisson_sampled","rate":0.5,"records_a_unit":)" +
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
    counted[group->base->as<PoissonSampled>()->records_a_unit] += group->count;
  }
  EXPECT_EQ(counted[1], 40);
  EXPECT_EQ(counted[3], 40);
  EXPECT_GE(cost(*fewer, add_remove), cost(many, add_remove) * (1 - 2e-3));
}

}  // namespace sampled_units_test
}  // namespace tacet::accounting
