#include "tacet/optimize/sums/design_row.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace design_row_test {

using data::Storage;
using Row = std::vector<std::int16_t>;

data::Dataset records(Storage storage, const std::vector<Row>& rows) {
  data::Dataset dataset({.columns = 5, .norm_bound = 4, .storage = storage});
  for (const auto& row : rows) dataset.append_dense(row, 0);
  return dataset;
}

Row read(const data::Dataset& dataset, const Design& design, std::int64_t record) {
  DesignRows rows(dataset, design);
  Row row(design.columns.size(), 77);
  const bool complete = rows.read(record, row);
  EXPECT_EQ(complete, row != Row(row.size(), 0));
  return row;
}

// Columns, their products to the nearest unit, and the constant, whatever the storage.
TEST(DesignRow, HasColumnsProductsAndTheConstant) {
  const Design design{.columns = {{}, {{1}}, {{0, 1}}, {{0, 2}}, {{1, 1, 1}}}};
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    const auto dataset = records(storage, {{-2048, 1000, 3, 0, 0}, {700, -700, 2048, 0, 0}});
    EXPECT_EQ(read(dataset, design, 0), (Row{2048, 1000, -1000, -3, 238}));
    EXPECT_EQ(read(dataset, design, 1), (Row{2048, -700, -239, 700, -82}));
  }
}

// A value that is missing, and a group of categories without any: no row at all, without the
// constant too.
TEST(DesignRow, OfARecordThatLacksAValueIsNone) {
  const Design design{.columns = {{}, {{0}}}, .absent = {1}, .present = {{2, 4}}};
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    const auto dataset = records(
        storage, {{5, 0, 0, 2048, 0}, {5, 2048, 0, 2048, 0}, {5, 0, 0, 0, 9}, {0, 0, -2, 0, 0}});
    EXPECT_EQ(read(dataset, design, 0), (Row{2048, 5}));
    EXPECT_EQ(read(dataset, design, 1), (Row{0, 0}));
    EXPECT_EQ(read(dataset, design, 2), (Row{0, 0}));
    EXPECT_EQ(read(dataset, design, 3), (Row{2048, 0}));
  }
}

// Not even a constant: no column tells that a target is missing.
TEST(DesignRow, OfARecordWithoutATargetIsNone) {
  const Design design{.columns = {{}, {{0}}}};
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    auto dataset = records(storage, {{5, 0, 0, 0, 0}});
    dataset.append(data::EncodedRow{.label = 0, .labelled = false});
    EXPECT_EQ(read(dataset, design, 0), (Row{2048, 5}));
    EXPECT_EQ(read(dataset, design, 1), (Row{0, 0}));
  }
}

TEST(DesignRow, RefusesColumnsThatTheDataSetLacks) {
  const auto dataset = records(Storage::dense, {});
  for (const auto& design : {Design{.columns = {{{5}}}}, Design{.columns = {{}}, .absent = {5}},
                             Design{.columns = {{}}, .present = {{3, 6}}}}) {
    EXPECT_THROW(DesignRows(dataset, design), base::UsageError);
  }
}

}  // namespace design_row_test
}  // namespace tacet::optimize
