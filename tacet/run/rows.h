#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/dataset.h"
#include "tacet/data/encode/value.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/ledger/fingerprint.h"

/// Records that are in memory, for programs that hold them. Nothing is copied but what a Dataset
/// stores; views must outlive the call that they are given to.
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

/// The same of values that have types.
struct TypedRecords {
  std::vector<std::string> names = {};
  std::function<bool(std::span<data::Value> values)> next = {};
};

using Rows = std::variant<Matrix, Table, Records, SparseMatrix, TypedRecords>;

/// What can be said of rows before one of them is read: errors as dataset_of.
void check_rows(const Rows& rows, const data::Schema& schema, data::TargetUse target);

/// Encodes them by the schema, bounds enforced. UsageError for rows that do not go with it: another
/// number of columns, columns of different lengths, names that the schema lacks; values are never
/// errors. What `next` throws passes through. Where a `fingerprint` is given each record is added
/// to it with all of its columns and its label. The same records again have the same, in any order
/// of rows and columns, and so has a file of them (record_text.h).
[[nodiscard]] data::Dataset dataset_of(const Rows& rows, const data::Schema& schema,
                                       data::TargetUse target,
                                       const base::CancelToken* cancel = nullptr,
                                       ledger::Fingerprint* fingerprint = nullptr);

}  // namespace tacet::run
