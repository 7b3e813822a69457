#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/read/unit_sample.h"
#include "tacet/data/schema/schema.h"
#include "tacet/privacy/released.h"

/// What the columns of a file hold, in the terms of its schema. What is public about it (which
/// columns, which kinds of values) is apart from what is private (how often).
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
  /// What each value is one of: the categories or classes; else "present". Last is "(missing)",
  /// before it "(other)" for categories. Classes have neither: what a label without a class
  /// becomes, the schema says.
  std::vector<std::string> kinds{};
};

/// The columns that the schema reads, in its order, the target last. UsageError for files whose
/// columns have no names.
[[nodiscard]] std::vector<SummaryColumn> summary_columns(const Schema& schema);

/// A number of the column for people: to six digits, or the date of the day.
[[nodiscard]] std::string value_text(const SummaryColumn& column, double value);

/// How often the kinds of a column occur, and its numbers.
struct ColumnCounts {
  std::vector<std::int64_t> counts;  ///< by kind
  std::vector<double> numbers;       ///< of a numeric column, clipped to its bounds
};

/// Of all records that count.
struct TableCounts {
  privacy::Private<std::vector<std::int64_t>> records;  ///< one number
  std::vector<privacy::Private<ColumnCounts>> columns;  ///< as summary_columns
};

/// One pass over the records. With a `sample`, only of those that it takes. Errors as read_dataset
/// and summary_columns.
[[nodiscard]] TableCounts read_counts(const RecordSource& records, const Schema& schema,
                                      const base::CancelToken* cancel = nullptr,
                                      UnitSample* sample = nullptr);

}  // namespace tacet::data
