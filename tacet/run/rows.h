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
#include "tacet/data/read/read_dataset.h"

/// Records that are in memory, for programs that hold them. Nothing is copied but what a Dataset
/// stores; views must outlive the call that they are given to.
namespace tacet::run {

/// One record a row, for a schema with [features]. Labels are numbers as files would spell them;
/// empty for predictions.
struct Matrix {
  std::span<const double> values;  ///< row by row
  std::int64_t columns = 0;
  std::span<const double> labels = {};
};

/// One view a column, in any order, for a schema with named columns; the target and the unit are
/// columns like the others. Texts are what a file would hold; a number that is not one is missing.
struct Table {
  using Column = std::variant<std::span<const double>, std::span<const std::string>>;
  std::vector<std::string> names = {};
  std::vector<Column> columns = {};
};

/// Records one after the other, for a schema with named columns: `next` fills the fields, which
/// come empty and in the order of the names, and says whether there was one more.
struct Records {
  std::vector<std::string> names = {};
  std::function<bool(std::span<std::string> fields)> next = {};
};

using Rows = std::variant<Matrix, Table, Records>;

/// Encodes them by the schema, bounds enforced. UsageError for rows that do not go with it: another
/// number of columns, columns of different lengths, names that the schema lacks; values are never
/// errors. What `next` throws passes through.
[[nodiscard]] data::Dataset dataset_of(const Rows& rows, const data::Schema& schema,
                                       data::TargetUse target,
                                       const base::CancelToken* cancel = nullptr);

}  // namespace tacet::run
