#include "tacet/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::base {
namespace {

namespace fs = std::filesystem;

constexpr int temporary_name_attempts = 100;  // names are taken only by leftovers of killed runs
constexpr mode_t default_permissions = 0666;  // the process's umask takes its part away

std::string reason(int error_code) { return std::generic_category().message(error_code); }

/// Writes again when a signal interrupted the call (EINTR).
ssize_t write_some(int descriptor, std::string_view text) {
  ssize_t written = 0;
  do {
    written = ::write(descriptor, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  return written;
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // the file already has its name; making that durable is best effort
  ::fsync(descriptor);
  ::close(descriptor);
}

/// Renames without replacing, where the file system can; otherwise looks first.
int rename_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::access(to.c_str(), F_OK) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

fs::path temporary_name(const fs::path& target, int attempt) {
  return parent_of(target) /
         fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), attempt);
}

/// A path to an open file, which works for files without a name too (open(2), O_TMPFILE).
std::string name_of(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// Gives an unnamed file a name that nobody has yet.
int link_to(int descriptor, const fs::path& to) {
  const auto from = name_of(descriptor);
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/// Ledgers and the state of a server are SQLite files. Their contents exist nowhere else, so they
/// are never replaced.
bool is_database(const fs::path& file) {
  constexpr std::string_view begin = "SQLite format 3";
  std::array<char, begin.size()> found{};
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool whole = ::read(descriptor, found.data(), found.size()) == std::ssize(found);
  ::close(descriptor);
  return whole && std::string_view(found.data(), found.size()) == begin;
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& destination, Overwrite overwrite)
    : destination_(destination), target_(destination), overwrite_(overwrite) {
  if (destination.empty()) throw IoError("the output has an empty name; name a file");
  if (destination == "-") {  // standard input, where records are read
    throw IoError(
        "the output '-' would be a file of that name; name another file, or /dev/stdout to print "
        "it");
  }
  std::error_code ignored;
  if (fs::is_symlink(destination, ignored)) {
    if (auto followed = fs::weakly_canonical(destination, ignored); !ignored) target_ = followed;
  }
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    direct_ = true;
    return;
  }
  if (exists && overwrite_ == Overwrite::refuse) fail(EEXIST);
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  if (exists && is_database(target_)) {
    throw IoError("'{}' is a database, such as a ledger: it is not overwritten; name another file",
                  destination.string());
  }
  if (!open_unnamed()) open_named();
  if (exists) ::fchmod(descriptor_, status.st_mode & 07777);
}

void AtomicFile::keep_as_private_as(const fs::path& source) {
  struct stat own {};
  struct stat other {};
  if (direct_ || descriptor_ < 0 || ::fstat(descriptor_, &own) != 0) return;
  if (::stat(source.c_str(), &other) != 0) fail(errno);
  if (::fchmod(descriptor_, own.st_mode & other.st_mode & 0777) != 0) fail(errno);
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : destination_(std::move(other.destination_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      direct_(other.direct_),
      held_(std::move(other.held_)),
      overwrite_(other.overwrite_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() { discard(); }

/// Returns false if the file system has no unnamed files, or cannot give them a name later.
bool AtomicFile::open_unnamed() {
  descriptor_ =
      ::open(parent_of(target_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, default_permissions);
  if (descriptor_ < 0) return false;
  if (::access(name_of(descriptor_).c_str(), F_OK) == 0) return true;
  ::close(std::exchange(descriptor_, -1));
  return false;
}

void AtomicFile::open_named() {
  for (int attempt = 0; attempt < temporary_name_attempts; ++attempt) {
    auto name = temporary_name(target_, attempt);
    descriptor_ =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, default_permissions);
    if (descriptor_ >= 0) {
      temporary_ = std::move(name);
      return;
    }
    if (errno != EEXIST) fail(errno);
  }
  fail(EEXIST);
}

void AtomicFile::write(std::string_view text) {
  if (descriptor_ < 0) throw InternalError("text for a file that is already complete");
  if (direct_) {
    held_ += text;
  } else {
    write_through(text);
  }
}

void AtomicFile::write_through(std::string_view text) {
  while (!text.empty()) {
    const auto written = write_some(descriptor_, text);
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  if (descriptor_ < 0) throw InternalError("a file is completed twice");
  if (direct_) {
    write_through(held_);
  } else {
    if (::fsync(descriptor_) != 0) fail(errno);
    if (const int failure = give_name(); failure != 0) fail(failure);
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (!direct_) sync_folder(parent_of(target_));
}

int AtomicFile::give_name() {
  if (temporary_.empty() && overwrite_ == Overwrite::refuse) return link_to(descriptor_, target_);
  // A link cannot replace a file, a rename can. So the unnamed file first gets a temporary name,
  // and for a moment the complete text has two names.
  if (temporary_.empty()) {
    if (const int failure = give_temporary_name(); failure != 0) return failure;
  }
  int failure = 0;
  if (overwrite_ == Overwrite::refuse) {
    failure = rename_new(temporary_, target_);
  } else if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    failure = errno;
  }
  if (failure == 0) temporary_.clear();
  return failure;
}

int AtomicFile::give_temporary_name() {
  for (int attempt = 0; attempt < temporary_name_attempts; ++attempt) {
    auto name = temporary_name(target_, attempt);
    const int failure = link_to(descriptor_, name);
    if (failure == 0) temporary_ = std::move(name);
    if (failure != EEXIST) return failure;
  }
  return EEXIST;
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::fail(int error_code) const {
  std::string advice;
  if (error_code == EEXIST) advice = "; choose another name, or allow overwriting (`force`)";
  if (error_code == ENOENT) advice = "; the folder must exist";
  throw IoError("cannot write '{}': {}{}", destination_.string(), reason(error_code), advice);
}

void write_file(const fs::path& destination, std::string_view text, Overwrite overwrite) {
  AtomicFile file(destination, overwrite);
  file.write(text);
  file.commit();
}

std::string read_file(const fs::path& path, std::int64_t size_limit) {
  const auto refuse = [&](int error_code) {
    throw IoError("cannot read '{}': {}", path.string(), reason(error_code));
  };
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) refuse(errno);
  std::string text;
  struct stat facts {};
  if (::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size < size_limit) {
    text.reserve(static_cast<std::size_t>(facts.st_size));
  }
  std::array<char, 1 << 16> block{};
  ssize_t got = 0;
  int failure = 0;
  while (true) {
    got = ::read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failure = errno;
    if (got <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(got));
    if (std::cmp_greater(text.size(), size_limit)) break;
  }
  ::close(descriptor);
  if (failure != 0) refuse(failure);
  if (std::cmp_greater(text.size(), size_limit)) {
    throw DataError("'{}' is longer than the {} bytes such a file may have", path.string(),
                    size_limit);
  }
  return text;
}

}  // namespace tacet::base
