#include "tacet/numeric/hat_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace tacet::numeric {
namespace hat_kernels_test {

constexpr std::size_t rest = 3;

/// Rows of numbers with 2 to 33 knots, as an encoder rounds them.
struct Rows {
  Rows(std::size_t count, std::size_t size, std::uint64_t seed) {
    std::mt19937_64 bits(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<std::int32_t> knots;
    std::vector<double> slopes;
    numbers.count = size;
    numbers.rest = rest;
    std::int32_t places = 0;
    for (std::size_t j = 0; j < size; ++j) {
      knots.push_back(2 + static_cast<std::int32_t>(bits() % 32));
      slopes.push_back((knots.back() - 1) * (0.01 + 2.49 * uniform(bits)));
      numbers.rise.push_back(static_cast<float>(2 * slopes.back() / (knots.back() - 1)));
      numbers.origin.push_back(static_cast<float>(2 * slopes.back() * 0.4));
      numbers.first.push_back(places);
      places += knots.back();
    }
    for (std::size_t r = 0; r < count; ++r) {
      auto& row = packed.emplace_back(numbers.words() + HatNumbers::spare_words);
      auto& own = truth.emplace_back();
      const double most = std::min(1024.0, 2000 / (2 * *std::ranges::max_element(slopes)));
      const double height = r == 0 ? most : 1 + (most - 1) * uniform(bits);
      const auto stored = static_cast<float>(height - 1e-4);
      std::memcpy(row.data() + numbers.height_at(), &stored, sizeof stored);
      for (std::size_t j = 0; j < size; ++j) {
        const double share = bits() % 8 == 0 ? static_cast<double>(bits() % 2) : uniform(bits);
        const double at = share * (knots[j] - 1);
        const auto knot = std::min(static_cast<std::int32_t>(at), knots[j] - 2);
        const HatNumber number{
            .line = static_cast<std::int32_t>(slopes[j] * (share - 0.4) * 2 * height),
            .knot = knot,
            .left = static_cast<std::int32_t>(height * (1 - (at - knot))),
            .right = static_cast<std::int32_t>(height * (at - knot))};
        if (!pack_number(numbers, j, number, row.data())) ++refused;
        own.push_back(number);
      }
      for (std::size_t k = 0; k < rest; ++k) {
        row[numbers.rest_at() + k] =
            static_cast<std::int16_t>(static_cast<int>(bits() % 4001) - 2000);
      }
    }
    for (std::int32_t place = 0; place <= places; ++place) {
      weights.push_back(static_cast<double>(bits() % (1 << 30)) - (1 << 29));
    }
    for (std::size_t r = 0; r < count; ++r) {
      factors.push_back(std::floor((2 * uniform(bits) - 1) * 0x1p30 / 1024));
      pointers.push_back(packed[r].data());
    }
  }

  HatNumbers numbers;
  std::vector<std::vector<std::int16_t>> packed;
  std::vector<std::vector<HatNumber>> truth;
  std::vector<double> weights;
  std::vector<double> factors;
  std::vector<const std::int16_t*> pointers;
  int refused = 0;
};

void expect_sums(const Rows& rows) {
  HatTile tile(rows.numbers, rows.packed.size() + 1);
  tile.unpack(rows.pointers);
  std::vector<double> dots(rows.packed.size(), 7.0);
  tile.add_dots(rows.weights, dots);
  HatSums sums(rows.weights.size());
  tile.add_multiples(rows.factors, sums);
  std::vector<std::int64_t> found(rows.weights.size(), 5);
  sums.add_to(found);
  std::vector<std::int64_t> expected(rows.weights.size(), 5);
  for (std::size_t r = 0; r < rows.packed.size(); ++r) {
    std::int64_t dot = 7;
    for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
      const auto& number = rows.truth[r][j];
      EXPECT_EQ(tile.integers()[r][j], number.line);
      const auto at = static_cast<std::size_t>(rows.numbers.first[j] + number.knot);
      dot += number.left * static_cast<std::int64_t>(rows.weights[at]) +
             number.right * static_cast<std::int64_t>(rows.weights[at + 1]);
      expected[at] += number.left * static_cast<std::int64_t>(rows.factors[r]);
      expected[at + 1] += number.right * static_cast<std::int64_t>(rows.factors[r]);
    }
    EXPECT_EQ(static_cast<std::int64_t>(dots[r]), dot);
    EXPECT_EQ(std::memcmp(tile.integers()[r] + rows.numbers.size(),
                          rows.pointers[r] + rows.numbers.rest_at(), 2 * rest),
              0);
  }
  EXPECT_EQ(found, expected);
}

TEST(HatKernels, EqualIntegerArithmeticOnEveryInstructionSet) {
  for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(targets);
    for (const std::size_t size : {1u, 7u, 8u, 15u, 16u, 17u, 31u, 33u, 50u}) {
      for (const std::size_t count : {1u, 3u, 40u}) {
        const Rows rows(count, size, 100 * size + count);
        ASSERT_EQ(rows.refused, 0);
        expect_sums(rows);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(HatKernels, NumbersThatWouldNotComeOutAreRefused) {
  const HatNumbers numbers{.count = 1, .rise = {1}, .origin = {0}, .first = {0}};
  std::vector<std::int16_t> packed(numbers.words() + HatNumbers::spare_words);
  const float height = 100;
  std::memcpy(packed.data() + numbers.height_at(), &height, sizeof height);
  const auto packs = [&](const HatNumber& number) {
    return pack_number(numbers, 0, number, packed.data());
  };
  EXPECT_FALSE(packs({.line = 20, .knot = 0, .left = 60, .right = 20}));  // too little
  EXPECT_FALSE(packs({.line = 20, .knot = 0, .left = 81, .right = 20}));  // too much
  EXPECT_FALSE(packs({.line = 28, .knot = 0, .left = 80, .right = 20}));  // far off the line
  EXPECT_FALSE(packs({.line = 18, .knot = 0, .left = 80, .right = 20}));
  EXPECT_FALSE(packs({.line = 0, .knot = 0, .left = 120, .right = -20}));
  EXPECT_FALSE(packs({.line = 3220, .knot = 32, .left = 80, .right = 20}));
  EXPECT_TRUE(packs({.line = 20, .knot = 0, .left = 80, .right = 20}));
}

TEST(HatKernels, SumsOfLargeMultiplesKeepBothHalves) {
  const HatNumbers numbers{.count = 1, .rise = {1}, .origin = {0}, .first = {0}};
  std::vector<std::int16_t> packed(numbers.words() + HatNumbers::spare_words);
  const float height = 2;
  std::memcpy(packed.data() + numbers.height_at(), &height, sizeof height);
  ASSERT_TRUE(
      pack_number(numbers, 0, {.line = 1, .knot = 0, .left = 1, .right = 1}, packed.data()));
  HatTile tile(numbers, 4);
  tile.unpack(std::vector<const std::int16_t*>(4, packed.data()));
  HatSums sums(2);
  std::vector<std::int64_t> found(2);
  for (int k = 0; k < 5; ++k) tile.add_multiples(std::vector<double>(4, -0x1p30), sums);
  tile.add_multiples(std::vector<double>{0x1p30, 1, 2, -3}, sums);
  sums.add_to(found);
  EXPECT_EQ(found, (std::vector<std::int64_t>(2, -19 * (1LL << 30))));
}

}  // namespace hat_kernels_test
}  // namespace tacet::numeric
