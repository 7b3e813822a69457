#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace tacet::privacy {

/// One table of a model: `rows` vectors of `width` numbers each. A record touches few of its rows.
struct TableShape {
  std::int64_t rows;
  std::int64_t width;
  friend bool operator==(const TableShape&, const TableShape&) = default;
};

/// The tables of a model and its dense block (hidden layers, biases and whatever else every record
/// touches). All of it is public. Rows are numbered through all tables, and cells (single numbers)
/// through all rows. The object's memory does not grow with the size of a table.
class RowLayout {
 public:
  /// At least one table, or a dense block. UsageError unless every table has at least one row, its
  /// width is 1 to 65,536, and all rows together are at most 2^40, all cells at most 2^48.
  explicit RowLayout(std::vector<TableShape> tables, std::int64_t dense = 0);

  [[nodiscard]] std::span<const TableShape> tables() const { return tables_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cells() const { return cells_; }
  [[nodiscard]] std::int64_t dense() const { return dense_; }
  /// The width of the widest table; 0 without tables.
  [[nodiscard]] std::int64_t widest() const { return widest_; }

  /// The number, among all rows, of row `r` of a table. Arguments are not checked.
  [[nodiscard]] std::int64_t row(std::size_t table, std::int64_t row) const {
    return first_rows_[table] + row;
  }
  /// The table of a row, 0 <= row < rows().
  [[nodiscard]] std::size_t table_of(std::int64_t row) const {
    std::size_t table = 0;
    while (row >= first_rows_[table + 1]) ++table;
    return table;
  }
  [[nodiscard]] std::int64_t width(std::int64_t row) const { return tables_[table_of(row)].width; }
  [[nodiscard]] std::int64_t first_cell(std::int64_t row) const {
    const auto table = table_of(row);
    return first_cells_[table] + (row - first_rows_[table]) * tables_[table].width;
  }
  /// The row that a cell lies in, 0 <= cell < cells().
  [[nodiscard]] std::int64_t row_of_cell(std::int64_t cell) const;

  friend bool operator==(const RowLayout&, const RowLayout&) = default;

 private:
  std::vector<TableShape> tables_;
  std::vector<std::int64_t> first_rows_;   // of each table, and one past the last table
  std::vector<std::int64_t> first_cells_;  // the same for cells
  std::int64_t rows_ = 0;
  std::int64_t cells_ = 0;
  std::int64_t dense_;
  std::int64_t widest_ = 0;
};

/// A public choice of rows or cells of the tables to which a step adds noise. The dense block
/// always gets noise and is never part of the choice.
class RowSelection {
 public:
  struct All {
    friend bool operator==(const All&, const All&) = default;
  };
  struct Rows {
    std::vector<std::int64_t> rows;
    friend bool operator==(const Rows&, const Rows&) = default;
  };
  struct Cells {
    std::vector<std::int64_t> cells;
    friend bool operator==(const Cells&, const Cells&) = default;
  };

  [[nodiscard]] static RowSelection all() { return RowSelection(All{}); }
  /// In any order. UsageError for a row that occurs twice or is negative.
  [[nodiscard]] static RowSelection rows(std::vector<std::int64_t> rows);
  [[nodiscard]] static RowSelection cells(std::vector<std::int64_t> cells);

  [[nodiscard]] bool is_all() const { return std::holds_alternative<All>(kind_); }
  /// Ascending; absent for other kinds of choices.
  [[nodiscard]] const std::vector<std::int64_t>* rows() const;
  [[nodiscard]] const std::vector<std::int64_t>* cells() const;

  /// The number of chosen cells in a layout, without the dense block. UsageError if the choice
  /// names rows or cells that the layout does not have.
  [[nodiscard]] std::int64_t cell_count(const RowLayout& layout) const;

  friend bool operator==(const RowSelection&, const RowSelection&) = default;

 private:
  using Kind = std::variant<All, Rows, Cells>;
  explicit RowSelection(Kind kind) : kind_(std::move(kind)) {}
  Kind kind_;
};

}  // namespace tacet::privacy
