#pragma once

#include <cstdint>
#include <filesystem>

#include "tacet/base/progress.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/ledger/marks.h"

namespace tacet::local {

/// The file of a device's record, opened once: what is marked, booked and read is one and the same
/// file, whatever becomes of its name, or of links on the way to it, while the device takes part.
class RecordFile {
 public:
  /// UsageError for standard input and for whatever else is no regular file: a mark beside the
  /// record says what was spent on it, and a stream has no place for one. IoError for a folder.
  /// Nothing where there is no such file.
  static void refuse_stream(const std::filesystem::path& record);

  /// IoError where it cannot be read; UsageError for streams.
  explicit RecordFile(std::filesystem::path record);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// As the caller named it: for messages.
  [[nodiscard]] const std::filesystem::path& name() const { return name_; }
  /// Where it was when it was opened, links followed; the mark stands there.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path folder() const { return path_.parent_path(); }

  /// How many names it has now, hard links.
  [[nodiscard]] std::uint64_t names() const;
  /// Whether it is a mount point by itself, or nobody can tell: the file may have other names in
  /// other places, with marks of their own.
  [[nodiscard]] bool may_be_mounted() const;
  /// Whether the folder that is held is the one that the file was opened in, and still has the file
  /// by its name.
  [[nodiscard]] bool stands_in(const ledger::HeldMarks& marks) const;

  /// All records of it. DataError for another structure than the schema's.
  [[nodiscard]] data::Dataset read(const data::Schema& schema,
                                   const base::CancelToken* cancel) const;

 private:
  std::filesystem::path name_;
  std::filesystem::path path_;
  int folder_ = -1;
  int descriptor_ = -1;
};

}  // namespace tacet::local
