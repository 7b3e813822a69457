#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/data/encode/value.h"

/// Records that are in memory, for programs that hold them. Nothing is copied but what a Dataset
/// stores; views must outlive the call that they are given to.
///
/// Example:
///
///     const std::vector<double> ages{31, 67, 45};
///     const std::vector<std::string> results{"well", "ill", "well"};
///     const run::Table patients{{"age", "result"}, {ages, results}};
namespace tacet::run {

/// Numbers, or texts that are what a file would hold, or values that have types; a number that is
/// not one is missing.
using Column = std::variant<std::span<const double>, std::span<const std::string>,
                            std::span<const data::Value>>;

/// One record a row, for a schema with [features]. Without labels for predictions.
struct Matrix {
  std::span<const double> values;  ///< row by row
  std::int64_t columns = 0;
  Column labels = {};
};

/// The same in compressed sparse rows: the columns of row k, which ascend, and their values stand
/// in the places starts[k] to before starts[k + 1].
struct SparseMatrix {
  std::span<const std::int64_t> starts;
  std::span<const std::uint32_t> indices;
  std::span<const double> values;
  std::int64_t columns = 0;
  Column labels = {};
};

/// One view a column, in any order, for a schema with named columns; the target and the unit are
/// columns like the others.
struct Table {
  /// Numbers or texts.
  using Column = run::Column;
  std::vector<std::string> names = {};
  std::vector<Column> columns = {};
};

/// Records one after the other, for a schema with named columns: `next` fills the fields, which
/// come empty and in the order of the names, and says whether there was one more.
struct Records {
  std::vector<std::string> names = {};
  std::function<bool(std::span<std::string> fields)> next = {};
};

/// The same for values that have types.
struct TypedRecords {
  std::vector<std::string> names = {};
  std::function<bool(std::span<data::Value> values)> next = {};
};

/// Records in any of these forms.
using Rows = std::variant<Matrix, Table, Records, SparseMatrix, TypedRecords>;

/// What a model says of one record.
struct Prediction {
  std::int64_t class_index = -1;           ///< into the model's classes; -1 for numbers
  double value = 0;                        ///< of a number, in the target's own units
  std::vector<double> probabilities = {};  ///< a class each, where the loss gives them
};

}  // namespace tacet::run
