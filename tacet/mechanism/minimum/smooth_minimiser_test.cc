#include "tacet/mechanism/minimum/smooth_minimiser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/numeric/elementary.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism {
namespace smooth_minimiser_test {

using privacy::Adjacency;
using privacy::Epsilon;

/// One record: the slope of its loss.
using Slope = std::function<double(double)>;

SlopeSum sum_of(const std::vector<Slope>& records, SlopeRange range) {
  return {static_cast<std::int64_t>(records.size()),
          [records](double point, std::int64_t first, std::span<double> slopes) {
            for (std::size_t i = 0; i < slopes.size(); ++i) {
              slopes[i] = records[static_cast<std::size_t>(first) + i](point);
            }
          },
          std::move(range)};
}

/// Values in [0, 1] and their squared distances: slopes at x lie between x - 1 and x.
SlopeSum squared_distances(const std::vector<double>& values) {
  std::vector<Slope> records;
  for (const double s : values) records.emplace_back([s](double x) { return x - s; });
  return sum_of(records, {1, 1, [](double x) { return x; }});
}

std::vector<std::int64_t> scores_of(const SlopeSum& sum, const Grid& grid, std::int64_t radius) {
  const auto pulls = internal::pulls_of(sum, grid, radius);
  std::vector<std::int64_t> scores;
  for (std::int64_t j = 0; j <= grid.last(); ++j) scores.push_back(pulls(j).score());
  return scores;
}

struct Law {
  double normaliser = 0;  ///< times the step: an integral
  std::vector<double> below;
};
Law law_of(const SlopeSum& sum, const Grid& grid, std::int64_t radius, double rate) {
  Law law;
  for (const auto score : scores_of(sum, grid, radius)) {
    law.normaliser += std::exp(-rate * static_cast<double>(score));
    law.below.push_back(law.normaliser);
  }
  for (double& share : law.below) share /= law.normaliser;
  law.normaliser *= grid.step();
  return law;
}

// Reference values of the continuous laws computed at 12 digits; the grid has 2^16 points.
constexpr double tolerance = 1e-5;

TEST(SmoothMinimiserLaw, OfSquaredDistancesMatchesReferenceValues) {
  const auto sum = squared_distances({0.1, 0.2, 0.25, 0.4, 0.9});
  // hi - lo, the distance of two slopes, and not twice the steepest.
  EXPECT_NEAR(static_cast<double>(sum.sensitivity(Adjacency::replace_one)) * sum.unit(), 1, 1e-8);
  const Grid grid(0, 1, 0x1p-16);
  const double rate = 0.5 / static_cast<double>(sum.sensitivity(Adjacency::replace_one));
  const auto at = [](double x) { return static_cast<std::size_t>(std::llrint(x * 0x1p16)); };
  const auto sharp = law_of(sum, grid, 0, rate);
  EXPECT_NEAR(sharp.normaliser, .558584411298, tolerance);
  EXPECT_NEAR(sharp.below[at(.2)], .184207336153, tolerance);
  EXPECT_NEAR(sharp.below[at(.37)], .432141369304, tolerance);
  EXPECT_NEAR(sharp.below[at(.7)], .834418981191, tolerance);
  const auto wide = law_of(sum, grid, static_cast<std::int64_t>(at(.05)), rate);
  EXPECT_NEAR(wide.normaliser, .626440299116, tolerance);
  EXPECT_NEAR(wide.below[at(.2)], .186124204957, tolerance);
}

// Six logistic losses and a penalty; its share is added to each record's slope.
TEST(SmoothMinimiserLaw, OfLogisticLossesMatchesReferenceValues) {
  const std::vector<std::pair<double, double>> rows{{1, 1},  {-.5, 1},  {.8, -1},
                                                    {.3, 1}, {-.9, -1}, {.6, 1}};
  std::vector<Slope> records;
  for (const auto& [a, y] : rows) {
    records.emplace_back([z = a * y](double x) { return -z * numeric::sigmoid(-z * x) + 0.1 * x; });
  }
  const auto sum = sum_of(records, {1.5, 3, [](double) { return 1.5; }});
  const Grid grid(-2, 2, 0x1p-15);
  // The reference exponent is that of Gamma = 1.
  const auto law = law_of(sum, grid, 0, 0.5 * sum.unit());
  const auto at = [](double x) { return static_cast<std::size_t>(std::llrint((x + 2) * 0x1p15)); };
  EXPECT_NEAR(law.normaliser, 2.170577837344, 4 * tolerance);
  EXPECT_NEAR(law.below[at(-1)], .121906105941, tolerance);
  EXPECT_NEAR(law.below[at(0)], .351284625854, tolerance);
  EXPECT_NEAR(law.below[at(.5)], .540380931105, tolerance);
  EXPECT_NEAR(law.below[at(1)], .741924771697, tolerance);
  const auto scores = scores_of(sum, grid, 0);
  const auto best = std::min_element(scores.begin(), scores.end()) - scores.begin();
  EXPECT_NEAR(grid.point(best), .545945017346, 0x1p-15);
}

/// Slope of the squared, logistic or Huber loss of a x with a random row in [-1, 1] and label.
Slope random_slope(std::uint64_t kind, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> any(-1, 1);
  const bool extreme = generator() % 2 == 0;
  const double a = extreme ? std::copysign(1, any(generator)) : any(generator);
  const double y = extreme ? std::copysign(1, any(generator)) : any(generator);
  switch (kind) {
    case 0:
      return [=](double x) { return a * (a * x - y); };
    case 1:
      return [z = std::copysign(a, a * y)](double x) { return -z * numeric::sigmoid(-z * x); };
    default:
      return [=](double x) { return a * std::clamp(a * x - y, -0.25, 0.25); };
  }
}
SlopeRange range_of(std::uint64_t kind) {
  if (kind == 0) return {2, 4, [](double) { return 2.0; }};
  if (kind == 1) return {1, 2, [](double) { return 1.0; }};
  return {.25, .5, [](double) { return .25; }};
}

double worst_log_ratio(const SlopeSum& one, const SlopeSum& other, const Grid& grid,
                       std::int64_t radius, double rate, double rate_of_other = 0) {
  const auto log_law = [&](const SlopeSum& sum, double weight) {
    std::vector<double> law;
    double total = 0;
    for (const auto score : scores_of(sum, grid, radius)) {
      law.push_back(-weight * static_cast<double>(score));
      total += std::exp(law.back());
    }
    for (double& value : law) value -= std::log(total);
    return law;
  };
  const auto p = log_law(one, rate);
  const auto q = log_law(other, rate_of_other > 0 ? rate_of_other : rate);
  double worst = 0;
  for (std::size_t j = 0; j < p.size(); ++j) worst = std::max(worst, std::fabs(p[j] - q[j]));
  return worst;
}

TEST(SmoothMinimiserLaw, FourThousandNeighboursNeverBeatEpsilon) {
  const Grid grid(-1, 1, 0.03125);
  constexpr double epsilon = 1.7;
  double worst = 0;
  for (std::uint64_t trial = 0; trial < 4000; ++trial) {
    const auto adjacency = trial % 2 == 0 ? Adjacency::replace_one : Adjacency::add_remove;
    std::mt19937_64 generator(trial);
    const std::uint64_t kind = trial / 2 % 3;
    std::vector<Slope> records;
    for (std::uint64_t i = 0; i < trial % 7; ++i) records.push_back(random_slope(kind, generator));
    auto others = records;
    records.push_back(random_slope(kind, generator));
    if (adjacency == Adjacency::replace_one) others.push_back(random_slope(kind, generator));
    const auto one = sum_of(records, range_of(kind));
    const auto other = sum_of(others, range_of(kind));
    const double rate = 0.5 * epsilon / static_cast<double>(one.sensitivity(adjacency));
    worst = std::max(worst,
                     worst_log_ratio(one, other, grid, static_cast<std::int64_t>(trial % 3), rate));
  }
  EXPECT_LE(worst, epsilon * (1 + 1e-9));
  EXPECT_GT(worst, 0.4 * epsilon);
}

// A mechanism that took a narrower sensitivity would be caught by the search above.
TEST(SmoothMinimiserLaw, HalfTheSensitivityWouldBreakEpsilon) {
  const Grid grid(0, 1, 0.03125);
  const auto one = squared_distances({0, 0, 0});
  const auto other = squared_distances({0, 0, 1});
  const double rate = 0.5 / static_cast<double>(one.sensitivity(Adjacency::replace_one));
  EXPECT_LE(worst_log_ratio(one, other, grid, 0, rate), 1);
  EXPECT_GT(worst_log_ratio(one, other, grid, 0, 4 * rate), 1);
}

// An exponent that follows the records, such as epsilon less what rounding costs for their slopes,
// is no exponential mechanism: a thousandth of it breaks the bound at 4000 records.
TEST(SmoothMinimiserLaw, ExponentsThatFollowTheRecordsWouldBreakEpsilon) {
  const Grid grid(0, 1, 0.03125);
  std::vector<double> values(4000, 0);
  const auto one = squared_distances(values);
  values[0] = 1;
  const auto other = squared_distances(values);
  const double rate = 0.5 / static_cast<double>(one.sensitivity(Adjacency::replace_one));
  EXPECT_LE(worst_log_ratio(one, other, grid, 0, rate), 1);
  EXPECT_GT(worst_log_ratio(one, other, grid, 0, rate, rate * (1 - 1e-3)), 1);
}

// Scores are all that an answer depends on: records that pull alike, by however much they break
// their bounds, give the same answer from the same random bits.
TEST(SmoothMinimiser, AnswersDependOnScoresAlone) {
  const SlopeRange range{1, 2, [](double) { return 1.0; }};
  const auto answer = [&](double size) {
    const std::vector<Slope> records(50, [size](double x) { return x < 0.3 ? -size : size; });
    const auto sum = sum_of(records, range);
    random::SeededSource source(9);
    privacy::TrustingBudget budget(Adjacency::replace_one);
    const MinimiserQuery query{Grid(0, 1), Adjacency::replace_one};
    auto reservation =
        budget.reserve(minimiser_event(query, Epsilon(0.2)), {0.2, 0, Adjacency::replace_one});
    return release_minimiser(sum, query, Epsilon(0.2), {{}, source, reservation}).value();
  };
  for (const double size : {1.5, 1e10, 1e300}) EXPECT_EQ(answer(size), answer(2));
}

// No point is left out: exponents of thousands, where a weight as a double would be 0.
TEST(SmoothMinimiserLaw, NoPointIsLeftOutHoweverFarItLies) {
  const auto sum = squared_distances(std::vector<double>(4000, 0));
  const Grid grid(0, 1, 0x1p-10);
  const random::WideRatio rate{1, std::uint64_t{1} << 30};
  const auto pulls = internal::pulls_of(sum, grid, 0);
  const auto cells = internal::score_cells(pulls, grid.last(), sum.max_fall(), 0x1p-30);
  std::vector<random::WeightedLevel> envelope;
  std::int64_t highest = 0;
  for (const auto& cell : cells) {
    envelope.push_back({static_cast<std::uint64_t>(cell.end - cell.first), cell.lowest});
    highest = std::max(highest, cell.lowest);
  }
  EXPECT_EQ(std::exp(-0x1p-30 * static_cast<double>(highest)), 0);
  const random::ExponentialChoice choice(envelope, rate);
  for (std::size_t i = 0; i < envelope.size(); ++i) EXPECT_GE(choice.proposal(i), 1U);
}

// Slopes beyond their range, and what is no number, move the sum by no more than others do.
TEST(SmoothMinimiserLaw, HoldsForRecordsBeyondTheirBounds) {
  const Grid grid(0, 1, 0.03125);
  const SlopeRange range{1, 1, [](double x) { return x; }};
  const auto proper = [](double x) { return x - 0.5; };
  const std::vector<Slope> odd{[](double) { return std::nan(""); }, [](double) { return HUGE_VAL; },
                               [](double x) { return 1e300 * x; },
                               [](double) { return -HUGE_VAL; }};
  for (const auto& first : odd) {
    for (const auto& second : odd) {
      const auto one = sum_of({proper, first}, range);
      const auto other = sum_of({proper, second}, range);
      const double rate = 0.5 / static_cast<double>(one.sensitivity(Adjacency::replace_one));
      EXPECT_LE(worst_log_ratio(one, other, grid, 0, rate), 1 + 1e-9);
    }
  }
}

std::vector<Slope> many_slopes(std::uint64_t kind, int count) {
  std::mt19937_64 generator(kind);
  std::vector<Slope> records;
  for (int i = 0; i < count; ++i) records.push_back(random_slope(kind, generator));
  return records;
}

// What rejection needs: no score below that of its cell, and cells that cover the grid once.
TEST(ScoreCells, BoundEveryScoreAndCoverTheGridOnce) {
  for (std::uint64_t kind = 0; kind < 3; ++kind) {
    const auto sum = sum_of(many_slopes(kind, 40), range_of(kind));
    const Grid grid(-2, 2, 0x1p-9);
    for (const std::int64_t radius : {0, 1, 37, 2048}) {
      const auto scores = scores_of(sum, grid, radius);
      const auto pulls = internal::pulls_of(sum, grid, radius);
      for (const double rate : {1e-12, 1e-10, 1e-9, 1e-8, 1e-6}) {
        const auto cells = internal::score_cells(pulls, grid.last(), sum.max_fall(), rate);
        std::vector<int> covered(scores.size(), 0);
        double envelope = 0;
        double weight = 0;
        const auto best = *std::min_element(scores.begin(), scores.end());
        const auto share = [&](std::int64_t score) {
          return std::exp(-rate * static_cast<double>(score - best));
        };
        for (const auto& cell : cells) {
          envelope += static_cast<double>(cell.end - cell.first) * share(cell.lowest);
          for (auto j = static_cast<std::size_t>(cell.first);
               j < static_cast<std::size_t>(cell.end); ++j) {
            ++covered[j];
            ASSERT_GE(scores[j], cell.lowest);
            ASSERT_LE(scores[j], cell.highest);
            weight += share(scores[j]);
          }
        }
        EXPECT_EQ(covered, std::vector<int>(scores.size(), 1));
        EXPECT_LE(envelope, 1.5 * weight * (1 + 1e-9));
      }
    }
  }
}

// A hundred thousand draws against the law; a correct program exceeds this chi-square of 64 degrees
// of freedom once in 10^9.
TEST(SmoothMinimiser, DrawsFollowTheLaw) {
  const auto sum = sum_of(many_slopes(1, 30), range_of(1));
  const Grid grid(-8, 8, 0.25);
  constexpr random::WideRatio rate{1, std::uint64_t{1} << 32};
  const auto pulls = internal::pulls_of(sum, grid, 1);
  // Few cells: rejection has to do the work.
  const auto cells = internal::score_cells(pulls, grid.last(), sum.max_fall(), 0x1p-34);
  ASSERT_LT(cells.size(), 33U);
  const auto law = law_of(sum, grid, 1, 0x1p-32);
  random::SeededSource source(5);
  random::Stream stream(source.claim(random::Purpose::selection, 0, 0));
  constexpr int draws = 100'000;
  std::vector<double> counts(static_cast<std::size_t>(grid.last()) + 1, 0);
  for (int i = 0; i < draws; ++i) {
    ++counts[static_cast<std::size_t>(internal::draw_point(pulls, cells, rate, stream))];
  }
  double chi_square = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const double expected = draws * (law.below[j] - (j > 0 ? law.below[j - 1] : 0));
    ASSERT_GT(expected, 20);
    chi_square += (counts[j] - expected) * (counts[j] - expected) / expected;
  }
  EXPECT_LT(chi_square, 151);
}

