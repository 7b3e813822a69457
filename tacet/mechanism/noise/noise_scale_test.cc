#include "tacet/mechanism/noise/noise_scale.h"

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/certifier.h"
#include "tests/support/spender.h"

namespace tacet::mechanism {
namespace noise_scale_test {

using Digits = boost::multiprecision::cpp_bin_float_100;
using internal::noise_scale;

using numeric::infinity;

TEST(NoiseScale, IsTheSmallestDoubleFromTheProductOn) {
  std::uint64_t state = 1;
  int moved = 0;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const double multiplier = std::ldexp(static_cast<double>(state >> 11), -50);
    const auto bound = static_cast<double>(1 + ((state * 0x9E3779B97F4A7C15U) >> (12 + i % 50)));
    const double scale = noise_scale(multiplier, bound);
    const Digits product = Digits(multiplier) * bound;
    EXPECT_TRUE(Digits(scale) >= product);
    EXPECT_TRUE(multiplier == 0 || Digits(std::nextafter(scale, 0.0)) < product);
    moved += scale != multiplier * bound ? 1 : 0;
  }
  EXPECT_GT(moved, 5000);  // about half of the products are rounded downwards
}

TEST(NoiseScale, LeavesExactProductsAlone) {
  for (const double multiplier : {0.3, 1.0, 1e-5, 123.456}) {
    for (const double bound : {1.0, 2.0, 1048576.0}) {
      EXPECT_EQ(noise_scale(multiplier, bound), multiplier * bound);
    }
  }
  EXPECT_EQ(noise_scale(0, 3), 0);
  EXPECT_EQ(noise_scale(infinity, 3), infinity);
}

TEST(NoiseScale, RoundsUpWhereTheLastBitUnderflows) {
  const double least = std::numeric_limits<double>::denorm_min();
  for (const double multiplier : {least, 3 * least, 1e-310, 0x1p-1022}) {
    for (const double bound : {3.0, 5.0}) {
      EXPECT_TRUE(Digits(noise_scale(multiplier, bound)) >= Digits(multiplier) * bound);
    }
  }
  EXPECT_GT(noise_scale(least, 0.25), 0);
}

// 2^32 / 5 as a double is a little larger; times 5 it is 2^32 to the nearest, the widest noise that
// the sampler takes, and more in truth.
TEST(NoiseScale, NoGaussianMechanismAddsLessThanItBooks) {
  const double multiplier = 0x1p32 / 5;
  ASSERT_EQ(multiplier * 5, 0x1p32);
  const privacy::NoiseMultiplier noise(multiplier);
  const privacy::Event sampled = privacy::FixedSizeSampled{1, 10, privacy::Gaussian{multiplier}};
  const privacy::Event all = privacy::Gaussian{multiplier};
  const auto adjacency = privacy::Adjacency::replace_one;
  test::Spender spender(1, privacy::Composed{{all, sampled, BlockGaussian::event(noise)}},
                        adjacency, 9);
  const auto sum = [] {
    return privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), {1}, 1.0, 5);
  };
  auto& source = spender.source;
  auto& reservation = spender.reservation;
  EXPECT_THROW((void)release_gaussian(sum(), noise, {spender.next(), source, reservation}),
               base::UsageError);
  EXPECT_THROW((void)release_gaussian_of_sample(
                   privacy::PartialSum::from_certified(privacy::Certifier::clipped(), sum(),
                                                       privacy::Sample::fixed_size({1, 10})),
                   noise, {spender.next(), source, reservation}),
               base::UsageError);
  BlockGaussian pass(noise, reservation);
  EXPECT_THROW((void)pass.release(privacy::PartialSum::from_certified(privacy::Certifier::clipped(),
                                                                      sum(), privacy::PassBlock{0}),
                                  spender.next(), source),
               base::UsageError);
  const auto few =
      privacy::SparseBoundedSum::from_certified(privacy::Certifier::clipped(), 3, {{1, 1}}, 5);
  EXPECT_THROW((void)release_crossings(few, noise, 0, {spender.next(), source, reservation}),
               base::UsageError);
  // A bound that is a power of two goes to the very end.
  test::Spender exact(1, privacy::Gaussian{0x1p30}, adjacency, 1);
  EXPECT_NO_THROW((void)release_gaussian(
      privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), {1}, 1.0, 4),
      privacy::NoiseMultiplier(0x1p30), {exact.next(), exact.source, exact.reservation}));
}

}  // namespace noise_scale_test
}  // namespace tacet::mechanism

