#include "tacet/numeric/exp_each.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "tacet/numeric/elementary.h"
#include "tacet/numeric/exp_series.h"

namespace tacet::numeric {
namespace exp_each_test {

// Every case of the scalar form, and what lies on both sides of its boundaries.
std::vector<double> edges() {
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> found = {0.0, 1e-18, 1e-300, 5e-324, 700.0, 1e18, 1e300, most, infinite};
  for (const double threshold :
       {internal::exp_is_zero_below, internal::exp_is_infinite_from, -708.4, -744.4400719213812,
        0.34657359027997264, 709.0895657128241}) {
    for (double x = threshold, i = 0; i < 40; ++i, x = std::nextafter(x, infinite))
      found.push_back(x);
    for (double x = threshold, i = 0; i < 40; ++i, x = std::nextafter(x, -infinite))
      found.push_back(x);
  }
  for (int k = -1080; k <= 1080; ++k) {  // halfway between two powers of two: where k is rounded
    const double x = (k + 0.5) * 0.69314718055994530942;
    found.insert(found.end(), {std::nextafter(x, -infinite), x, std::nextafter(x, infinite)});
  }
  for (std::size_t i = 0, size = found.size(); i < size; ++i) found.push_back(-found[i]);
  return found;
}

// The first number whose bits differ, or nothing.
template <typename Each, typename One>
std::optional<double> first_difference(std::vector<double> numbers, const Each& each,
                                       const One& one) {
  const auto arguments = numbers;
  each(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::bit_cast<std::uint64_t>(numbers[i]) !=
        std::bit_cast<std::uint64_t>(one(arguments[i]))) {
      return arguments[i];
    }
  }
  return std::nullopt;
}

std::vector<double> random_numbers(std::mt19937_64& generator, std::size_t count, double scale) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = uniform(generator);
  return numbers;
}

void expect_the_same_bits(std::size_t rounds) {
  EXPECT_EQ(first_difference(edges(), exp_each, exp), std::nullopt);
  EXPECT_EQ(first_difference(edges(), sigmoid_each, sigmoid), std::nullopt);
  std::mt19937_64 generator(7);
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const double scale : {1.0, 40.0, 800.0}) {
      const auto numbers = random_numbers(generator, 100'003, scale);
      ASSERT_EQ(first_difference(numbers, exp_each, exp), std::nullopt);
      ASSERT_EQ(first_difference(numbers, sigmoid_each, sigmoid), std::nullopt);
    }
  }
}

TEST(ExpEach, HasTheBitsOfTheScalarFormsOnEveryInstructionSet) {
  for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(targets);
    expect_the_same_bits(1);
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(ExpEachLong, HasTheBitsOfTheScalarForms) { expect_the_same_bits(334); }

TEST(ExpEach, NoLengthTouchesWhatLiesBehind) {
  for (std::size_t size = 0; size < 20; ++size) {
    std::vector<double> numbers(size + 1, 1.0);
    exp_each(std::span(numbers).first(size));
    EXPECT_EQ(numbers[size], 1.0);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(numbers[i], exp(1.0));
  }
}

TEST(ExpEach, NotANumberStaysSo) {
  std::vector<double> numbers(9, 0.5);
  numbers[3] = std::numeric_limits<double>::quiet_NaN();
  auto others = numbers;
  exp_each(numbers);
  sigmoid_each(others);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(std::isnan(numbers[i]), i == 3);
    EXPECT_EQ(std::isnan(others[i]), i == 3);
  }
}

}  // namespace exp_each_test
}  // namespace tacet::numeric
