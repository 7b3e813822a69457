#include "tacet/data/encode/projection_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "tacet/base/error.h"

namespace tacet::data {
namespace projection_map_test {

using Family = ProjectionFamily;

constexpr std::int64_t many = std::int64_t{1} << 31;

Projection drawn(Family family, std::int64_t width, std::int64_t seed, std::int64_t blocks = 1) {
  return {.family = family, .width = width, .seed = seed, .blocks = blocks};
}

std::vector<double> image(const ProjectionMap& map, const std::vector<std::uint32_t>& columns,
                          const std::vector<double>& values) {
  std::vector<double> out(static_cast<std::size_t>(map.projection().width));
  map.apply(columns, values, out);
  return out;
}

// Reference values of the hash, computed by another program.
TEST(ProjectionHash, EqualsReferenceValues) {
  EXPECT_EQ(projection_hash(42, 0, 0), 0x42361fbc3495a5f2U);
  EXPECT_EQ(projection_hash(42, 0, 1), 0x6bab517a662c8827U);
  EXPECT_EQ(projection_hash(42, 1, 0), 0xbc7908c84ea1208fU);
  EXPECT_EQ(projection_hash(42, 1, 1), 0x1c03f71d4a18904cU);
  EXPECT_EQ(projection_hash(42, 2, 0), 0xdd22733d08f10ac1U);
  EXPECT_EQ(projection_hash(42, 1000000, 0), 0xe1d12df2bb980b7aU);
  EXPECT_EQ(projection_hash(42, 1000000, 1), 0x25ca44caf8ec7c79U);
  EXPECT_EQ(projection_hash(42, std::uint64_t{1} << 40, 0), 0x8c9e614161ffd729U);
}

TEST(ProjectionMap, CountsketchEqualsReferenceValues) {
  const ProjectionMap map(drawn(Family::countsketch, 8, 42), many);
  const std::vector<std::uint32_t> columns{0, 3, 17, 1000000};
  const std::vector<double> values{.5, -.25, .75, .125};
  EXPECT_EQ(image(map, columns, values), (std::vector<double>{0, 0, .5, 0, -1, 0, 0, .125}));
  EXPECT_EQ(map.sketch_place(0, 0).place, 2U);
  EXPECT_EQ(map.sketch_place(0, 0).sign, 1);
  EXPECT_EQ(map.sketch_place(0, 1).place, 3U);
  EXPECT_EQ(map.sketch_place(0, 1).sign, -1);
  EXPECT_EQ(map.sketch_place(1, 0).place, 5U);
  EXPECT_EQ(map.sketch_place(1, 0).sign, -1);
}

// The same reference with two blocks, which no family of the product has: put together here from
// the product's hash, so that a block beyond the first is known to be drawn as the reference says.
TEST(ProjectionMap, TwoBlocksOfTheHashEqualReferenceValues) {
  constexpr std::uint64_t half = 4;  // places of a block, of 8
  const auto place = [](std::uint64_t column, std::uint64_t block) {
    return block * half + (((projection_hash(42, column, block) >> 32) * half) >> 32);
  };
  const auto sign = [](std::uint64_t column, std::uint64_t block) {
    return (projection_hash(42, column, block) & 1) == 0 ? std::sqrt(.5) : -std::sqrt(.5);
  };
  const std::vector<std::uint64_t> columns{0, 3, 17, 1000000};
  const std::vector<double> values{.5, -.25, .75, .125};
  const std::vector<double> lifted{-.353553390593, .707106781187, .441941738242, -.0883883476483};
  std::vector<double> sketched(8);
  double product = 0;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    double lift = 0;  // of the weights 1/8, 2/8, ..., 1
    for (const std::uint64_t block : {0U, 1U}) {
      sketched[place(columns[j], block)] += sign(columns[j], block) * values[j];
      lift += sign(columns[j], block) * static_cast<double>(place(columns[j], block) + 1) / 8;
    }
    EXPECT_NEAR(lift, lifted[j], 1e-12);
    product += lift * values[j];
  }
  EXPECT_NEAR(product, -.03314563036812, 1e-13);
  const std::vector<double> expected{
      0, .353553390593, -.707106781187, .0883883476483, -.265165042945, -.353553390593,
      0, .53033008589};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(sketched[i], expected[i], 1e-12);
  // A column of more than 32 bits, in one block of 8 places.
  const auto far = projection_hash(42, std::uint64_t{1} << 40, 0);
  EXPECT_EQ(((far >> 32) * 8) >> 32, 4U);
  EXPECT_EQ(far & 1, 1U);
}

// Signs +,-,-,+,-,+,+,-; rows 3, 1, 2, 0.
TEST(ProjectionMap, SrhtEqualsReferenceValues) {
  const Projection four{.family = Family::srht, .width = 8, .seed = 42};
  const ProjectionMap map(four, 8);
  ASSERT_EQ(map.hadamard_rows().size(), 8U);
  const std::vector<std::uint32_t> expected{3, 1, 2, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(map.hadamard_rows()[i], expected[i]);
  const auto out = image(map, {0, 1, 2, 3, 5}, {.5, -.25, .75, .125, 1});
  // The same four numbers at width 4 are sqrt 2 longer.
  const std::vector<double> at_four{.0625, -.8125, 1.1875, .5625};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[i] * std::sqrt(2.0), at_four[i], 1e-15);
}

// All rows of an orthonormal matrix are an isometry.
TEST(ProjectionMap, SrhtOfFullWidthKeepsLengths) {
  std::mt19937_64 bits(2);
  std::normal_distribution<double> normal;
  const ProjectionMap map(drawn(Family::srht, 64, 5), 64);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::uint32_t> columns(64);
    std::iota(columns.begin(), columns.end(), 0U);
    std::vector<double> values(64);
    for (auto& v : values) v = normal(bits);
    const auto out = image(map, columns, values);
    EXPECT_NEAR(std::inner_product(out.begin(), out.end(), out.begin(), 0.0),
                std::inner_product(values.begin(), values.end(), values.begin(), 0.0), 1e-12 * 64);
  }
}