double minimiser(const SlopeSum& sum, const MinimiserQuery& query, double epsilon) {
  random::SeededSource source(1);
  privacy::TrustingBudget budget(query.adjacency);
  auto reservation =
      budget.reserve(minimiser_event(query, Epsilon(epsilon)), {epsilon, 0, query.adjacency});
  return release_minimiser(sum, query, Epsilon(epsilon), {{}, source, reservation}).value();
}

TEST(SmoothMinimiser, IsTheExactOneAtALargeEpsilon) {
  std::vector<double> values;
  for (int i = 0; i < 101; ++i) values.push_back(1e-4 * i * i);
  const double mean = 0.335;
  // 2^40 points, of which a few score 0 at so large an epsilon.
  EXPECT_NEAR(minimiser(squared_distances(values), {Grid(0, 1), Adjacency::replace_one}, 1e6), mean,
              1e-6);
  // A minimiser at the boundary counts as one.
  const auto falling = sum_of(std::vector<Slope>(50, [](double) { return -1.0; }),
                              {1, 2, [](double) { return 1.0; }});
  EXPECT_EQ(minimiser(falling, {Grid(0, 1, 0.25), Adjacency::add_remove}, 1e5), 1);
}

// The number of passes over the records is what a draw costs.
TEST(SmoothMinimiser, TakesFewPassesWhateverTheScale) {
  for (const double epsilon : {1e-3, 1.0, 1e3}) {
    std::int64_t passes = 0;
    const SlopeSum sum(
        1000,
        [&](double point, std::int64_t first, std::span<double> slopes) {
          if (first == 0) ++passes;
          for (std::size_t i = 0; i < slopes.size(); ++i) {
            slopes[i] = point - 1e-3 * static_cast<double>(first + static_cast<std::int64_t>(i));
          }
        },
        {1, 1, [](double x) { return x; }});
    (void)minimiser(sum, {Grid(0, 1), Adjacency::replace_one}, epsilon);
    EXPECT_LT(passes, 200) << epsilon;
  }
}

TEST(SmoothMinimiser, RefusesWhatMakesNoSense) {
  const auto none = [](double, std::int64_t, std::span<double>) {};
  const auto top = [](double) { return 1.0; };
  EXPECT_THROW(SlopeSum(1, none, {0, 1, top}), base::UsageError);
  EXPECT_THROW(SlopeSum(1, none, {1, 3, top}), base::UsageError);
  EXPECT_THROW(SlopeSum(1, none, {HUGE_VAL, 1, top}), base::UsageError);
  EXPECT_THROW(SlopeSum(-1, none, {1, 1, top}), base::UsageError);
  const SlopeSum sum(0, none, {1, 1, top});
  EXPECT_THROW((void)minimiser(sum, {Grid(0, 1), Adjacency::replace_one, -1}, 1), base::UsageError);
  const double any = minimiser(sum, {Grid(0, 1), Adjacency::replace_one}, 1);
  EXPECT_TRUE(any >= 0 && any <= 1);
}

}  // namespace smooth_minimiser_test
}  // namespace tacet::mechanism
