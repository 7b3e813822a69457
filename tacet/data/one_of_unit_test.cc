#include "tacet/data/one_of_unit.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/source/source.h"

namespace tacet::data {
namespace one_of_unit_test {

/// A record whose only feature is its number.
void append(Dataset& dataset, std::int16_t number, std::int64_t unit) {
  dataset.append({.columns = {0}, .values = {number}, .label = 1, .unit = unit});
}

/// Units of 3, 1 and 2 records, two records without one between them.
Dataset visits(Storage storage, bool with_second) {
  Dataset dataset({.columns = 2, .norm_bound = 1, .storage = storage});
  dataset.declare_units();
  append(dataset, 1, 0);
  append(dataset, 50, Dataset::no_unit);
  append(dataset, 2, 0);
  if (with_second) append(dataset, 9, 1);
  append(dataset, 11, with_second ? 2 : 1);
  append(dataset, 51, Dataset::no_unit);
  append(dataset, 3, 0);
  append(dataset, 12, with_second ? 2 : 1);
  return dataset;
}

std::vector<int> drawn(const Dataset& dataset, random::Source& source, std::uint64_t step) {
  const auto records =
      one_record_per_unit(dataset, source.claim(random::Purpose::sampling, step, 0));
  std::vector<int> numbers;
  for (std::int64_t row = 0; row < records.rows(); ++row) {
    numbers.push_back(records.sparse() ? records.sparse_row(row).values[0]
                                       : records.dense_row(row)[0]);
  }
  return numbers;
}

// Each unit gives one of its records, all equally often and independently of the others', whether
// the unit between them is there or not: what the proof's averaging rests on. Each count of 6000
// draws strays by more than 5 standard deviations of a binomial in one seed out of a million.
TEST(OneOfUnit, IsUniformAndTheSameLawWithoutAnotherUnit) {
  constexpr int draws = 6000;
  random::SeededSource source(4);
  std::uint64_t step = 0;
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    for (const bool with_second : {true, false}) {
      const auto dataset = visits(storage, with_second);
      std::map<std::array<int, 2>, int> counts;
      for (int i = 0; i < draws; ++i) {
        const auto numbers = drawn(dataset, source, ++step);
        ASSERT_EQ(numbers.size(), with_second ? 3 : 2);
        if (with_second) {
          EXPECT_EQ(numbers[1], 9);
        }
        ++counts[{numbers.front(), numbers.back()}];
      }
      ASSERT_EQ(counts.size(), 6);
      for (const auto& [pair, count] : counts) EXPECT_NEAR(count, draws / 6, 150) << pair[0];
    }
  }
}

// Whatever the random draws, data sets that differ in one unit become ones that differ in one
// record at most: every pair of draws that agree on the others' choices is such a pair.
TEST(OneOfUnit, NeighboursInAUnitBecomeNeighboursInARecord) {
  random::SeededSource source(5);
  std::map<std::vector<int>, int> without;
  std::uint64_t step = 0;
  for (int i = 0; i < 200; ++i) ++without[drawn(visits(Storage::dense, false), source, ++step)];
  for (int i = 0; i < 200; ++i) {
    auto numbers = drawn(visits(Storage::dense, true), source, ++step);
    numbers.erase(numbers.begin() + 1);
    EXPECT_TRUE(without.contains(numbers));
  }
}

TEST(OneOfUnit, RecordsWithoutUnitsAreRefusedAndNoneIsNone) {
  random::SeededSource source(6);
  const Dataset plain({.columns = 1});
  EXPECT_THROW((void)one_record_per_unit(plain, source.claim(random::Purpose::sampling, 0, 0)),
               base::InternalError);
  Dataset empty({.columns = 1});
  empty.declare_units();
  append(empty, 1, Dataset::no_unit);
  EXPECT_TRUE(drawn(empty, source, 1).empty());
}

}  // namespace one_of_unit_test
}  // namespace tacet::data
