#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tacet/run/rows.h"

struct ArrowArrayStream;

/// Which columns count, and their public bounds: what data/schemas/README.md describes. Nothing of
/// it is ever guessed from private data.
///
/// Example:
///
///     const auto schema = api::Schema::from_toml(R"(
///       public_row_count = 2000
///       target = { column = "ill", positive = ["yes"], negative = ["no"] }
///       column = [{ name = "age", kind = "numeric", lower = 0, upper = 100 }])",
///                                                "patients");
namespace tacet::api {

/// Holds a value that any number of threads may read.
class Schema {
 public:
  /// Faults are DataErrors that start with `name:line:column`.
  [[nodiscard]] static Schema from_toml(std::string_view text, std::string_view name);
  /// As above from a file; IoError when it cannot be read. Receipts then state the file's SHA-256.
  [[nodiscard]] static Schema load(const std::string& path);

  [[nodiscard]] std::string to_toml() const;

 private:
  friend struct Inside;
  struct Held;
  explicit Schema(std::shared_ptr<const Held> held) : held_(std::move(held)) {}
  std::shared_ptr<const Held> held_;
};

/// The records of a stream of Arrow's C data interface, batch by batch, nothing of them copied:
/// takes the stream over, which is empty after it. DataError, which names column and type, for a
/// column that the schema reads and whose type no value of that kind can be read from.
[[nodiscard]] run::TypedRecords arrow_records(ArrowArrayStream& stream, const Schema& schema);
/// The same without a target, for predictions.
[[nodiscard]] run::TypedRecords arrow_records_without_target(ArrowArrayStream& stream,
                                                             const Schema& schema);

}  // namespace tacet::api
