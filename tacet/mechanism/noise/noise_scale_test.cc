#include "tacet/mechanism/noise/noise_scale.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/mechanism/select/crossings.h"
#include "tacet/numeric/infinity.h"
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
