#include "tacet/optimize/sums/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace clip_test {

__extension__ using Wide = unsigned __int128;

// A check of A^2 N <= K^2 by a product that wraps would accept A = 2^62, N = 64; here no product is
// formed, and the bound is the largest integer that satisfies the inequality.
TEST(ScalarBound, IsTheLargestFactorThatKeepsTheNorm) {
  std::mt19937_64 bits(1);
  for (int norm_bits = 14; norm_bits <= 30; ++norm_bits) {
    const Wide square = Wide{1} << (2 * norm_bits);
    for (int i = 0; i < 20000; ++i) {
      const auto squared_norm = static_cast<std::int64_t>(bits() >> (1 + i % 63));
      const auto bound =
          static_cast<Wide>(scalar_bound(std::int64_t{1} << norm_bits, squared_norm));
      if (squared_norm == 0) {
        EXPECT_TRUE(bound == 0);
        continue;
      }
      const auto norm = static_cast<Wide>(squared_norm);
      EXPECT_TRUE(bound * bound * norm <= square);
      EXPECT_TRUE((bound + 1) * (bound + 1) * norm > square);
    }
  }
  EXPECT_EQ(scalar_bound(1 << 30, 1), 1 << 30);
  EXPECT_EQ(scalar_bound(1 << 20, 64), 1 << 17);
  EXPECT_EQ(scalar_bound(1 << 30, std::numeric_limits<std::int64_t>::max()), 0);
}

TEST(ClampScalar, NeverLeavesTheBoundWhateverTheSlope) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const std::int32_t bound : {0, 1, 7, 1 << 14, 1 << 30}) {
    for (const double value : {0.0, -0.0, 1e-320, 0.49, 0.5, 1.5, 1e9, 1e19, 1e300,
                               std::ldexp(1.0, 62), std::ldexp(1.0, 63)}) {
      for (const double scalar : {value, -value}) {
        const double clamped = clamp_scalar(scalar, bound);
        EXPECT_LE(std::fabs(clamped), bound);
        EXPECT_EQ(clamped, std::nearbyint(clamped));
        if (std::fabs(scalar) <= bound) {
          EXPECT_LE(std::fabs(clamped - scalar), 0.5);
        }
      }
    }
    EXPECT_EQ(clamp_scalar(inf, bound), 0);
    EXPECT_EQ(clamp_scalar(-inf, bound), 0);
    EXPECT_EQ(clamp_scalar(std::nan(""), bound), 0);
  }
}

TEST(ClampScalars, JointNormNeverLeavesTheBound) {
  std::mt19937_64 bits(3);
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t outputs = 1 + bits() % 80;
    const auto bound = static_cast<std::int32_t>(bits() >> (34 + bits() % 30));
    std::vector<double> scalars;
    for (std::size_t c = 0; c < outputs; ++c) {
      const double size = std::pow(10.0, static_cast<double>(bits() % 40) - 10);
      scalars.push_back(size * (static_cast<double>(bits() % 2001) / 1000 - 1));
      if (bits() % 50 == 0) scalars.back() = std::nan("");
      if (bits() % 50 == 0) scalars.back() = -std::numeric_limits<double>::infinity();
    }
    clamp_scalars(scalars, bound);
    Wide total = 0;
    for (const double scalar : scalars) {
      ASSERT_EQ(scalar, std::trunc(scalar));
      total += static_cast<Wide>(std::fabs(scalar)) * static_cast<Wide>(std::fabs(scalar));
    }
    ASSERT_TRUE(total <= static_cast<Wide>(bound) * static_cast<Wide>(bound));
  }
}

TEST(ClampScalars, KeepsWhatFitsAndTheDirectionOfWhatDoesNot) {
  std::vector<double> small{3.7, -4.2};
  clamp_scalars(small, 10);
  EXPECT_EQ(small, (std::vector<double>{3, -4}));
  std::vector<double> large{3e9, -4e9};
  clamp_scalars(large, 1 << 30);
  EXPECT_NEAR(large[0], 0.6 * (1 << 30), 2);
  std::vector<double> huge{3e300, -4e300};
  clamp_scalars(huge, 100);
  EXPECT_NEAR(huge[1], -80, 1);
  EXPECT_NEAR(std::hypot(large[0], large[1]), 1 << 30, 4);
}

TEST(ScalarBounds, GiveAUnitItsFirstRecordsAndNobodyAnUnnamedOne) {
  data::Dataset dataset({.columns = 1, .norm_bound = 1});
  dataset.declare_units();
  const std::vector<std::int16_t> row{2048};
  for (const std::int64_t unit : std::vector<std::int64_t>{0, 0, -1, 1, 0}) {
    dataset.append_dense(row, 1, unit);
  }
  const auto bounds =
      scalar_bounds(dataset, {.clipping_norm = 1, .norm_bits = 20, .max_records_per_unit = 2});
  EXPECT_EQ(bounds, (base::SpooledVector<std::int32_t>{256, 256, 0, 256, 0}));
}

TEST(ClippingNorm, IsRoundedDownSoThatTheGridIsExact) {
  for (const double norm : {1.0, 0.1, 1.0 / 3, 1e-30, 1e30}) {
    const double enforced = checked_clipping_norm({.clipping_norm = norm, .norm_bits = 20});
    EXPECT_LE(enforced, norm);
    EXPECT_GE(enforced, norm * (1 - 0x1p-23));
    EXPECT_EQ(static_cast<double>(static_cast<float>(enforced)), enforced);
  }
}

TEST(ClippingNorm, RefusesWhatBoundsNothing) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double norm : {0.0, -1.0, inf, std::nan("")}) {
    EXPECT_THROW((void)checked_clipping_norm({.clipping_norm = norm}), base::UsageError);
  }
  for (const int bits : {13, 31}) {
    EXPECT_THROW((void)checked_clipping_norm({.clipping_norm = 1, .norm_bits = bits}),
                 base::UsageError);
  }
}

}  // namespace clip_test
}  // namespace tacet::optimize
