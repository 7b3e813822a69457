#include "tacet/data/dataset.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacet/base/error.h"

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

}  // namespace dataset_test
}  // namespace tacet::data
