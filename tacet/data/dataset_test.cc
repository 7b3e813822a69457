#include "tacet/data/dataset.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/random/source/source.h"

namespace tacet::data {
namespace dataset_test {

using Values = std::vector<std::int16_t>;

Dataset make(Storage storage, std::int64_t columns, double bound = 1) {
  return Dataset({.columns = columns, .norm_bound = bound, .storage = storage});
}

Values row_of(const Dataset& data, std::int64_t row) {
  Values values(static_cast<std::size_t>(data.columns()), 0);
  if (data.sparse()) {
    const SparseRow sparse = data.sparse_row(row);
    for (std::size_t k = 0; k < sparse.columns.size(); ++k) {
      values[sparse.columns[k]] = sparse.values[k];
    }
  } else {
    const auto dense = data.dense_row(row);
    values.assign(dense.begin(), dense.end());
  }
  return values;
}

// Enough rows and columns for several blocks of every kind.
TEST(Dataset, DenseAndSparseStorageHoldTheSameRows) {
  constexpr std::int64_t columns = 700;
  Dataset dense = make(Storage::dense, columns);
  Dataset sparse = make(Storage::sparse, columns);
  const auto value_at = [](std::int64_t row, std::int64_t column) {
    return static_cast<std::int16_t>((row * 31 + column * 17) % 23 == 0 ? (row + column) % 40 - 20
                                                                        : 0);
  };
  constexpr std::int64_t rows = 4000;
  Values values(columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t c = 0; c < columns; ++c) {
      values[static_cast<std::size_t>(c)] = value_at(row, c);
    }
    dense.append_dense(values, row % 2 == 0 ? 1 : -1);
    sparse.append_dense(values, row % 2 == 0 ? 1 : -1);
  }
  ASSERT_EQ(dense.rows(), rows);
  ASSERT_EQ(sparse.rows(), rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const Values stored = row_of(dense, row);
    ASSERT_EQ(stored, row_of(sparse, row));
    std::int64_t squared = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      ASSERT_EQ(stored[static_cast<std::size_t>(c)], value_at(row, c));
      squared += std::int64_t{value_at(row, c)} * value_at(row, c);
    }
    ASSERT_EQ(dense.squared_norm(row), squared);
    ASSERT_EQ(sparse.squared_norm(row), squared);
    ASSERT_EQ(dense.label(row), sparse.label(row));
  }
}

// A record without a target keeps its place through every copy, and has no feature.
TEST(Dataset, RecordsWithoutATargetKeepTheirPlace) {
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    Dataset data = make(storage, 3);
    EncodedRow row{.columns = {1}, .values = {7}};
    data.append(row);
    row.set_label(std::nullopt, -1);
    data.append(row);
    row = {.columns = {0}, .values = {5}, .label = 1};
    data.append(row);
    Dataset twice = make(storage, 3);
    twice.append(data);
    twice.append(data);
    for (const std::int64_t k : {0, 1, 2, 3, 4, 5}) {
      EXPECT_EQ(twice.labelled(k), k % 3 != 1) << k;
    }
    EXPECT_EQ(row_of(twice, 4), Values({0, 0, 0}));
    EXPECT_EQ(twice.label(4), -1);
    EncodedRow wrong{.columns = {1}, .values = {7}, .labelled = false};
    EXPECT_THROW(data.append(wrong), base::InternalError);
  }
}

TEST(Dataset, RefusesRowsBeyondTheNormBound) {
  Dataset data = make(Storage::dense, 2);
  EXPECT_NO_THROW(data.append_dense(Values{2048, 0}, 1));
  EXPECT_THROW(data.append_dense(Values{2048, 1}, 1), base::InternalError);
  EXPECT_THROW(data.append_dense(Values{2049, 0}, 1), base::InternalError);
  EXPECT_EQ(data.rows(), 1);
  Dataset wide = make(Storage::sparse, 2, 1.5);
  EXPECT_EQ(wide.squared_norm_bound(), 3072 * 3072);
  EXPECT_NO_THROW(wide.append_dense(Values{2048, 2048}, 1));
}

TEST(Dataset, SquaredBoundNeverExceedsTheRealOne) {
  for (const double bound : {0.1, 0.3, 1.0, 1.1, 2.7, 31.6227766}) {
    const auto limit = static_cast<long double>(2048 * static_cast<long double>(bound));
    const auto squared = make(Storage::dense, 1, bound).squared_norm_bound();
    EXPECT_LE(static_cast<long double>(squared), limit * limit);
    EXPECT_GT(static_cast<long double>(squared) + 2, limit * limit);
  }
}

TEST(Dataset, RefusesRowsOutOfOrder) {
  Dataset data = make(Storage::sparse, 4);
  EncodedRow row;
  row.columns = {2, 1};
  row.values = {1, 1};
  EXPECT_THROW(data.append(row), base::InternalError);
  row.columns = {1, 4};
  EXPECT_THROW(data.append(row), base::InternalError);
  row.columns = {1, 1};
  EXPECT_THROW(data.append(row), base::InternalError);
}

TEST(Dataset, UnitsAreRecordsUnlessDeclared) {
  Dataset plain = make(Storage::dense, 1);
  plain.append_dense(Values{1}, 1);
  plain.append_dense(Values{2}, 1);
  EXPECT_FALSE(plain.has_units());
  EXPECT_EQ(plain.unit_of(1), 1);
  EXPECT_EQ(plain.unit_count(), 2);

  Dataset grouped = make(Storage::dense, 1);
  grouped.declare_units();
  for (const std::int64_t unit : {0, 1, 0, 2}) grouped.append_dense(Values{1}, 1, unit);
  EXPECT_EQ(grouped.unit_count(), 3);
  EXPECT_EQ(grouped.unit_of(2), 0);
  EXPECT_THROW(grouped.append_dense(Values{1}, 1, 5), base::InternalError);
}

TEST(Dataset, MemoryIsTheEncodedDataAndABlock) {
  constexpr std::int64_t rows = 100000;
  Dataset data = make(Storage::dense, 54);
  const Values values(54, 1);
  for (std::int64_t row = 0; row < rows; ++row) data.append_dense(values, 1);
  const std::int64_t encoded = rows * (54 * 2 + 8 + 8);
  EXPECT_LT(data.memory_bytes(), encoded + (std::int64_t{4} << 20));
}

TEST(Dataset, RefusesShapesThatMakeNoSense) {
  EXPECT_THROW(make(Storage::dense, 0), base::UsageError);
  EXPECT_THROW(make(Storage::dense, std::int64_t{1} << 33), base::UsageError);
  EXPECT_THROW(make(Storage::dense, 1, 0), base::UsageError);
  EXPECT_THROW(make(Storage::dense, 1, -1), base::UsageError);
}

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

}  // namespace dataset_test

}  // namespace tacet::data
