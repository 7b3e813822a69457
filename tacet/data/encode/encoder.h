#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/value.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

enum class TargetUse {
  required,  ///< the file must have the target (training, evaluation)
  absent     ///< the target is not read and may be missing (prediction)
};

/// Turns the values of one record into a bounded integer row. Only the schema decides how.
///
/// A function of one record and of public facts, so neighbouring files have neighbouring rows.
/// Faulty values (unreadable, not finite, out of bounds, unknown) are mapped, never errors. The row
/// is scaled in double, truncated toward zero to the 1/2048 grid, and its norm is certified in
/// integers: sum v^2 <= floor((2048 * norm_bound)^2). Not for several threads at once.
class Encoder {
 public:
  /// `file_columns` are the file's columns in order; they are matched by name. DataError, which
  /// names `file_name`, if the schema needs a column that the file lacks, or if a name appears
  /// twice.
  Encoder(const Schema& schema, std::span<const std::string> file_columns, TargetUse target,
          std::string_view file_name);
  ~Encoder();
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;

  /// Encodes one record. There must be one value, or one field of text, per column. Units are
  /// numbered by first appearance.
  void encode(std::span<const Value> values, EncodedRow& row);
  void encode(std::span<const std::string_view> fields, EncodedRow& row);
  /// Encodes one record and appends its row to `data`. Rows with curves are appended several at a
  /// time, so that the numbers of the curves (some megabytes) are read once for all of them.
  /// flush() appends the rest; call it after the last record, and before take_units().
  void append(std::span<const Value> values, Dataset& data);
  void append(std::span<const std::string_view> fields, Dataset& data);
  void flush(Dataset& data);
  /// The names of the units numbered so far. Numbering then begins at 0 again.
  [[nodiscard]] std::vector<std::string> take_units();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tacet::data
