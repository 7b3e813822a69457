#include "tacet/learn/rows/row_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tacet::learn {
namespace row_table_test {

constexpr std::int64_t hundred_million = 100'000'000;

void start_with_number(std::int64_t row, std::span<float> out) {
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j] = static_cast<float>(row % 1000) + static_cast<float>(j) / 16;
  }
}

TEST(RowTable, HoldsWhatWasChosenAndNothingElse) {
  RowTable table(privacy::RowLayout({{.rows = hundred_million, .width = 16}}), start_with_number,
                 2);
  std::vector<float> room(16);
  const auto before = table.read(77, room);
  EXPECT_EQ(before.values[3], 77 + 3.0F / 16);
  EXPECT_FALSE(before.stored());
  EXPECT_TRUE(table.stored_rows().empty());

  const auto row = table.change(77);
  EXPECT_EQ(row.values[3], 77 + 3.0F / 16);
  for (const std::size_t kind : {0U, 1U}) {
    EXPECT_EQ(row.state(kind).size(), 16U);
    EXPECT_TRUE(std::ranges::all_of(row.state(kind), [](float x) { return x == 0; }));
  }
  row.values[3] = -1;
  row.state(1)[15] = 5;
  row.last_steps.front() = 9;
  // Thousands of further rows later it is where it was.
  for (std::int64_t k = 0; k < 5000; ++k) table.change(hundred_million - 1 - 3 * k).values[0] = 2;
  const auto after = table.read(77, room);
  EXPECT_EQ(after.values[3], -1);
  EXPECT_EQ(after.state(1)[15], 5);
  EXPECT_EQ(after.last_step, 9);
  EXPECT_EQ(table.read(hundred_million - 1, room).values[0], 2);
  EXPECT_EQ(table.stored_rows().size(), 5001U);
}

TEST(RowTable, RowsOfTablesOfOtherWidthsLieSideBySide) {
  const privacy::RowLayout layout({{.rows = 10, .width = 3}, {.rows = 4, .width = 7}});
  RowTable table(layout, start_with_number, 1);
  for (std::int64_t row = 0; row < layout.rows(); ++row) {
    const auto changed = table.change(row);
    EXPECT_EQ(changed.values.size(), row < 10 ? 3U : 7U);
    EXPECT_EQ(changed.state(0).size(), changed.values.size());
    std::ranges::fill(changed.values, static_cast<float>(row));
    std::ranges::fill(changed.state(0), static_cast<float>(-row));
  }
  std::vector<float> room(7);
  for (std::int64_t row = 0; row < layout.rows(); ++row) {
    const auto view = table.read(row, room);
    for (const float value : view.values) EXPECT_EQ(value, static_cast<float>(row));
    for (const float value : view.state(0)) EXPECT_EQ(value, static_cast<float>(-row));
  }
}

// Rows of one table, in their own order, within a block of memory; whatever was stored before them
// or in between lies elsewhere.
TEST(RowTable, RowsInTheirOwnOrderAreChangedAtOnce) {
  const privacy::RowLayout layout(
      {{.rows = 1500, .width = 2}, {.rows = 100, .width = 3}, {.rows = 7, .width = 3}});
  RowTable table(layout, start_with_number, 1);
  EXPECT_EQ(table.change_from(0, 5).last_steps.size(), 1U);  // only itself is stored
  for (std::int64_t row = 0; row < 1550; ++row) (void)table.change(row);
  (void)table.change(1600);
  for (std::int64_t row = 1550; row < layout.rows(); ++row) (void)table.change(row);
  EXPECT_EQ(table.change_from(3, 40).last_steps.size(), 1U);  // narrower than its place
  EXPECT_EQ(table.change_from(1510, 30).last_steps.size(), 30U);
  EXPECT_EQ(table.change_from(1510, 300).last_steps.size(), 40U);
  EXPECT_EQ(table.change_from(1600, 7).last_steps.size(), 1U);  // stored before its turn
  const auto rows = table.change_from(1520, 8);
  for (std::size_t k = 0; k < 8; ++k) {
    rows.row(k).values[1] = static_cast<float>(k);
    rows.row(k).state(0)[2] = -static_cast<float>(k);
    rows.row(k).last_steps.front() = 4;
  }
  std::vector<float> room(3);
  for (std::int64_t row = 1500; row < layout.rows(); ++row) {
    const bool changed = row >= 1520 && row < 1528;
    const auto view = table.read(row, room);
    EXPECT_EQ(view.values[0], static_cast<float>(row % 1000));
    EXPECT_EQ(view.values[1], changed ? static_cast<float>(row - 1520)
                                      : static_cast<float>(row % 1000) + 1.0F / 16);
    EXPECT_EQ(view.state(0)[2], changed ? -static_cast<float>(row - 1520) : 0);
    EXPECT_EQ(view.last_step, changed ? 4 : 0);
  }
}

TEST(RowTable, RowsThatAreChangedAtOnceEndWithTheirTableAndBlock) {
  const privacy::RowLayout layout({{.rows = 1030, .width = 2}, {.rows = 10, .width = 2}});
  RowTable table(layout, start_with_number, 0);
  for (std::int64_t row = 0; row < layout.rows(); ++row) (void)table.change(row);
  EXPECT_EQ(table.change_from(1000, 40).last_steps.size(), 24U);
  EXPECT_EQ(table.change_from(1024, 16).last_steps.size(), 6U);
  EXPECT_EQ(table.change_from(1030, 10).last_steps.size(), 10U);
}

}  // namespace row_table_test
}  // namespace tacet::learn
