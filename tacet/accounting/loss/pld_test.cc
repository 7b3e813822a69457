#include "tacet/accounting/loss/pld.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/grid_level.h"
#include "tacet/accounting/loss/grid_sum.h"
#include "tacet/base/error.h"

namespace tacet::accounting {
namespace pld_test {

constexpr auto add_remove = Adjacency::add_remove;

/// delta of one Laplace release at any real epsilon, `end` the pure epsilon.
double laplace_delta(double end, double epsilon) {
  if (epsilon >= end) return 0;
  return epsilon < -end ? -std::expm1(epsilon) : -std::expm1((epsilon - end) / 2);
}

/// delta of two releases: the expectation of one's profile over the other's loss.
double two_laplace_delta(double end, double epsilon) {
  double sum = 0.5 * laplace_delta(end, epsilon - end) +
               0.5 * std::exp(-end) * laplace_delta(end, epsilon + end);
  // The integrand has kinks where epsilon - s = +-end.
  std::vector<double> knots{-end, end};
  for (const double kink : {epsilon - end, epsilon + end}) {
    if (std::fabs(kink) < end) knots.push_back(kink);
  }
  std::sort(knots.begin(), knots.end());
  constexpr int pieces = 2000;
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double h = (knots[k + 1] - knots[k]) / pieces;
    for (int i = 0; i <= pieces; ++i) {
      const double s = knots[k] + h * i;
      const double weight = i == 0 || i == pieces ? 1 : (i % 2 == 1 ? 4 : 2);
      sum += weight * h / 3 * 0.25 * std::exp((s - end) / 2) * laplace_delta(end, epsilon - s);
    }
  }
  return sum;
}

std::vector<pld::Component> laplace_releases(double end, std::int64_t count) {
  std::vector<pld::Component> parts;
  parts.push_back({pairs::laplace(1 / end), count});
  return parts;
}

TEST(Pld, BracketsOneLaplaceReleaseAtEveryScale) {
  for (const double end : {1e-3, 1.0, 33.3, 400.0, 1e6}) {
    const auto parts = laplace_releases(end, 1);
    for (const double delta : {1e-2, 1e-5, 1e-12}) {
      const double exact = end + 2 * std::log1p(-delta);
      const auto bracket = pld::epsilon_bracket(parts, delta);
      EXPECT_LE(bracket.lower, std::max(exact, 0.0)) << end << " " << delta;
      EXPECT_GE(bracket.upper, exact) << end << " " << delta;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-6 * bracket.upper) << end << " " << delta;
    }
  }
}

TEST(Pld, BracketsTwoLaplaceReleases) {
  for (const double end : {0.05, 1.0, 10.0, 33.3}) {
    const auto parts = laplace_releases(end, 2);
    for (const double share : {0.1, 0.5, 0.9, 0.99, 0.9999}) {
      const double epsilon = 2 * end * share;
      const double exact = two_laplace_delta(end, epsilon);
      const auto bracket = pld::delta_bracket(parts, epsilon);
      EXPECT_LE(bracket.lower, exact * (1 + 1e-8)) << end << " " << share;
      EXPECT_GE(bracket.upper, exact * (1 - 1e-8)) << end << " " << share;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-3 * bracket.upper) << end << " " << share;
    }
    for (const double delta : {1e-2, 1e-5, 1e-9}) {
      const auto bracket = pld::epsilon_bracket(parts, delta);
      EXPECT_GT(bracket.lower, 0) << end << " " << delta;
      EXPECT_GE(two_laplace_delta(end, bracket.lower), delta * (1 - 1e-6)) << end << " " << delta;
      EXPECT_LE(two_laplace_delta(end, bracket.upper), delta * (1 + 1e-6)) << end << " " << delta;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-3 * bracket.upper) << end << " " << delta;
    }
  }
}

/// Upper ends over a grid of settings, each computed once, grow with the rate and the steps and
/// fall with the noise and delta; neighbours differ by more than an interval is wide.
void check_monotone(const std::vector<double>& rates, const std::vector<double>& noises,
                    const std::vector<std::int64_t>& counts, const std::vector<double>& deltas,
                    double tolerance) {
  const std::size_t steps_of[] = {noises.size() * counts.size() * deltas.size(),
                                  counts.size() * deltas.size(), deltas.size(), 1};
  std::vector<double> upper;
  for (const double q : rates) {
    for (const double sigma : noises) {
      for (const auto count : counts) {
        for (const double delta : deltas) {
          const Event event = Repeated{count, PoissonSampled{q, Gaussian{sigma}}};
          upper.push_back(
              epsilon_interval(event, add_remove, Delta(delta), {.tolerance = tolerance}).upper);
        }
      }
    }
  }
  const std::size_t sizes[] = {rates.size(), noises.size(), counts.size(), deltas.size()};
  for (std::size_t i = 0; i < upper.size(); ++i) {
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const std::size_t place = i / steps_of[axis] % sizes[axis];
      if (place + 1 == sizes[axis]) continue;
      const double here = upper[i];
      const double next = upper[i + steps_of[axis]];
      const bool grows = axis != 1;  // deltas fall along their axis
      EXPECT_LE(grows ? here : next, (grows ? next : here) * (1 + tolerance))
          << "setting " << i << ", axis " << axis;
    }
  }
}

