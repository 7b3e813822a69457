#include "tacet/privacy/row_layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace row_layout_test {

TEST(RowLayout, NumbersRowsAndCellsThroughAllTables) {
  const RowLayout layout({{10, 3}, {4, 1}, {5, 7}}, 2);
  EXPECT_EQ(layout.rows(), 19);
  EXPECT_EQ(layout.cells(), 30 + 4 + 35);
  EXPECT_EQ(layout.widest(), 7);
  EXPECT_EQ(layout.row(2, 1), 15);
  std::int64_t cell = 0;
  for (std::int64_t row = 0; row < layout.rows(); ++row) {
    ASSERT_EQ(layout.first_cell(row), cell);
    for (std::int64_t j = 0; j < layout.width(row); ++j) {
      ASSERT_EQ(layout.row_of_cell(cell++), row);
    }
  }
  EXPECT_EQ(cell, layout.cells());
}

TEST(RowLayout, HoldsTablesOfAnyHeight) {
  const RowLayout layout({{100000000, 16}});
  EXPECT_EQ(layout.cells(), 1600000000);
  EXPECT_EQ(layout.row_of_cell(1599999999), 99999999);
  EXPECT_THROW(RowLayout({}), base::UsageError);
  EXPECT_THROW(RowLayout({{0, 1}}), base::UsageError);
  EXPECT_THROW(RowLayout({{1, 0}}), base::UsageError);
  EXPECT_THROW(RowLayout({{1, 65537}}), base::UsageError);
  EXPECT_THROW(RowLayout({{std::int64_t{1} << 41, 1}}), base::UsageError);
  EXPECT_THROW(RowLayout({{std::int64_t{1} << 40, 65536}}), base::UsageError);
  EXPECT_THROW(RowLayout({{1, 1}}, -1), base::UsageError);
}

TEST(RowSelection, NamesEachOnceAndNothingElse) {
  const RowLayout layout({{10, 3}, {4, 1}});
  EXPECT_EQ(RowSelection::all().cell_count(layout), 34);
  EXPECT_EQ(RowSelection::rows({12, 0}).cell_count(layout), 4);
  EXPECT_EQ(*RowSelection::rows({12, 0}).rows(), (std::vector<std::int64_t>{0, 12}));
  EXPECT_EQ(RowSelection::cells({33, 1, 5}).cell_count(layout), 3);
  EXPECT_EQ(RowSelection::rows({}).cell_count(layout), 0);
  EXPECT_THROW((void)RowSelection::rows({14}).cell_count(layout), base::UsageError);
  EXPECT_THROW((void)RowSelection::cells({34}).cell_count(layout), base::UsageError);
  EXPECT_THROW((void)RowSelection::rows({3, 3}), base::UsageError);
  EXPECT_THROW((void)RowSelection::cells({-1}), base::UsageError);
}

}  // namespace row_layout_test
}  // namespace tacet::privacy
