#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace tacet::privacy {

/// One table of a model: `rows` vectors of `width` numbers, of which a record touches few.
struct TableShape {
  std::int64_t rows;
  std::int64_t width;
  friend bool operator==(const TableShape&, const TableShape&) = default;
};

/// The tables of a model and its dense block (hidden layers, biases: whatever every record
/// touches), all of it public. Rows are numbered through all tables, cells (numbers of the tables)
/// through all rows; nothing of the size of a table is ever held.
class RowLayout {
 public:
  /// At least one table, or a dense block. UsageError unless every table has at least one row, its
  /// width is 1 to 65,536, and all rows together are at most 2^40, all cells at most 2^48.
  explicit RowLayout(std::vector<TableShape> tables, std::int64_t dense = 0);

  [[nodiscard]] std::span<const TableShape> tables() const { return tables_; }
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cells() const { return cells_; }
  [[nodiscard]] std::int64_t dense() const { return dense_; }
  /// The widest table's; 0 without tables.
  [[nodiscard]] std::int64_t widest() const { return widest_; }

  /// The number of a table's row among all rows; not checked.
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
  std::vector<std::int64_t> first_rows_;   // of each table, and behind the last one
  std::vector<std::int64_t> first_cells_;  // likewise
  std::int64_t rows_ = 0;
  std::int64_t cells_ = 0;
  std::int64_t dense_;
  std::int64_t widest_ = 0;
};

/// A public choice of rows or cells of the tables, which a step then noises; the dense block is
/// always noised and never chosen.
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
  /// In any order; UsageError for one that occurs twice or is negative.
  [[nodiscard]] static RowSelection rows(std::vector<std::int64_t> rows);
  [[nodiscard]] static RowSelection cells(std::vector<std::int64_t> cells);

  [[nodiscard]] bool is_all() const { return std::holds_alternative<All>(kind_); }
  /// Ascending; absent for other kinds of choices.
  [[nodiscard]] const std::vector<std::int64_t>* rows() const;
  [[nodiscard]] const std::vector<std::int64_t>* cells() const;

  /// How many cells it has of a layout, the dense block apart. UsageError where it names rows or
  /// cells that the layout has not.
  [[nodiscard]] std::int64_t cell_count(const RowLayout& layout) const;

  friend bool operator==(const RowSelection&, const RowSelection&) = default;

 private:
  using Kind = std::variant<All, Rows, Cells>;
  explicit RowSelection(Kind kind) : kind_(std::move(kind)) {}
  Kind kind_;
};

}  // namespace tacet::privacy