TEST(Pld, HeavyTailsOfRareRecordsKeepTheirWidth) {
  const auto interval = epsilon_interval(Repeated{1000000, PoissonSampled{1e-5, Gaussian{0.8}}},
                                         add_remove, Delta(1e-12));
  EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper);
}

TEST(Pld, RarestRecordsHaveNarrowIntervalsAtSmallDeltas) {
  // One large loss alone makes up delta. Reference: T q times the tail of one use at epsilon,
  // within what the others add.
  const Event event = Repeated{1000000, PoissonSampled{1e-7, Gaussian{0.5}}};
  const auto interval = epsilon_interval(event, add_remove, Delta(1e-10));
  EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper);
  const auto one = pairs::poisson(pairs::gaussian(2), 1e-7, pairs::Order::remove);
  const auto m = one->interval(interval.upper, HUGE_VAL);
  const double alone = -1e6 * m.p * std::expm1(interval.upper - m.log_ratio);
  EXPECT_GE(alone, 0.8e-10);
  EXPECT_LE(alone, 1.01e-10);
}

TEST(Pld, RareLaplaceReleasesHaveNarrowIntervals) {
  // Losses of 1e-13 to 10, masses of their own at both ends.
  struct Case {
    double rate, noise;
    std::int64_t steps;
    double delta;
  };
  for (const auto& c : {Case{1e-4, 0.5, 10, 1e-9}, Case{1e-4, 0.5, 10, 1e-12},
                        Case{1e-9, 0.1, 10, 1e-12}, Case{1e-9, 0.5, 100000, 1e-12},
                        Case{1e-4, 0.1, 100000, 1e-12}, Case{1e-9, 2, 100000, 1e-12},
                        Case{1e-9, 1000, 100000, 1e-12}, Case{1e-4, 1e9, 100000, 1e-12}}) {
    const Event event = Repeated{c.steps, PoissonSampled{c.rate, Laplace{c.noise}}};
    const auto interval = epsilon_interval(event, add_remove, Delta(c.delta));
    EXPECT_GT(interval.lower, 0) << c.rate << " " << c.noise;
    EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper) << c.rate << " " << c.noise;
  }
  // So little that delta alone covers it.
  const Event nothing = Repeated{100000, PoissonSampled{1e-9, Laplace{1e9}}};
  EXPECT_EQ(epsilon_interval(nothing, add_remove, Delta(1e-12)).upper, 0);
}

TEST(PldLong, HeavyTailsOfRareRecordsKeepTheirWidth) {
  // One record in 100,000 a step: large losses are too rare for a normal law and too heavy for a
  // tilt. The intervals of neighbouring settings must be in order, and narrow.
  double last = HUGE_VAL;
  for (const double sigma : {0.7, 0.8, 1.0}) {
    const auto interval = epsilon_interval(Repeated{1000000, PoissonSampled{1e-5, Gaussian{sigma}}},
                                           add_remove, Delta(1e-12));
    EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper) << sigma;
    EXPECT_LT(interval.upper, last) << sigma;
    last = interval.lower;
  }
  const auto deepest = epsilon_interval(Repeated{1000000, PoissonSampled{1e-5, Gaussian{1}}},
                                        add_remove, Delta(1e-30));
  EXPECT_LE(deepest.upper - deepest.lower, 1e-3 * deepest.upper);
}

TEST(Accountant, MonotoneOnAGrid) {
  check_monotone({1e-3, 1e-2, 0.2}, {0.7, 1.2}, {100, 5000}, {1e-5, 1e-12}, 1e-3);
}
TEST(AccountantLong, MonotoneOnADenseGrid) {
  check_monotone({1e-3, 1.1e-3, 1e-2, 1.1e-2, 0.2, 0.25}, {0.7, 0.75, 1.2, 1.3},
                 {100, 120, 5000, 6000}, {1e-5, 5e-6, 1e-12}, 1e-4);
}

TEST(Accountant, FixedSizeSamplesHaveAnAttainedLowerEndOfTheirOwn) {
  // All other records at -C: the sampled record moves the sum of its sample by 2C (reference value
  // of an independent program for that pair).
  const Event event = Repeated{1000, FixedSizeSampled{1, 100, Gaussian{2}}};
  const auto interval = epsilon_interval(event, Adjacency::replace_one, Delta(1e-5),
                                         {.tolerance = 1e-4, .attained = true});
  EXPECT_FALSE(interval.lower_is_attained);
  EXPECT_NEAR(interval.attained, 1.82823873, 3e-4);
  EXPECT_GT(interval.lower, 2.19);
  // A record against one that contributes nothing moves it by C only.
  const auto zeroed = epsilon_interval(event, Adjacency::zero_out, Delta(1e-5), {.attained = true});
  EXPECT_GT(zeroed.attained, 0);
  EXPECT_LT(zeroed.attained, interval.attained);
  // Replaced under Poisson sampling: two opposite records meet the pair, which costs more than
  // adding.
  const Event poisson = Repeated{1000, PoissonSampled{0.01, Gaussian{1}}};
  const auto replaced =
      epsilon_interval(poisson, Adjacency::replace_one, Delta(1e-5), {.attained = true});
  const auto added = epsilon_interval(poisson, add_remove, Delta(1e-5));
  EXPECT_TRUE(replaced.lower_is_attained);
  EXPECT_EQ(replaced.attained, replaced.lower);
  EXPECT_GT(replaced.attained, 1.5 * added.upper);
}

