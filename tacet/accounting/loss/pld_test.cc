#include "tacet/accounting/loss/pld.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

TEST(Pld, LowerGridStaysBelowTheProfileOfItsPair) {
  // Losses far from 0, where 1 - e^-loss rounds to 1, must not raise the merged ratios.
  for (const double end : {0.01, 1.0, 33.3, 700.0}) {
    for (const bool sampled : {false, true}) {
      auto pair = pairs::laplace(1 / end);
      if (sampled) pair = pairs::poisson(std::move(pair), 0.2, pairs::Order::remove);
      const auto moments = pld::loss_moments(*pair, -40);
      const auto cells = pld::make_cells(*pair, moments.spread / 7, -60, {moments, true, 0});
      const auto lower = pld::lower_grid(cells);
      const auto upper = pld::upper_grid(cells);
      for (int i = 1; i < 20; ++i) {
        const double epsilon = pair->lowest() + i * 0.05 * (pair->highest() - pair->lowest());
        const auto m = pair->interval(epsilon, HUGE_VAL);
        const double exact = -m.p * std::expm1(epsilon - m.log_ratio);
        const auto delta = [&](const pld::LossGrid& grid) {
          double sum = grid.infinite;
          for (std::size_t j = 0; j < grid.mass.size(); ++j) {
            const double loss = grid.offset + static_cast<double>(grid.index[j]) * grid.step;
            if (loss > epsilon) sum -= grid.mass[j] * std::expm1(epsilon - loss);
          }
          return sum;
        };
        EXPECT_LE(delta(lower), exact * (1 + 1e-10)) << end << " " << sampled << " " << i;
        EXPECT_GE(delta(upper), exact * (1 - 1e-10)) << end << " " << sampled << " " << i;
      }
    }
  }
}

TEST(Pld, BothGridsKeepAHeavyTailOnWideIntervals) {
  // Steps far beyond the spread of the losses, intervals that double: the upper tail falls by more
  // from one to the next than a bucket that starts below could make up for.
  const auto pair = pairs::poisson(pairs::gaussian(2), 1e-7, pairs::Order::remove);
  const auto moments = pld::loss_moments(*pair, -40);
  const auto cells = pld::make_cells(*pair, 4.6e-6, -60, {moments, false, 13});
  const auto lower = pld::lower_grid(cells);
  const auto upper = pld::upper_grid(cells);
  for (const double epsilon : {1e-4, 1e-3, 1e-2, 0.1, 1.0}) {
    const auto delta = [&](const pld::LossGrid& grid) {
      double sum = 0;
      for (std::size_t j = 0; j < grid.mass.size(); ++j) {
        const double loss = grid.offset + static_cast<double>(grid.index[j]) * grid.step;
        if (loss > epsilon) sum -= grid.mass[j] * std::expm1(epsilon - loss);
      }
      return sum;
    };
    const auto m = pair->interval(epsilon, HUGE_VAL);
    const double exact = -m.p * std::expm1(epsilon - m.log_ratio);
    EXPECT_LE(delta(lower), exact * (1 + 1e-9)) << epsilon;
    EXPECT_GE(delta(lower), exact * 0.5) << epsilon;
    EXPECT_GE(delta(upper), exact * (1 - 1e-9)) << epsilon;
    EXPECT_LE(delta(upper), exact * 2) << epsilon;
  }
}

TEST(Pld, LossesOfTinyRatesKeepTheirRelativePrecision) {
  // E[1 - e^-L] = 0; a loss rounded as a number near the base's would miss that by 1e-6 spreads.
  for (const double q : {1e-9, 1e-4}) {
    for (const bool subset : {false, true}) {
      const auto pair = subset ? pairs::fixed_size(pairs::gaussian(1e-3), q)
                               : pairs::poisson(pairs::gaussian(1e-3), q, pairs::Order::remove);
      const auto moments = pld::loss_moments(*pair, -40);
      const auto cells =
          pld::make_cells(*pair, moments.spread / 30, -60, {{0, moments.spread}, true, 0});
      double mean = 0;
      for (std::size_t i = 0; i < cells.p.size(); ++i) {
        mean -= cells.p[i] * std::expm1(-cells.log_ratio[i]);
      }
      EXPECT_LE(std::fabs(mean), 1e-10 * moments.spread) << q << " " << subset;
    }
  }
}

pld::Component sampled_gaussian(double q, double sigma, std::int64_t steps,
                                pairs::Order order = pairs::Order::remove) {
  auto base = pairs::gaussian(1 / sigma);
  if (q == 1) return {std::move(base), steps};
  return {pairs::poisson(std::move(base), q, order), steps};
}

