#include "tacet/choose/blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "tacet/base/error.h"

namespace tacet::choose {
namespace blocks_test {

using enum privacy::Adjacency;

/// Records 0, 1, ... told apart by their feature, and in units of `per_unit`.
data::Dataset numbered(std::int64_t rows, std::int64_t per_unit = 0) {
  data::Dataset records({.columns = 1, .norm_bound = 1});
  if (per_unit > 0) records.declare_units();
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto value = static_cast<std::int16_t>(row);
    records.append_dense(std::array{value}, 0.5, per_unit > 0 ? row / per_unit : 0);
  }
  return records;
}

random::BlockClaim random_draws(random::Source& source, std::uint64_t run = 0) {
  return source.claim(random::Purpose::sampling, run, 0);
}

std::vector<int> blocks_of(const std::vector<data::Dataset>& blocks, std::int64_t rows) {
  std::vector<int> found(static_cast<std::size_t>(rows), -1);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (std::int64_t row = 0; row < blocks[b].rows(); ++row) {
      auto& place = found[static_cast<std::size_t>(blocks[b].dense_row(row)[0])];
      EXPECT_EQ(place, -1) << "a record in two blocks";
      place = static_cast<int>(b);
    }
  }
  return found;
}

TEST(Blocks, DeclaredSizesAddUpToTheCount) {
  for (const std::int64_t count : {9, 10, 32561, 1000003}) {
    const auto sizes = declared_sizes(count, std::array{0.7, 0.1, 0.2});
    EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), count);
  }
  EXPECT_EQ(declared_sizes(32561, std::array{0.7, 0.3})[1], 9768);
  EXPECT_THROW(static_cast<void>(declared_sizes(3, std::array{0.99, 0.01})), base::UsageError);
}

TEST(Blocks, EveryRecordIsInOneAndAPublicNumberIsDividedExactly) {
  random::SeededSource source(1);
  const std::array<std::int64_t, 3> sizes{60, 30, 10};
  for (const auto adjacency : {replace_one, zero_out}) {
    const auto blocks = draw_blocks(numbered(100), sizes, adjacency,
                                    random_draws(source, static_cast<std::uint64_t>(adjacency)));
    const auto found = blocks_of(blocks, 100);
    EXPECT_EQ(std::ranges::count(found, -1), 0);
    for (std::size_t b = 0; b < 3; ++b) EXPECT_EQ(blocks[b].rows(), sizes[b]);
  }
  EXPECT_THROW(
      static_cast<void>(draw_blocks(numbered(99), sizes, replace_one, random_draws(source, 9))),
      base::InternalError);
}

TEST(Blocks, RecordsThatAreGivenAwayAreDividedAlike) {
  random::SeededSource one(3);
  random::SeededSource other(3);
  const std::array<std::int64_t, 2> sizes{700, 300};
  const auto records = numbered(1500);
  auto given = numbered(1500);
  EXPECT_EQ(blocks_of(draw_blocks(records, sizes, add_remove, random_draws(one)), 1500),
            blocks_of(draw_blocks(std::move(given), sizes, add_remove, random_draws(other)), 1500));
}

TEST(Blocks, AUnitStaysTogetherAndIsNumberedAnew) {
  random::SeededSource source(4);
  const auto records = numbered(900, 3);
  const auto blocks =
      draw_blocks(records, std::array<std::int64_t, 2>{7, 3}, add_remove, random_draws(source));
  const auto found = blocks_of(blocks, 900);
  for (std::size_t row = 0; row < 900; ++row) EXPECT_EQ(found[row], found[row / 3 * 3]);
  EXPECT_EQ(blocks[0].unit_count() + blocks[1].unit_count(), 300);
  for (const auto& block : blocks) {
    for (std::int64_t row = 0; row < block.rows(); ++row) EXPECT_EQ(block.unit_of(row), row / 3);
  }
}

// One record more changes the block of no other in law: each one's random draw is fair by itself.
// Of 20,000 draws the count of each of the eight patterns of three records lies within 5 standard
// deviations in all but one of 200,000 correct programs.
TEST(Blocks, UnderAddRemoveARecordMoreLeavesTheLawOfTheOthers) {
  random::SeededSource source(5);
  const std::array<std::int64_t, 2> sizes{7, 3};
  for (const std::int64_t rows : {3, 4}) {
    std::map<std::vector<int>, int> seen;
    constexpr int draws = 20000;
    for (std::uint64_t run = 0; run < draws; ++run) {
      auto found = blocks_of(
          draw_blocks(numbered(rows), sizes, add_remove,
                      random_draws(source, 100000 * static_cast<std::uint64_t>(rows) + run)),
          rows);
      found.resize(3);  // the record more is the last
      ++seen[found];
    }
    for (const auto& [pattern, count] : seen) {
      double probability = 1;
      for (const int block : pattern) probability *= block == 0 ? 0.7 : 0.3;
      EXPECT_NEAR(count, draws * probability, 5 * std::sqrt(draws * probability)) << rows;
    }
    EXPECT_EQ(seen.size(), 8U);
  }
}

// All assignments of exactly these sizes alike: ten of them, 2,000 each in 20,000, within 5
// standard deviations.
TEST(Blocks, WithAPublicNumberAllDivisionsAreAlike) {
  random::SeededSource source(6);
  std::map<std::vector<int>, int> seen;
  for (std::uint64_t run = 0; run < 20000; ++run) {
    ++seen[blocks_of(draw_blocks(numbered(5), std::array<std::int64_t, 2>{2, 3}, replace_one,
                                 random_draws(source, run)),
                     5)];
  }
  EXPECT_EQ(seen.size(), 10U);
  for (const auto& [pattern, count] : seen) EXPECT_NEAR(count, 2000, 5 * std::sqrt(2000.0));
}

}  // namespace blocks_test
}  // namespace tacet::choose
