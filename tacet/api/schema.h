#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "tacet/run/rows.h"

struct ArrowArrayStream;

/// Which columns are used, and their public bounds: data/schemas/README.md describes them. Nothing
/// of it is ever guessed from private data.
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
  /// As from_toml(), from a file; IoError if it cannot be read. Receipts then state the file's
  /// SHA-256.
  [[nodiscard]] static Schema load(const std::string& path);

  [[nodiscard]] std::string to_toml() const;

 private:
  friend struct Inside;
  struct Held;
  explicit Schema(std::shared_ptr<const Held> held) : held_(std::move(held)) {}
  std::shared_ptr<const Held> held_;
};

/// The records of a stream of Arrow's C data interface, batch by batch, without copies. Takes the
/// stream over and leaves it empty. DataError, which names column and type, if the schema reads a
/// column whose type it cannot read.
[[nodiscard]] run::TypedRecords arrow_records(ArrowArrayStream& stream, const Schema& schema);
/// As arrow_records(), without a target, for predictions.
[[nodiscard]] run::TypedRecords arrow_records_without_target(ArrowArrayStream& stream,
                                                             const Schema& schema);

}  // namespace tacet::api
