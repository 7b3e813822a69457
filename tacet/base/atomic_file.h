#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tacet::base {

enum class Overwrite { refuse, allow };

/// A file that appears whole or not at all. Text goes to a file without a name in the destination's
/// folder; commit() makes it durable and gives it its name in one step. Whatever ends the object
/// before that - an exception, an interrupt, the process killed - takes the text with it and leaves
/// the destination as it was.
///
/// If the file system has no unnamed files (NFS, some overlays), or /proc is missing, the text has
/// a hidden temporary name until commit() (".NAME.PROCESS-NUMBER.tmp"). Then a process that is
/// killed leaves what it had written there.
///
/// A symbolic link is followed, so that the link survives. A destination that exists and is no
/// regular file (/dev/stdout, a pipe) cannot be replaced: the text is kept in memory and written to
/// it by commit(), because whoever reads there would have the result before it is paid for.
///
/// Opening it before a long computation finds out early whether the result can be stored. Every
/// refusal of the operating system is an IoError with the path and the reason; with
/// Overwrite::refuse an existing file is an IoError too. Not for several threads at once.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& destination, Overwrite overwrite);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view text);

  /// For copies of records: whoever cannot read `source` must not be able to read the copy. Call it
  /// before commit().
  void keep_as_private_as(const std::filesystem::path& source);

  /// Flushes to the disk and renames. The object takes no more text afterwards.
  void commit();

  [[nodiscard]] const std::filesystem::path& destination() const { return destination_; }

 private:
  void write_through(std::string_view text);
  [[nodiscard]] bool open_unnamed();
  void open_named();
  [[nodiscard]] int give_name();
  [[nodiscard]] int give_temporary_name();
  void discard() noexcept;
  [[noreturn]] void fail(int error_code) const;

  std::filesystem::path destination_;  // as the user named it: what messages show
  std::filesystem::path target_;       // links followed
  std::filesystem::path temporary_;    // empty while the text has no name
  bool direct_ = false;                // a device or a pipe, written at the end
  std::string held_;                   // the text for a device or pipe until commit() writes it
  Overwrite overwrite_;
  int descriptor_ = -1;
};

/// Writes `text` as the whole of `destination`.
void write_file(const std::filesystem::path& destination, std::string_view text,
                Overwrite overwrite);

/// The whole of a file of at most `size_limit` bytes. A file that is missing, a directory or
/// unreadable is an IoError, a longer one a DataError.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::int64_t size_limit);

}  // namespace tacet::base