TEST(Accountant, ExactQuotientsStayExact) {
  EXPECT_EQ(epsilon_interval(Laplace{10}, add_remove, Delta(0)).upper, 0.1);
  EXPECT_EQ(epsilon_interval(Repeated{3, Laplace{4}}, add_remove, Delta(0)).upper, 0.75);
  EXPECT_EQ(epsilon_interval(Laplace{3}, add_remove, Delta(0)).upper, std::nextafter(1 / 3., 1));
  EXPECT_TRUE(epsilon_interval(Laplace{3}, add_remove, Delta(0)).lower_is_attained);
}

// Every input has an answer: an interval in order, never a crash and never an interval of ends that
// contradict each other.
void check_extremes(std::initializer_list<double> noises, std::initializer_list<double> rates) {
  for (const double noise : noises) {
    for (const double rate : rates) {
      for (const std::int64_t steps : {1, 10, 100000}) {
        for (const double delta : {1e-2, 1e-12}) {
          for (const Event& base : {Event(Gaussian{noise}), Event(Laplace{noise})}) {
            const Event event = Repeated{steps, PoissonSampled{rate, base}};
            const auto interval = epsilon_interval(event, add_remove, Delta(delta));
            EXPECT_LE(interval.lower, interval.upper) << event_to_json(event);
            EXPECT_FALSE(std::isnan(interval.upper)) << event_to_json(event);
            if (interval.upper > 0 && interval.lower_is_attained) {
              EXPECT_GT(interval.lower, 0) << event_to_json(event);
            }
          }
        }
      }
    }
  }
}

TEST(Accountant, ExtremeNoisesAndRatesHaveAnAnswer) { check_extremes({1e-6, 3e-2, 1e5}, {0.3}); }
TEST(AccountantLong, ExtremeNoisesAndRatesHaveAnAnswer) {
  check_extremes({1e-9, 1e-4, 0.1, 0.5, 2, 1e3, 1e9}, {1e-9, 1e-4, 0.99, 1});
}

// The far atoms of a list of losses have masses whose ratio nobody knows. Where one joined a cell
// of unknown ratio, delta came out as 0.
TEST(Pld, SampledDiscreteGaussiansFollowTheContinuousOnes) {
  const auto epsilon_of = [](const Event& base) {
    const Event event = Repeated{1000, PoissonSampled{0.5, base}};
    return epsilon_interval(event, Adjacency::add_remove, Delta(1e-5)).upper;
  };
  for (const double sigma : {19.0, 20.0, 25.0, 31.0, 100.0}) {
    const double discrete = epsilon_of(DiscreteGaussian{sigma, 1, 1});
    EXPECT_NEAR(discrete / epsilon_of(Gaussian{sigma}), 1, 0.003) << sigma;
  }
  const Event often = Repeated{10, PoissonSampled{0.9999996929, DiscreteGaussian{15.486, 2, 1}}};
  EXPECT_GT(delta_interval(often, Adjacency::zero_out, Epsilon(0.5)).upper, 0.027);
}

// The smallest loss, log(1 - q), lies ten standard deviations below the others here: next to it
// stand masses of 10^-295, whose ratio is unknown and whose error may not move every loss.
TEST(Pld, MassesNextToNothingDoNotWidenIntervals) {
  for (const auto& [q, steps] : {std::pair{0.1, 10'000}, {0.01, 100'000}}) {
    const Event event = Repeated{steps, PoissonSampled{q, Gaussian{10}}};
    const auto interval = epsilon_interval(event, Adjacency::add_remove, Delta(1e-5));
    EXPECT_LE(interval.upper, interval.lower * (1 + 1e-3)) << q;
  }
}

// Seven such uses alone are beyond what the sum resolves; they are a part of twenty.
void check_few_rare_uses(std::initializer_list<std::int64_t> uses) {
  double last = 0;
  for (const std::int64_t steps : uses) {
    const Event event = Repeated{steps, PoissonSampled{1e-9, Gaussian{0.5}}};
    const double upper = epsilon_interval(event, Adjacency::add_remove, Delta(1e-30)).upper;
    EXPECT_GE(upper, last) << steps;
    EXPECT_LT(upper, 1.1) << steps;
    last = upper;
  }
}

TEST(Pld, FewRareUsesCostNoMoreThanMoreOfThem) { check_few_rare_uses({2, 7}); }
TEST(PldLong, FewRareUsesCostNoMoreThanMoreOfThem) { check_few_rare_uses({2, 7, 20}); }

}  // namespace pld_test
}  // namespace tacet::accounting
