#include "tacet/privacy/row_layout.h"

#include <algorithm>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace {

constexpr std::int64_t widest_row = 65536;
constexpr std::int64_t max_rows_of_layout = std::int64_t{1} << 40;
constexpr std::int64_t max_cells = std::int64_t{1} << 48;

std::vector<std::int64_t> each_once(std::vector<std::int64_t> chosen, const char* of) {
  if (!std::ranges::is_sorted(chosen)) std::ranges::sort(chosen);
  if (std::ranges::adjacent_find(chosen) != chosen.end() || (!chosen.empty() && chosen[0] < 0)) {
    throw base::UsageError("a choice of {} names each once, by numbers that are not negative", of);
  }
  return chosen;
}

void check_last(const std::vector<std::int64_t>& chosen, std::int64_t count, const char* of) {
  if (chosen.empty() || chosen.back() < count) return;
  throw base::UsageError("{} {} was chosen, the tables have {} of them", of, chosen.back(), count);
}

}  // namespace

RowLayout::RowLayout(std::vector<TableShape> tables, std::int64_t dense)
    : tables_(std::move(tables)), first_rows_{0}, first_cells_{0}, dense_(dense) {
  if (dense < 0 || dense > max_cells || (tables_.empty() && dense == 0)) {
    throw base::UsageError(
        "a model has tables or a dense block of at most 2^48 numbers, got {} of them", dense);
  }
  for (const auto& table : tables_) {
    if (table.rows < 1 || table.width < 1 || table.width > widest_row ||
        table.rows > max_rows_of_layout - rows_ ||
        table.rows > (max_cells - cells_) / table.width) {
      throw base::UsageError(
          "a table has 1 to {} numbers a row, and all tables have at most 2^40 rows and 2^48 "
          "numbers; got {} rows of {}",
          widest_row, table.rows, table.width);
    }
    rows_ += table.rows;
    cells_ += table.rows * table.width;
    widest_ = std::max(widest_, table.width);
    first_rows_.push_back(rows_);
    first_cells_.push_back(cells_);
  }
}

std::int64_t RowLayout::row_of_cell(std::int64_t cell) const {
  std::size_t table = 0;
  while (cell >= first_cells_[table + 1]) ++table;
  return first_rows_[table] + (cell - first_cells_[table]) / tables_[table].width;
}

RowSelection RowSelection::rows(std::vector<std::int64_t> rows) {
  return RowSelection(Rows{each_once(std::move(rows), "rows")});
}

RowSelection RowSelection::cells(std::vector<std::int64_t> cells) {
  return RowSelection(Cells{each_once(std::move(cells), "cells")});
}

const std::vector<std::int64_t>* RowSelection::rows() const {
  const auto* chosen = std::get_if<Rows>(&kind_);
  return chosen == nullptr ? nullptr : &chosen->rows;
}

const std::vector<std::int64_t>* RowSelection::cells() const {
  const auto* chosen = std::get_if<Cells>(&kind_);
  return chosen == nullptr ? nullptr : &chosen->cells;
}

std::int64_t RowSelection::cell_count(const RowLayout& layout) const {
  if (is_all()) return layout.cells();
  if (const auto* chosen = cells()) {
    check_last(*chosen, layout.cells(), "cell");
    return static_cast<std::int64_t>(chosen->size());
  }
  check_last(*rows(), layout.rows(), "row");
  std::int64_t count = 0;
  for (const auto row : *rows()) count += layout.width(row);
  return count;
}

}  // namespace tacet::privacy