namespace tacet::mechanism::internal {
namespace noise_scale_test {

using privacy::BoundedSum;

std::int64_t norm_bound(std::size_t dimension, std::int64_t bound) {
  return absolute_norm_bound(BoundedSum::from_certified(
      privacy::Certifier::clipped(), std::vector<std::int64_t>(dimension, 7), 1, bound));
}

TEST(AbsoluteNorm, IsTheSmallestWholeNumberFromBothBoundsOn) {
  EXPECT_EQ(norm_bound(1, 1000), 1000);
  EXPECT_EQ(norm_bound(4, 1000), 2000);
  EXPECT_EQ(norm_bound(2, 1000), 1415);
  // A count: one record, one cell.
  EXPECT_EQ(norm_bound(4, 1), 1);
  EXPECT_EQ(norm_bound(4, 3), 6);
  EXPECT_EQ(norm_bound(1000, 5), 25);
}

/// The largest L1 norm of the integer vectors of `left` more coordinates inside a squared length.
std::int64_t largest_norm(int left, std::int64_t square) {
  if (left == 0) return 0;
  std::int64_t largest = 0;
  for (std::int64_t v = 0; v * v <= square; ++v) {
    largest = std::max(largest, v + largest_norm(left - 1, square - v * v));
  }
  return largest;
}

TEST(AbsoluteNorm, NoRecordInsideTheEuclideanBoundPassesIt) {
  for (int dimension = 1; dimension <= 4; ++dimension) {
    for (std::int64_t bound = 1; bound <= 12; ++bound) {
      const auto stated = norm_bound(static_cast<std::size_t>(dimension), bound);
      const auto largest = largest_norm(dimension, bound * bound);
      EXPECT_GE(stated, largest) << dimension << " " << bound;
      // Where the diagonal is a grid point, a record meets it.
      if (dimension == 1 || (dimension == 4 && bound % 2 == 0)) {
        EXPECT_EQ(stated, largest);
      }
    }
  }
}

// Doubles have 53 bits: the root of d K^2 is corrected in integers.
TEST(AbsoluteNorm, IsExactBeyondTheDigitsOfDoubles) {
  __extension__ using Wide = unsigned __int128;
  for (const std::int64_t bound : {(std::int64_t{1} << 51) + 1, (std::int64_t{1} << 52) - 3}) {
    for (const std::size_t dimension : {std::size_t{2}, std::size_t{3}, std::size_t{50}}) {
      const auto root = static_cast<std::uint64_t>(norm_bound(dimension, bound));
      const Wide target =
          Wide{static_cast<std::uint64_t>(bound)} * static_cast<std::uint64_t>(bound) * dimension;
      EXPECT_TRUE(Wide{root} * root >= target) << bound << " " << dimension;
      EXPECT_TRUE(Wide{root - 1} * (root - 1) < target) << bound << " " << dimension;
    }
  }
}

// Clipped by its L1 norm, a record needs no factor sqrt(d).
TEST(AbsoluteNorm, IsWhatRecordsWereClippedTo) {
  const auto key = privacy::Certifier::clipped();
  const auto clipped = [&](std::int64_t bound) {
    return BoundedSum::from_certified(key, std::vector<std::int64_t>(9, 7), 1, 1000)
        .with_absolute_bound(key, bound);
  };
  EXPECT_EQ(absolute_norm_bound(clipped(1000)), 1000);
  EXPECT_EQ(absolute_norm_bound(clipped(1700)), 1700);
  EXPECT_THROW((void)clipped(999), base::UsageError);
}

TEST(AbsoluteNorm, RefusesWhatLeavesTheIntegers) {
  EXPECT_NO_THROW((void)norm_bound(1 << 15, std::int64_t{1} << 52));
  EXPECT_THROW((void)norm_bound(1 << 17, std::int64_t{1} << 52), base::UsageError);
}

}  // namespace noise_scale_test
}  // namespace tacet::mechanism::internal
