#include "tacet/numeric/hat_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace tacet::numeric {
namespace hat_kernels_test {

constexpr std::size_t rest = 3;

/// Numbers with up to so many intervals, rows of positions of which some are on knots and at ends,
/// weights and factors.
struct Rows {
  Rows(std::size_t count, std::size_t size, std::int32_t most_intervals, std::int32_t largest,
       std::uint64_t seed)
      : bits(seed) {
    numbers.rest = rest;
    for (std::size_t j = 0; j < size; ++j) {
      const auto intervals =
          j == 0 ? most_intervals : 1 + static_cast<std::int32_t>(below(most_intervals));
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
    for (std::size_t j = 0; j < size; ++j) lines.push_back(weight());
    for (std::size_t k = 0; k < numbers.places; ++k) hats.push_back(weight());
  }

  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(end));
  }
  double weight() { return static_cast<double>(below(1 << 30) - (1 << 29)); }

  std::mt19937_64 bits;
  HatNumbers numbers;
  std::vector<std::vector<std::int16_t>> packed;
  std::vector<const std::int16_t*> pointers;
  std::vector<double> factors;
  std::vector<double> lines;
  std::vector<double> hats;
};

/// The sums by what the header says of a number's features.
struct Expected {
  explicit Expected(const HatNumbers& numbers) : lines(numbers.size()), hats(numbers.places) {}

  void add(const Rows& rows) {
    for (std::size_t r = 0; r < rows.packed.size(); ++r) {
      const auto factor = static_cast<std::int64_t>(rows.factors[r]);
      for (std::size_t j = 0; j < rows.numbers.size(); ++j) {
        const auto& number = rows.numbers.list[j];
        const std::int32_t position = rows.packed[r][j];
        lines[j] += factor * number.line(position);
        for (std::int32_t k = 0; k <= number.intervals; ++k) {
          const auto away = std::abs(position - k * HatNumber::steps);
          hats[static_cast<std::size_t>(number.first + k)] +=
              factor * HatNumber::height * std::max(0, HatNumber::steps - away);
        }
      }
    }
  }

  std::vector<std::int64_t> lines;
  std::vector<std::int64_t> hats;
};

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
          Expected expected(rows.numbers);
          std::vector<std::int64_t> lines(rows.numbers.size());
          std::vector<std::int64_t> hats(rows.numbers.places);
          for (int twice = 0; twice < 2; ++twice) {
            add(rows, block, sums);
            sums.add_to(lines, hats);
            expected.add(rows);
            ASSERT_EQ(lines, expected.lines);
            ASSERT_EQ(hats, expected.hats);
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
  for (auto& row : rows.packed) row[0] = 7 * HatNumber::steps;
  HatBlock block(rows.numbers);
  HatSums sums(rows.numbers);
  Expected expected(rows.numbers);
  for (int k = 0; k < 300; ++k) {
    add(rows, block, sums);
    expected.add(rows);
  }
  std::vector<std::int64_t> lines(rows.numbers.size());
  std::vector<std::int64_t> hats(rows.numbers.places);
  sums.add_to(lines, hats);
  EXPECT_EQ(lines, expected.lines);
  EXPECT_EQ(hats, expected.hats);
}

std::vector<float> margins_of(const Rows& rows) {
  HatBlock block(rows.numbers);
  block.read(rows.pointers);
  std::vector<float> sums(HatBlock::rows);
  block.margins(HatTable(rows.numbers, rows.lines, rows.hats),
                std::span<float, HatBlock::rows>(sums));
  sums.resize(rows.pointers.size());
  return sums;
}

TEST(HatKernels, MarginsAreThoseOfFeaturesAndTheSameBitsOnEveryInstructionSet) {
  for (const std::int32_t intervals : {1, 7, 15, 16, 31}) {
    const Rows rows(101, 33, intervals, 1, 11);
    hwy::SetSupportedTargetsForTest(0);
    const auto found = margins_of(rows);
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
        add(rows.lines[j] * (number.rise * position));
        add(-rows.lines[j] * number.origin);
        for (std::int32_t k = 0; k <= number.intervals; ++k) {
          const auto away = std::abs(position - k * HatNumber::steps);
          add(rows.hats[static_cast<std::size_t>(number.first + k)] * HatNumber::height *
              std::max(0, HatNumber::steps - away));
        }
      }
      EXPECT_NEAR(found[r], margin, 1e-6 * size);
    }
    for (const auto targets : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(targets);
      EXPECT_EQ(margins_of(rows), found);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace hat_kernels_test
}  // namespace tacet::numeric
