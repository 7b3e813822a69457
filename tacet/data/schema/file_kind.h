#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "tacet/data/dataset.h"

namespace tacet::data {

enum class TargetUse;
struct Schema;
namespace internal {
class UniformRecords;
}

/// A format of files of records. The table of all stands above, beside the readers, in
/// read/file_kinds.cc: a new format is its reader and its row there.
struct FileKind {
  std::string_view name;         ///< `kind` in the [format] of a schema
  std::string_view description;  ///< in messages
  Storage storage;  ///< that suits it where the schema does not say how many features are non-zero
  bool has_lines;   ///< a record's place is a line, not its number
  /// Whether a file that begins like this is one, `whole` if nothing follows; null where the
  /// beginning does not tell.
  bool (*recognises)(std::string_view beginning, bool whole);
  /// Opens the file, and those beside it, for the features of the schema; null for files whose
  /// columns have names, which are read as CSV.
  std::unique_ptr<internal::UniformRecords> (*open)(const std::filesystem::path& file,
                                                    const Schema& schema, TargetUse target);

  [[nodiscard]] bool names_columns() const { return open == nullptr; }
};

[[nodiscard]] std::span<const FileKind> file_kinds();
/// InternalError for an unknown name.
[[nodiscard]] const FileKind& file_kind(std::string_view name);

}  // namespace tacet::data
