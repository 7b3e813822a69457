#include "tacet/privacy/guarantee.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace guarantee_test {

const double nan = std::nan("");
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double denormal = std::numeric_limits<double>::denorm_min();

TEST(Quantities, HoldTheEndsOfTheirRanges) {
  for (const double value : {0.0, denormal, 1.0, infinity}) {
    EXPECT_EQ(Epsilon(value).value(), value);
    EXPECT_EQ(NoiseMultiplier(value).value(), value);
  }
  for (const double value : {0.0, denormal, std::nextafter(1.0, 0)}) {
    EXPECT_EQ(Delta(value).value(), value);
  }
  for (const double value : {denormal, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(ClippingNorm(value).value(), value);
  }
  for (const double value : {0.0, 1.0}) EXPECT_EQ(SamplingRate(value).value(), value);
}

TEST(Quantities, RefuseWhatMakesNoSense) {
  for (const double value : {-1.0, -denormal, -infinity, nan}) {
    EXPECT_THROW(Epsilon{value}, base::UsageError) << value;
    EXPECT_THROW(Delta{value}, base::UsageError) << value;
    EXPECT_THROW(NoiseMultiplier{value}, base::UsageError) << value;
    EXPECT_THROW(ClippingNorm{value}, base::UsageError) << value;
    EXPECT_THROW(SamplingRate{value}, base::UsageError) << value;
  }
  EXPECT_THROW(Delta(1), base::UsageError);
  EXPECT_THROW(ClippingNorm(0), base::UsageError);
  EXPECT_THROW(ClippingNorm{infinity}, base::UsageError);
  EXPECT_THROW(SamplingRate(std::nextafter(1.0, 2)), base::UsageError);
  // What divides by minus zero would get infinite noise of the wrong sign.
  EXPECT_THROW(NoiseMultiplier(-0.0), base::UsageError);
}

TEST(Guarantee, ChecksItsRangesAndChangesNothing) {
  const Guarantee nothing{infinity, 1, Adjacency::zero_out};
  EXPECT_EQ(checked(nothing), nothing);
  EXPECT_THROW(static_cast<void>(checked({-1, 0, Adjacency::zero_out})), base::UsageError);
  EXPECT_THROW(static_cast<void>(checked({nan, 0, Adjacency::zero_out})), base::UsageError);
  EXPECT_THROW(static_cast<void>(checked({1, 1.1, Adjacency::zero_out})), base::UsageError);
  EXPECT_THROW(static_cast<void>(checked({1, nan, Adjacency::zero_out})), base::UsageError);
}

}  // namespace guarantee_test
}  // namespace tacet::privacy
