#include "tacet/data/encode/curve_directions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/base/sha256.h"
#include "tacet/data/encode/curve_map.h"
#include "tacet/data/schema/number_text.h"

namespace tacet::data {
namespace curve_directions_test {

Curves small_curves(std::int64_t directions) {
  Curves curves;
  curves.share = 0.4;
  curves.directions = directions;
  curves.frequencies = 60;
  return curves;
}

/// A simulated record: normal numbers, uniform categories. The numbers are independent, or all of
/// them have this correlation.
CurvePoint simulated(const CurveShape& shape, std::mt19937_64& random, double correlation = 0) {
  std::normal_distribution<double> normal;
  CurvePoint point;
  const double common = normal(random);
  for (std::int64_t k = 0; k < shape.numbers; ++k) {
    const double z = std::sqrt(correlation) * common + std::sqrt(1 - correlation) * normal(random);
    point.numbers.push_back(std::clamp(z, -3.0, 3.0));
  }
  std::int64_t first = 0;
  for (const auto count : shape.levels) {
    point.levels.push_back(first +
                           std::uniform_int_distribution<std::int64_t>(0, count - 1)(random));
    first += count;
  }
  return point;
}

/// The whitening of numbers that all have this correlation, but for a factor.
std::vector<double> whitening_of(std::int64_t numbers, double correlation) {
  // The root of (1 - c) I + c J, inverted: along (1, ..., 1) and across.
  const auto count = static_cast<double>(numbers);
  const double across = 3 / std::sqrt(1 - correlation);
  const double along = 3 / std::sqrt(1 - correlation + count * correlation);
  std::vector<double> whitening;
  for (std::int64_t i = 0; i < numbers; ++i) {
    for (std::int64_t j = 0; j < numbers; ++j) {
      whitening.push_back((along - across) / count + (i == j ? across : 0));
    }
  }
  return whitening;
}

// The moments are in closed form; a sample of the law they are of has the same. 40,000 records:
// the mean square is within 2 % but once in 10^9.
TEST(CurveDirections, HaveTheEnergyAndNoLineThatTheirClosedFormsSay) {
  base::ThreadPool threads(2);
  struct Law {
    CurveShape shape;
    double correlation;
  };
  for (const auto& [shape, correlation] :
       {Law{{.numbers = 3}, 0}, Law{{.numbers = 1}, 0}, Law{{.numbers = 2, .levels = {3, 2}}, 0},
        Law{{.numbers = 3}, 0.8}, Law{{.numbers = 2, .levels = {3, 2}}, 0.6}}) {
    auto asked = small_curves(25);
    asked.whitening = whitening_of(shape.numbers, correlation);
    const auto curves = with_directions(asked, shape, threads);
    const CurveMap map(curves, shape);
    std::mt19937_64 random(7);
    std::vector<float> out(map.directions());
    double square = 0;
    std::vector<double> mean(map.directions());
    std::vector<double> slope(map.directions());
    std::vector<double> level(map.directions());
    constexpr int records = 40000;
    for (int k = 0; k < records; ++k) {
      const auto point = simulated(shape, random, correlation);
      map.apply({&point, 1}, out);
      for (std::size_t d = 0; d < out.size(); ++d) {
        const double value = out[d];
        square += value * value / records;
        mean[d] += value / records;
        slope[d] += value * point.numbers[0] / records;
        if (!point.levels.empty() && point.levels[0] == 0) level[d] += value / records;
      }
    }
    EXPECT_NEAR(square, curves.energy, 0.02 * curves.energy);
    for (std::size_t d = 0; d < out.size(); ++d) {
      EXPECT_NEAR(mean[d], 0, 0.01);
      EXPECT_NEAR(slope[d], 0, 0.01);
      EXPECT_NEAR(level[d], 0, 0.01);
    }
  }
}

TEST(CurveDirections, ExplainMostOfWhatALineLeaves) {
  base::ThreadPool threads(1);
  const CurveShape shape{.numbers = 2};
  double before = 0;
  for (const std::int64_t count : {5, 20, 60}) {
    const double energy = with_directions(small_curves(count), shape, threads).energy;
    EXPECT_GT(energy, before);
    before = energy;
  }
  EXPECT_LT(before, 1);  // that of all functions together with their line
}

/// Mean square of a map's curves less the best line, of records whose two numbers have this
/// correlation.
double square_beside_line(const CurveMap& map, double correlation) {
  constexpr int records = 20000;
  std::mt19937_64 random(8);
  const std::size_t directions = map.directions();
  std::vector<float> out(directions);
  std::vector<double> mean(directions);
  std::vector<double> sum(directions);         // of products with z0 + z1
  std::vector<double> difference(directions);  // with z0 - z1, which is independent of it
  double square = 0;
  for (int k = 0; k < records; ++k) {
    const auto point = simulated(CurveShape{.numbers = 2}, random, correlation);
    map.apply({&point, 1}, out);
    for (std::size_t d = 0; d < directions; ++d) {
      const double value = out[d];
      square += value * value / records;
      mean[d] += value / records;
      sum[d] += value * (point.numbers[0] + point.numbers[1]) / records;
      difference[d] += value * (point.numbers[0] - point.numbers[1]) / records;
    }
  }
  for (std::size_t d = 0; d < directions; ++d) {
    square -= mean[d] * mean[d] + sum[d] * sum[d] / (2 + 2 * correlation) +
              difference[d] * difference[d] / (2 - 2 * correlation);
  }
  return square;
}

TEST(CurveDirections, SayMoreOfTheRecordsThatTheyAreMadeFor) {
  base::ThreadPool threads(1);
  const CurveShape shape{.numbers = 2};
  for (const double correlation : {0.0, 0.9}) {
    auto asked = small_curves(8);
    asked.whitening = whitening_of(shape.numbers, correlation);
    const auto own = with_directions(asked, shape, threads);
    asked.whitening = whitening_of(shape.numbers, 0.9 - correlation);
    const auto other = with_directions(asked, shape, threads);
    const double square = square_beside_line(CurveMap(own, shape), correlation);
    EXPECT_NEAR(square, own.energy, 0.03 * own.energy);
    EXPECT_GT(square, 1.05 * square_beside_line(CurveMap(other, shape), correlation));
  }
}

TEST(CurveDirections, AreThoseOfIndependentNumbersWhereWhiteningTakesNothingOff) {
  base::ThreadPool threads(1);
  const CurveShape shape{.numbers = 3};
  auto asked = small_curves(20);
  const auto plain = with_directions(asked, shape, threads);
  for (const double scale : {1.0, 0.37}) {
    asked.whitening = {scale, 0, 0, 0, scale, 0, 0, 0, scale};
    const auto curves = with_directions(asked, shape, threads);
    EXPECT_EQ(curves.weights, plain.weights);
    EXPECT_EQ(curves.lines, plain.lines);
  }
}

TEST(CurveDirections, FewOfThemIgnoreCorrelationsThatNoiseHides) {
  base::ThreadPool threads(1);
  for (const auto& [shape, few] :
       {std::pair{CurveShape{.numbers = 3, .levels = {3}}, few_directions},
        std::pair{CurveShape{.numbers = 3, .levels = {3, 2}}, 2 * few_directions}}) {
    auto asked = small_curves(few - 1);
    asked.frequencies = 150;
    const auto plain = with_directions(asked, shape, threads);
    asked.whitening = whitening_of(3, 0.7);
    const auto made = with_map(asked, shape, threads);
    EXPECT_EQ(made.weights, plain.weights);
    EXPECT_EQ(made.whitening, asked.whitening);
    asked.directions = few;
    EXPECT_EQ(with_map(asked, shape, threads).weights,
              with_directions(asked, shape, threads).weights);
  }
}

// No release gives such a whitening, but a request to parts may: the map is some map all the same.
TEST(CurveDirections, AreFiniteForEveryWhitening) {
  base::ThreadPool threads(1);
  const CurveShape shape{.numbers = 2};
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& whitening :
       {std::vector<double>{0, 0, 0, 0}, std::vector<double>{nan, 0, 0, 1},
        std::vector<double>{1e300, 1e-300, 1e-300, 1e-300}, std::vector<double>{1, 1, 1, 1},
        std::vector<double>{-1, 2, 2, 5}}) {
    auto asked = small_curves(10);
    asked.whitening = whitening;
    const auto curves = with_directions(asked, shape, threads);
    EXPECT_TRUE(std::isfinite(curves.energy));
    for (const auto value : curves.lines) EXPECT_TRUE(std::isfinite(value));
  }
}

// Where records have one number and the functions few directions, the others are 0 and cost
// nothing: their features are 0 in each row.
TEST(CurveDirections, AreZeroWhereTheFunctionsHaveNoMore) {
  base::ThreadPool threads(1);
  const CurveShape shape{.numbers = 1};
  const auto curves = with_directions(small_curves(76), shape, threads);
  const auto last = [](const auto& values, std::int64_t each) {
    return std::vector(values.end() - each, values.end());
  };
  for (const auto weight : last(curves.weights, shape.function_weights(curves))) {
    EXPECT_EQ(weight, 0);
  }
  for (const auto value : last(curves.lines, shape.line_weights())) EXPECT_EQ(value, 0);
}

TEST(CurveDirections, HaveTheSameBitsForAnyNumberOfThreadsAndOnEveryMachine) {
  const CurveShape shape{.numbers = 3, .levels = {2}};
  base::ThreadPool one(1);
  base::ThreadPool three(3);
  auto asked = small_curves(20);
  asked.whitening = {1.1, -0.2, 0.05, -0.2, 1.3, 0.3, 0.05, 0.3, 0.9};
  const auto alone = with_directions(asked, shape, one);
  const auto together = with_directions(asked, shape, three);
  EXPECT_EQ(alone.weights, together.weights);
  EXPECT_EQ(alone.lines, together.lines);
  EXPECT_EQ(alone.energy, together.energy);
  base::Sha256 sum;
  sum.add(text_of_shorts(alone.weights) + text_of_floats(alone.lines));
  EXPECT_EQ(sum.digest(), "6701cc2a4685675ca29ae8d6f60839b110884edb9c029dea4bd35b70ab753b5d");
  EXPECT_NEAR(alone.energy, 0.326126, 1e-6);
}

TEST(CurveMap, GivesTheSameBitsForOneRecordAndForSeveral) {
  base::ThreadPool threads(1);
  const CurveShape shape{.numbers = 2, .levels = {3}};
  const auto curves = with_directions(small_curves(21), shape, threads);
  const CurveMap map(curves, shape);
  std::mt19937_64 random(9);
  std::vector<CurvePoint> points;
  for (int k = 0; k < 19; ++k) points.push_back(simulated(shape, random));
  points[2].levels.clear();  // no listed category
  std::vector<float> all(points.size() * map.directions());
  map.apply(points, all);
  for (std::size_t k = 0; k < points.size(); ++k) {
    std::vector<float> one(map.directions());
    map.apply({&points[k], 1}, one);
    EXPECT_TRUE(std::equal(one.begin(), one.end(),
                           all.begin() + static_cast<std::ptrdiff_t>(k * map.directions())));
  }
}

}  // namespace curve_directions_test
}  // namespace tacet::data
