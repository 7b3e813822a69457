#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/value.h"
#include "tacet/data/read/arrow_interface.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The records of a stream of the Arrow C data interface, batch by batch, nothing of them copied:
/// booleans, integers, floats, texts in each of their layouts, dictionaries of these, dates and
/// timestamps (their day in UTC, for columns of dates alone). Not for several threads at once.
class ArrowRecords {
 public:
  /// Takes the stream over: `stream` is empty after it. DataError, which names column and type, for
  /// a column that the schema reads and whose type no value of that kind can be read from.
  ArrowRecords(ArrowArrayStream& stream, const Schema& schema, TargetUse target);
  ~ArrowRecords();
  ArrowRecords(ArrowRecords&&) noexcept;
  ArrowRecords& operator=(ArrowRecords&&) noexcept;

  [[nodiscard]] const std::vector<std::string>& names() const;
  /// The next record, a value a name; texts until the next call. False at the end. Columns that the
  /// schema does not read are missing. DataError for arrays that break the interface.
  [[nodiscard]] bool next(std::span<Value> values);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tacet::data