TEST(ProjectionMap, LiftingIsTheAdjoint) {
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  for (const auto& projection :
       {drawn(Family::countsketch, 16, 9), drawn(Family::countsketch, 16, 9, 4),
        drawn(Family::srht, 16, 9), drawn(Family::gaussian, 17, 9)}) {
    const ProjectionMap map(projection, 1000);
    std::vector<std::uint32_t> columns{0, 3, 17, 200, 999};
    std::vector<double> values(columns.size());
    std::vector<double> weights(static_cast<std::size_t>(projection.width));
    for (auto& v : values) v = normal(bits);
    for (auto& w : weights) w = normal(bits);
    const auto out = image(map, columns, values);
    double lifted = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      lifted += map.lift(columns[k], weights) * values[k];
    }
    EXPECT_NEAR(lifted, std::inner_product(out.begin(), out.end(), weights.begin(), 0.0), 1e-13)
        << projection_name(projection);
  }
}

// E <Phi w, Phi x> = <w, x>, with the variance that the width is chosen by: (|w|^2 |x|^2 + <w,x>^2
// - 2 sum w_j^2 x_j^2) / k for countsketch, without the last term for gaussian, which srht stays
// below. Seeds 0 to 3,999, so that the figures are the same every time; a mean of so many squares
// is off by some 5 percent.
TEST(ProjectionMap, InnerProductsAreUnbiasedWithTheStatedVariance) {
  const std::vector<std::uint32_t> columns{1, 4, 9, 30, 77, 78};
  const std::vector<double> x{.5, -.25, .6, .3, -.4, .2};
  const std::vector<double> w{.3, .8, -.2, .5, .1, .9};
  const double product = std::inner_product(x.begin(), x.end(), w.begin(), 0.0);
  double squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) squares += x[j] * x[j] * w[j] * w[j];
  const double lengths = std::inner_product(x.begin(), x.end(), x.begin(), 0.0) *
                         std::inner_product(w.begin(), w.end(), w.begin(), 0.0);
  constexpr int seeds = 4000;
  for (const auto& [family, blocks] : {std::pair{Family::countsketch, std::int64_t{1}},
                                       {Family::countsketch, 4},
                                       {Family::srht, 1},
                                       {Family::gaussian, 1}}) {
    double sum = 0;
    double square = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      const ProjectionMap map(drawn(family, 32, seed, blocks), 100);
      const auto one = image(map, columns, x);
      const auto other = image(map, columns, w);
      const double got = std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
      sum += got;
      square += (got - product) * (got - product);
    }
    const bool signs = family == Family::countsketch;
    const double without = signs ? 2 * squares : 0;
    const double variance = (lengths + product * product - without) / 32;
    EXPECT_NEAR(sum / seeds, product, 6 * std::sqrt(variance / seeds));
    EXPECT_LE(square / seeds, 1.2 * variance);
    if (family != Family::srht) {
      EXPECT_GE(square / seeds, 0.8 * variance);
    }
  }
}

TEST(ProjectionMap, RefusesWhatMakesNoSense) {
  const auto refused = [](const Projection& projection, std::int64_t columns) {
    EXPECT_THROW(check_projection(projection, columns), base::UsageError);
  };
  refused(drawn(Family::countsketch, 200, 0), 100);
  refused(drawn(Family::countsketch, 4, 0), 100);
  refused(drawn(Family::countsketch, 65537, 0), many);
  refused(drawn(Family::countsketch, 64, -1), 100);
  refused(drawn(Family::countsketch, 10, 0, 4), 100);
  refused(drawn(Family::srht, 64, 0), (std::int64_t{1} << 26) + 1);
  refused(drawn(Family::gaussian, 64, 0, 4), 100);
  EXPECT_THROW((void)projection_of("sketch"), base::UsageError);
  for (const auto* name : {"countsketch", "countsketch4", "srht", "gaussian"}) {
    EXPECT_EQ(projection_name(projection_of(name)), name);
  }
}

}  // namespace projection_map_test
}  // namespace tacet::data
