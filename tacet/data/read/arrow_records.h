#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/value.h"
#include "tacet/data/encode/value_type.h"
#include "tacet/data/read/arrow_interface.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// What happens to columns that a schema does not read. Their values are missing, or they are given
/// if their type has any, for a ledger that recognises records by all of their columns.
enum class FurtherColumns { missing, given };

/// The records of a stream of the Arrow C data interface, batch by batch, nothing of them copied:
/// booleans, integers, floats, decimals, texts in each of their layouts, dictionaries of these,
/// lists, dates and timestamps (their day in UTC, for columns of dates alone). Not for several
/// threads at once.
class ArrowRecords {
 public:
  /// Takes the stream over and leaves `stream` empty. Reads every column whose type has values.
  /// With several passes, batches are kept as long as this object. DataError for a stream that was
  /// read before, or that is not a table.
  explicit ArrowRecords(ArrowArrayStream& stream, Passes passes = Passes::once);
  /// As above, followed by read_by().
  ArrowRecords(ArrowArrayStream& stream, const Schema& schema, TargetUse target);
  ~ArrowRecords();
  ArrowRecords(ArrowRecords&&) noexcept;
  ArrowRecords& operator=(ArrowRecords&&) noexcept;

  [[nodiscard]] const std::vector<std::string>& names() const;
  /// The types of the columns, in the order of their names. They are public, whatever the records
  /// are.
  [[nodiscard]] std::vector<ValueType> types() const;
  /// From now on, reads only the columns of the schema. DataError, which names column and type, if
  /// a column's type cannot contain values of that kind.
  void read_by(const Schema& schema, TargetUse target,
               FurtherColumns further = FurtherColumns::missing);
  /// Reads the next record, one value per name; texts are valid until the next call. False at the
  /// end. DataError for arrays that break the rules of the interface, and for a stream that fails;
  /// it says in which batch.
  [[nodiscard]] bool next(std::span<Value> values);
  /// Goes back to the first record. InternalError after a record of a stream with one pass.
  void restart();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tacet::data
