#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/spool.h"
#include "tacet/data/dataset.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/ledger/fingerprint.h"
#include "tacet/optimize/parts/part.h"
#include "tacet/run/rows.h"

/// From records in memory to a data set.
namespace tacet::run {

/// What can be said of rows before one of them is read: errors as dataset_of.
void check_rows(const Rows& rows, const data::Schema& schema, data::TargetUse target);

struct ReadingRows {
  const base::CancelToken* cancel = nullptr;
  /// Each record is added to it with all of its columns and its label; null: to none.
  ledger::Fingerprint* fingerprint = nullptr;
  std::shared_ptr<base::Spool> spool = {};  ///< where the encoded records lie; null: in memory
};

namespace internal {
struct PreparedReading;
}  // namespace internal

/// Reads rows of one form by one schema, which outlives it, call after call: what does not depend
/// on their values is made once. Not for several threads at once.
class RowReader {
 public:
  /// Errors as dataset_of, before a row is read.
  RowReader(const Rows& rows, const data::Schema& schema, data::TargetUse target);
  ~RowReader();
  RowReader(RowReader&&) noexcept;
  RowReader& operator=(RowReader&&) noexcept;

  /// Whether rows have the form and the names of columns that it was made for.
  [[nodiscard]] bool reads(const Rows& rows) const;
  /// dataset_of such rows. After an error it reads nothing more.
  [[nodiscard]] data::Dataset read(const Rows& rows, const ReadingRows& reading = {});
  /// The names of the units of the rows that were read last.
  [[nodiscard]] std::vector<std::string> take_units();

 private:
  std::unique_ptr<internal::PreparedReading> prepared_;
};

/// Encodes them by the schema, bounds enforced. UsageError for rows that do not go with it: another
/// number of columns, columns of different lengths, names that the schema lacks; values are never
/// errors. What `next` throws passes through. The same records again have the same fingerprint, in
/// any order of rows and columns, and so has a file of them (record_text.h).
[[nodiscard]] data::Dataset dataset_of(const Rows& rows, const data::Schema& schema,
                                       data::TargetUse target, const ReadingRows& reading = {});

/// The same with targets, as a part of records that lie apart: with the names of its units.
[[nodiscard]] optimize::PartRecords part_records_of(const Rows& rows, const data::Schema& schema,
                                                    const base::CancelToken* cancel = nullptr);

}  // namespace tacet::run
