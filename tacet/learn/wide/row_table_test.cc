#include "tacet/learn/wide/row_table.h"

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
  EXPECT_TRUE(before.state.empty());
  EXPECT_TRUE(table.stored_rows().empty());

  const auto row = table.change(77);
  EXPECT_EQ(row.values[3], 77 + 3.0F / 16);
  EXPECT_EQ(row.state.size(), 32U);
  EXPECT_TRUE(std::ranges::all_of(row.state, [](float x) { return x == 0; }));
  row.values[3] = -1;
  row.state[31] = 5;
  *row.last_step = 9;
  // Thousands of further rows later it is where it was.
  for (std::int64_t k = 0; k < 5000; ++k) table.change(hundred_million - 1 - 3 * k).values[0] = 2;
  const auto after = table.read(77, room);
  EXPECT_EQ(after.values[3], -1);
  EXPECT_EQ(after.state[31], 5);
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
    EXPECT_EQ(changed.state.size(), changed.values.size());
    std::ranges::fill(changed.values, static_cast<float>(row));
    std::ranges::fill(changed.state, static_cast<float>(-row));
  }
  std::vector<float> room(7);
  for (std::int64_t row = 0; row < layout.rows(); ++row) {
    const auto view = table.read(row, room);
    for (const float value : view.values) EXPECT_EQ(value, static_cast<float>(row));
    for (const float value : view.state) EXPECT_EQ(value, static_cast<float>(-row));
  }
}

}  // namespace row_table_test
}  // namespace tacet::learn
