#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/read/unit_sample.h"
#include "tacet/data/schema/schema.h"
#include "tacet/privacy/released.h"

/// Counts of a file's columns by the categories of its schema. Public facts (which columns, which
/// kinds of values) are separate from private ones (how often).
namespace tacet::data {

/// One column as a summary shows it; public.
struct SummaryColumn {
  std::string name;
  bool target = false;
  bool numeric = false;
  double lower = 0;  ///< of a numeric column
  double upper = 0;
  bool log1p = false;
  bool date = false;  ///< the numbers are days since 1970-01-01
  /// The kinds of values: the categories or classes, else "present". The last one is "(missing)";
  /// before it, categories have "(other)". Classes have neither: the schema says what a label
  /// without a class becomes.
  std::vector<std::string> kinds{};
};

/// The columns that the schema reads, in its order, with the target last. UsageError for files
/// whose columns have no names.
[[nodiscard]] std::vector<SummaryColumn> summary_columns(const Schema& schema);

/// A number of the column as people read it: with six digits, or as a date.
[[nodiscard]] std::string value_text(const SummaryColumn& column, double value);

/// How often the kinds of a column occur, and its numbers.
struct ColumnCounts {
  std::vector<std::int64_t> counts;  ///< by kind
  std::vector<double> numbers;       ///< of a numeric column, clipped to its bounds
};

/// The counts over all records that count.
struct TableCounts {
  privacy::Private<std::vector<std::int64_t>> records;  ///< one number
  std::vector<privacy::Private<ColumnCounts>> columns;  ///< as summary_columns
};

/// Counts in one pass over the records. With a `sample`, only records that it accepts. Errors as
/// read_dataset and summary_columns.
[[nodiscard]] TableCounts read_counts(const RecordSource& records, const Schema& schema,
                                      const base::CancelToken* cancel = nullptr,
                                      UnitSample* sample = nullptr);

}  // namespace tacet::data