TEST(Pld, AnyTiltGivesTheSameDelta) {
  struct Case {
    double q, sigma;
    std::int64_t steps;
    double epsilon, step;
  };
  for (const auto& c : {Case{0.05, 4, 1000, 1, 2e-4}, Case{1, 10, 100, 4, 1e-2},
                        Case{0.2, 3, 50, 1, 4e-3}, Case{0.01, 2, 10000, 1, 1e-4}}) {
    const auto part = sampled_gaussian(c.q, c.sigma, c.steps);
    const auto moments = pld::loss_moments(*part.pair, -40);
    const std::vector<pld::Resolution> resolutions{{moments, false, 30}};
    pld::GridLevel level(std::span(&part, 1), {c.step, -60, resolutions}, 21);
    const double saddle = level.tilt_for_mean(c.epsilon);
    EXPECT_GT(saddle, 0);
    // Half way between what round-off and wrapping may add to and take from the upper sum.
    std::vector<double> upper;
    for (const double theta : {0.5 * saddle, saddle, 2 * saddle}) {
      level.tilt(theta, {c.epsilon, c.epsilon});
      upper.push_back(level.log_delta_above(c.epsilon) - 0.5 * level.round_off_at(c.epsilon));
    }
    EXPECT_NEAR(upper[0], upper[1], 1e-6) << c.q << " " << c.steps;
    EXPECT_NEAR(upper[2], upper[1], 1e-6) << c.q << " " << c.steps;
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

TEST(Pld, TakingLargeLossesApartChangesNothing) {
  // Where a tilt works too, both ways bracket the same number.
  const auto part = sampled_gaussian(1e-3, 0.8, 1000);
  const auto moments = pld::loss_moments(*part.pair, -40);
  const std::vector<pld::Resolution> resolutions{{moments, false, 20}};
  for (const double epsilon : {0.3, 1.0, 2.0}) {
    pld::GridLevel level(std::span(&part, 1), {2e-4, -45, resolutions}, 21);
    level.tilt(level.tilt_for_mean(epsilon), {epsilon, epsilon});
    const double above = level.log_delta_above(epsilon);
    const double below = level.log_delta_below(epsilon);
    ASSERT_TRUE(level.split(above, 1e-4)) << epsilon;
    level.tilt(0.8 * level.tilt_of_small(epsilon), {epsilon, epsilon});
    EXPECT_GE(level.log_delta_above(epsilon), below) << epsilon;
    EXPECT_LE(level.log_delta_below(epsilon), above) << epsilon;
    EXPECT_NEAR(level.log_delta_above(epsilon), above, 2e-4) << epsilon;
    EXPECT_NEAR(level.log_delta_below(epsilon), below, 2e-4) << epsilon;
  }
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

// 1 - q + q e^s of rates next to 1 is a small difference of numbers next to 1.
TEST(Pairs, RatesNextToOneKeepTheDigitsOfTheirLosses) {
  const double q = 1 - 0x1p-30;
  const auto pair = pairs::poisson(pairs::gaussian(4), q, pairs::Order::remove);
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

// An infinite loss of chance p in each of 1000 uses: the lower end may not count more than there
// is.
TEST(Pld, LowerEndsCountNoMoreInfiniteLossThanThereIs) {
  std::vector<pld::CountedGrid> parts;
  pld::LossGrid grid;
  grid.step = 1;
  grid.index = {0};
  grid.infinite = 0.25;
  grid.mass = {0.75};
  parts.push_back({grid, 2});
  const pld::GridSum sum(parts);
  EXPECT_LT(sum.infinite_mass(pld::End::below), 0.4375);
  EXPECT_GT(sum.infinite_mass(pld::End::above), 0.4375);
  EXPECT_NEAR(sum.infinite_mass(pld::End::below), 0.4375, 1e-11);
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

// Near epsilon 0, where e^epsilon has few digits of it left.
TEST(Pairs, ProfilesNeverShrink) {
  for (const double epsilon : {3e-16, 1.2e-14, 1e-9, 0.5, 30.0}) {
    const auto pair = pairs::profile({{epsilon, 0}});
    EXPECT_GE(pair->highest(), epsilon);
    EXPECT_LE(pair->highest(), epsilon * (1 + 1e-12) + 2e-15);
    EXPECT_LE(pair->lowest(), -epsilon);
  }
}

// The smallest loss, log(1 - q), lies ten deviations below the others here: next to it stand masses
// of 10^-295, whose ratio is unknown and whose error may not move every loss.
TEST(Pld, MassesNextToNothingDoNotWidenIntervals) {
  for (const auto& [q, steps] : {std::pair{0.1, 10'000}, {0.01, 100'000}}) {
    const Event event = Repeated{steps, PoissonSampled{q, Gaussian{10}}};
    const auto interval = epsilon_interval(event, Adjacency::add_remove, Delta(1e-5));
    EXPECT_LE(interval.upper, interval.lower * (1 + 1e-3)) << q;
  }
}

// Seven such uses alone are beyond what the sum resolves; they are a part of twenty.
TEST(Pld, FewRareUsesCostNoMoreThanMoreOfThem) {
  double last = 0;
  for (const std::int64_t steps : {2, 7, 20}) {
    const Event event = Repeated{steps, PoissonSampled{1e-9, Gaussian{0.5}}};
    const double upper = epsilon_interval(event, Adjacency::add_remove, Delta(1e-30)).upper;
    EXPECT_GE(upper, last) << steps;
    EXPECT_LT(upper, 1.1) << steps;
    last = upper;
  }
}

}  // namespace pld_test
}  // namespace tacet::accounting
