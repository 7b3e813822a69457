#include "tacet/local/device/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/schema/file_kind.h"
#include "tacet/local/device/refusal.h"

namespace tacet::local {
namespace {

[[noreturn]] void refuse_kind(const std::filesystem::path& record) {
  throw base::UsageError(
      "'{}' is no file that stays: a device's record must be one, because a mark beside it says "
      "what was spent on it, and what comes through standard input or a pipe could be sent again "
      "without one; {}. Keep the record in a file, and name that",
      record.string(), nothing_done);
}

[[noreturn]] void refuse_file(const std::filesystem::path& record, const std::error_code& error) {
  throw base::IoError("cannot read '{}': {}; {}", record.string(), error.message(), nothing_done);
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// Whether the table of mounts names the path as a mount point, or cannot be read.
bool in_mount_table(const std::filesystem::path& path) {
  std::ifstream table("/proc/self/mountinfo");
  if (!table) return true;
  std::string wanted;  // as the table writes it (proc(5)): blanks and backslashes in octal
  for (const char letter : path.string()) {
    const bool escaped = letter == ' ' || letter == '\t' || letter == '\n' || letter == '\\';
    wanted += escaped ? fmt::format("\\{:03o}", static_cast<unsigned char>(letter))
                      : std::string(1, letter);
  }
  for (std::string line; std::getline(table, line);) {
    std::size_t begin = 0;
    constexpr int fields_before = 4;  // number, parent, device, root
    for (int field = 0; field < fields_before; ++field) begin = line.find(' ', begin) + 1;
    if (line.compare(begin, line.find(' ', begin) - begin, wanted) == 0) return true;
  }
  return table.bad();
}

}  // namespace

void RecordFile::refuse_stream(const std::filesystem::path& record) {
  std::error_code error;
  const auto status = std::filesystem::status(record, error);
  if (record == data::standard_input_name) refuse_kind(record);
  if (std::filesystem::is_directory(status)) {
    refuse_file(record, std::make_error_code(std::errc::is_a_directory));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    refuse_kind(record);
  }
}

RecordFile::RecordFile(std::filesystem::path record) : name_(std::move(record)) {
  refuse_stream(name_);
  std::error_code error;
  path_ = std::filesystem::canonical(name_, error);
  if (error) refuse_file(name_, error);
  folder_ = ::open(folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) refuse_file(name_, last_error());
  // Not blocking: a pipe that took the file's place meanwhile has nobody wait.
  descriptor_ =
      ::openat(folder_, path_.filename().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status {};
  const bool read = descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0;
  const auto failure = last_error();
  if (read && S_ISREG(status.st_mode)) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  ::close(folder_);
  if (read) refuse_kind(name_);
  refuse_file(name_, failure);
}

RecordFile::~RecordFile() {
  ::close(descriptor_);
  ::close(folder_);
}

std::uint64_t RecordFile::names() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse_file(name_, last_error());
  return status.st_nlink;
}

bool RecordFile::may_be_mounted() const {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx status {};
  const bool read = ::statx(descriptor_, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) == 0;
  if (read && (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0) {
    return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  }
#endif
  return in_mount_table(path_);  // Linux before 5.8
}

bool RecordFile::stands_in(const ledger::HeldMarks& marks) const {
  return marks.is_of(folder_) && marks.names(path_.filename().string(), descriptor_);
}

data::Dataset RecordFile::read(const data::Schema& schema, const base::CancelToken* cancel) const {
  if (schema.format.kind->names_columns() || schema.format.kind->has_lines) {
    return data::read_dataset(data::OpenFile{descriptor_, name_.string()}, schema,
                              {.cancel = cancel});
  }
  // If there are several files, by their names in the folder that was opened, where the mark is.
  const auto folder = fmt::format("/proc/self/fd/{}", folder_);
  return data::read_dataset(std::filesystem::path(folder) / path_.filename(), schema,
                            {.cancel = cancel});
}

}  // namespace tacet::local
