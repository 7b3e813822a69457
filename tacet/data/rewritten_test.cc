#include "tacet/data/rewritten.h"

#include <gtest/gtest.h>

#include <vector>

namespace tacet::data {
namespace rewritten_test {

constexpr std::int64_t rows = 200'000;
constexpr std::int64_t columns = 54;

Dataset records(Storage storage) {
  Dataset data({.columns = columns, .norm_bound = 1, .storage = storage});
  data.declare_units();
  EncodedRow row;
  for (std::int64_t k = 0; k < rows; ++k) {
    row.clear();
    for (std::uint32_t j = 0; j < columns; ++j) {
      row.columns.push_back(j);
      row.values.push_back(static_cast<std::int16_t>(1 + (k + j) % 97));
    }
    row.label = k % 2 == 0 ? 1 : -1;
    row.unit = k;
    data.append(row);
  }
  return data;
}

// The first feature of each row, twice; what is held for the rows at the last one.
auto first_twice(std::int64_t& held) {
  return [&held](const Dataset& data, std::int64_t row, EncodedRow& out) {
    const auto value = data.sparse() ? data.sparse_row(row).values[0] : data.dense_row(row)[0];
    out.columns = {0, 1};
    out.values = {value, value};
    held = data.memory_bytes();
  };
}

TEST(Rewritten, RecordsThatAreGivenAwayAreFreedAsTheyAreRead) {
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    auto data = records(storage);
    const auto whole = data.memory_bytes();
    const DatasetShape shape{.columns = 2, .norm_bound = 1, .storage = Storage::dense};
    std::int64_t held = 0;
    const auto copy = rewritten(data, shape, first_twice(held));
    EXPECT_EQ(held, whole);
    const auto moved = rewritten(std::move(data), shape, first_twice(held));
    EXPECT_LT(held, whole / 3);  // two blocks of each kind
    ASSERT_EQ(moved.rows(), rows);
    EXPECT_EQ(moved.unit_count(), rows);
    for (std::int64_t k = 0; k < rows; ++k) {
      ASSERT_EQ(moved.dense_row(k)[0], 1 + k % 97);
      ASSERT_EQ(moved.dense_row(k)[1], copy.dense_row(k)[1]);
      ASSERT_EQ(moved.label(k), copy.label(k));
      ASSERT_EQ(moved.unit_of(k), k);
    }
  }
}

}  // namespace rewritten_test
}  // namespace tacet::data
