#include "tacet/numeric/hat_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace tacet::numeric {
namespace hat_kernels_test {

constexpr std::size_t rest = 3;

/// Numbers with up to so many intervals, rows of positions of which some are on knots and at ends,
/// weights and factors.
struct Rows {
  Rows(std::size_t count, std::size_t size, std::int32_t max_intervals, std::int32_t largest,
       std::uint64_t seed)
      : bits(seed) {
    numbers.rest = rest;
    for (std::size_t j = 0; j < size; ++j) {
      const auto intervals =
          j == 0 ? max_intervals : 1 + static_cast<std::int32_t>(below(max_intervals));
      numbers.list.push_back({.intervals = intervals,
                              .first = static_cast<std::int32_t>(numbers.places),
                              .shift = 3,
                              .factor = static_cast<std::uint16_t>(below(32768)),
                              .offset = static_cast<std::int16_t>(below(32768)),
                              .rise = 0.01 * static_cast<double>(below(500)),
                              .origin = static_cast<double>(below(20000))});
      numbers.places += static_cast<std::size_t>(intervals) + 1;
    }
    for (std::size_t r = 0; r < count; ++r) {
      auto& row = packed.emplace_back(numbers.words() + HatNumbers::spare_words);
      for (auto& word : row) word = static_cast<std::int16_t>(below(65536));
      for (std::size_t j = 0; j < size; ++j) {
        const auto end = numbers.list[j].intervals * HatNumber::steps;
        const auto kind = below(8);
        row[j] = static_cast<std::int16_t>(kind == 0   ? end
                                           : kind == 1 ? 0
                                                       : below(end) & (kind == 2 ? ~255 : ~0));
      }
      const bool extreme = below(4) == 0;
      factors.push_back(static_cast<double>(extreme ? (below(2) == 0 ? largest : -largest)
                                                    : below(2 * largest + 1) - largest));
    }
    for (const auto& row : packed) pointers.push_back(row.data());
  }

  HatParts<double> weights() {
    HatParts<double> drawn(numbers);
    for (auto* part : {&drawn.lines, &drawn.hats, &drawn.rest}) {
      for (double& one : *part) one = static_cast<double>(below(1 << 30) - (1 << 29));
    }
    return drawn;
  }

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(end));
  }

  std::mt19937_64 bits;
  HatNumbers numbers;
  std::vector<std::vector<std::int16_t>> packed;
  std::vector<const std::int16_t*> pointers;
  std::vector<double> factors;
};

using Sums = HatParts<std::int64_t>;

/// The sums by what the header says of a row's features.
void expect_more(const Rows& rows, Sums& sums) {
  for (std::size_t r = 0; r < rows.packed.size(); ++r) {
    const auto factor = static_cast<std::int64_t>(rows.factors[r]);
    for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
      const auto& number = rows.numbers.list[j];
      const std::int32_t position = rows.packed[r][j];
      sums.lines[j] += factor * number.line(position);
      for (std::int32_t k = 0; k <= number.intervals; ++k) {
        const auto away = std::abs(position - k * HatNumber::steps);
        sums.hats[static_cast<std::size_t>(number.first + k)] +=
            factor * HatNumber::height * std::max(0, HatNumber::steps - away);
      }
    }
    for (std::size_t k = 0; k < rest; ++k) {
      sums.rest[k] += factor * rows.packed[r][rows.numbers.size() + k];
    }
  }
}

void expect_equal(const Sums& found, const Sums& expected) {
  ASSERT_EQ(found.lines, expected.lines);
  ASSERT_EQ(found.hats, expected.hats);
  ASSERT_EQ(found.rest, expected.rest);
}

void add(const Rows& rows, HatBlock& block, HatSums& sums) {
  for (std::size_t r = 0; r < rows.pointers.size(); r += HatBlock::rows) {
    const auto count = std::min(HatBlock::rows, rows.pointers.size() - r);
    block.read(std::span(rows.pointers).subspan(r, count));
    block.add_multiples(std::span(rows.factors).subspan(r, count), sums);
  }
}

TEST(HatKernels, SumsEqualThoseOfFeaturesOnEveryInstructionSet) {
  for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(targets);
    for (const std::int32_t intervals : {1, 7, 8, 9, 31}) {
      for (const std::size_t size : {1u, 8u, 17u, 50u}) {
        for (const std::int32_t largest : {1, 100, 32767, HatBlock::largest_factor}) {
          const Rows rows(size == 17 ? 3000 : 70, size, intervals, largest, 100 * size + 7);
          HatBlock block(rows.numbers);
          HatSums sums(rows.numbers);
          Sums expected(rows.numbers);
          expect_more(rows, expected);
          for (int twice = 0; twice < 2; ++twice) {
            add(rows, block, sums);
            expect_equal(sums.take(), expected);
          }
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(HatKernels, ManyRowsOfTheLargestFactorKeepEverySum) {
  Rows rows(256, 3, 7, 1 << 14, 5);
  std::ranges::fill(rows.factors, 1 << 14);
  for (auto& row : rows.packed) {
    row[0] = 7 * HatNumber::steps;
    row[3] = std::numeric_limits<std::int16_t>::min();
  }
  HatBlock block(rows.numbers);
  HatSums sums(rows.numbers);
  Sums expected(rows.numbers);
  for (int k = 0; k < 300; ++k) {
    add(rows, block, sums);
    expect_more(rows, expected);
  }
  expect_equal(sums.take(), expected);
}

std::vector<float> margins_of(const Rows& rows, const HatParts<double>& weights) {
  HatBlock block(rows.numbers);
  block.read(rows.pointers);
  std::vector<float> sums(HatBlock::rows);
  block.margins(HatTable(rows.numbers, weights), std::span<float, HatBlock::rows>(sums));
  sums.resize(rows.pointers.size());
  return sums;
}

TEST(HatKernels, MarginsAreThoseOfFeaturesAndTheSameBitsOnEveryInstructionSet) {
  for (const std::int32_t intervals : {1, 7, 15, 16, 31}) {
    Rows rows(101, 33, intervals, 1, 11);
    const auto weights = rows.weights();
    hwy::SetSupportedTargetsForTest(0);
    const auto found = margins_of(rows, weights);
    for (std::size_t r = 0; r < found.size(); ++r) {
      double margin = 0;
      double size = 0;
      const auto add = [&](double term) {
        margin += term;
        size += std::abs(term);
      };
      for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
        const auto& number = rows.numbers.list[j];
        const std::int32_t position = rows.packed[r][j];
        add(weights.lines[j] * (number.rise * position));
        add(-weights.lines[j] * number.origin);
        for (std::int32_t k = 0; k <= number.intervals; ++k) {
          const auto away = std::abs(position - k * HatNumber::steps);
          add(weights.hats[static_cast<std::size_t>(number.first + k)] * HatNumber::height *
              std::max(0, HatNumber::steps - away));
        }
      }
      for (std::size_t k = 0; k < rest; ++k) {
        add(weights.rest[k] * rows.packed[r][rows.numbers.size() + k]);
      }
      EXPECT_NEAR(found[r], margin, 1e-6 * size);
    }
    for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(targets);
      EXPECT_EQ(margins_of(rows, weights), found);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace hat_kernels_test
}  // namespace tacet::numeric
