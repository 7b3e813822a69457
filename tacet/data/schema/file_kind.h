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

/// A format of files of records. The table of all formats is in read/file_kinds.cc, beside the
/// readers: a new format adds its reader and a row there.
struct FileKind {
  std::string_view name;         ///< `kind` in the [format] of a schema
  std::string_view description;  ///< in messages
  Storage storage;  ///< the best one if the schema does not say how many features are other than 0
  bool has_lines;   ///< a record is named by its line, not by its number
  /// Whether a file that begins in this way is of this kind; `whole` if nothing follows. Null if
  /// the beginning cannot show it.
  bool (*recognises)(std::string_view beginning, bool whole);
  /// Opens the file, and files that belong to it, for the features of the schema. Null for files
  /// whose columns have names, which are read as CSV.
  std::unique_ptr<internal::UniformRecords> (*open)(const std::filesystem::path& file,
                                                    const Schema& schema, TargetUse target);

  [[nodiscard]] bool names_columns() const { return open == nullptr; }
};

[[nodiscard]] std::span<const FileKind> file_kinds();
/// InternalError for an unknown name.
[[nodiscard]] const FileKind& file_kind(std::string_view name);

}  // namespace tacet::data
