#include "tacet/random/exact/exact_normal.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <vector>

#include "tacet/random/choose/crossings.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::random {
namespace exact_normal_test {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
    1600, boost::multiprecision::digit_base_2, void, std::int32_t, -60000, 60000>>;

/// The upper tail's own bounds for x > 1: phi(x) / x (1 - 1/x^2) and phi(x) / x.
struct Tail {
  Real low;
  Real high;
};
Tail upper_tail(const Real& x) {
  const Real root = boost::math::constants::root_two_pi<Real>();
  const Real density = exp(Real(-x * x / 2)) / root;
  return {density / x * (1 - 1 / (x * x)), density / x};
}

// The domain goes to 40, where e^(x^2/2) is 2^1155 and no double.
TEST(ExactNormal, BoundsHoldToTheEndOfTheDomain) {
  constexpr int p = 800;
  for (double x = 36.5; x < 40.03; x += 0.125) {
    const auto odd = std::uint64_t{1};
    const double sigma = 1 / (2 * x);
    const auto bound = internal::centred_normal_at(odd, sigma, p);
    EXPECT_LE(bound.high - bound.low, 2) << x;
    const Tail tail = upper_tail(1 / (2 * Real(sigma)));
    // Phi(x) - 1/2 lies within the bounds and within 1/2 - tail.
    EXPECT_GE(ldexp(Real(bound.high), -p), Real(0.5) - tail.high) << x;
    EXPECT_LE(ldexp(Real(bound.low), -p), Real(0.5) - tail.low) << x;
  }
}

TEST(ExactNormal, BoundsOfAScaledPointHoldToTheEndOfTheDomain) {
  constexpr int p = 2040;
  for (const double x : {0.5, 8.0, 26.0, 37.3, 37.7, 38.6, 39.9, 40.0}) {
    const auto bound =
        internal::centred_normal(boost::multiprecision::cpp_int(ldexp(Real(x), p)), p);
    EXPECT_LT(bound.low, bound.high);
    if (x < 8) continue;
    const Tail tail = upper_tail(Real(x));
    EXPECT_GE(ldexp(Real(bound.high), -p), Real(0.5) - tail.high) << x;
    EXPECT_LE(ldexp(Real(bound.low), -p), Real(0.5) - tail.low) << x;
    // e^y and the number of terms, no more.
    EXPECT_LE(Real(bound.high - bound.low), 400000 * exp(Real(x * x / 2))) << x;
  }
}

// Standard deviations whose boundary 1/2 lies there; the words are those of the far tails.
TEST(ExactNormal, NarrowGaussiansAreDrawnFromEveryWord) {
  const internal::Extension extension = [](std::uint64_t, int i) {
    return i % 2 == 0 ? 0x0123456789abcdefU : 0xfedcba9876543210U;
  };
  const std::array<std::uint64_t, 6> words = {
      0, 1, ~std::uint64_t{0}, ~std::uint64_t{1}, 64, std::uint64_t{1} << 63};
  for (double sigma = 0.0124; sigma < 0.0136; sigma += 0.0002) {
    std::array<std::int64_t, 6> values{};
    internal::add_gaussians_from_words(words, sigma, values, 0, extension);
    for (const auto value : values) EXPECT_EQ(value, 0) << sigma;
  }
}

TEST(ExactNormal, CrossingsOfFarThresholdsAreFound) {
  SeededSource source(1);
  std::uint64_t index = 0;
  const std::vector<ScoredCandidate> listed{{2, 5}};
  for (double x = 37; x < 40.5; x += 0.5) {
    const double sigma = 1000;
    const auto threshold = static_cast<std::int64_t>(x * sigma);
    const auto cross = [&](std::int64_t limit) {
      return gaussian_crossings(source.claim(Purpose::selection, 0, index++), 5, listed, sigma,
                                limit);
    };
    EXPECT_TRUE(cross(threshold).empty()) << x;
    EXPECT_EQ(cross(-threshold), (std::vector<std::int64_t>{0, 1, 2, 3, 4})) << x;
  }
}

}  // namespace exact_normal_test
}  // namespace tacet::random
