#include "tacet/ledger/marks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"

namespace tacet::ledger {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::int64_t max_bytes = std::int64_t{1} << 24;
constexpr auto longest_wait = std::chrono::seconds(30);
constexpr auto nap = std::chrono::milliseconds(5);

/// Removes temporary names that killed processes left (base/atomic_file.h). While the marks are
/// locked, nobody else is about to use one.
void remove_leftovers(const fs::path& folder) {
  const auto begin = fmt::format(".{}.", marks_file_name);
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with(begin) && name.ends_with(".tmp")) found.push_back(entry->path());
  }
  for (const auto& path : found) fs::remove(path, error);
}

void write_marks(const fs::path& folder, const std::vector<Mark>& marks) {
  remove_leftovers(folder);
  auto list = ordered_json::array();
  for (const auto& one : marks) {
    ordered_json mark{{"file", one.file},
                      {"data_set", one.data_set},
                      {"ledger", one.ledger.string()},
                      {"ledger_name", one.ledger_name}};
    if (one.seen.rows > 0) {
      mark["rows"] = one.seen.rows;
      mark["head"] = one.seen.head;
    }
    if (!one.override_reason.empty()) mark["override"] = one.override_reason;
    list.push_back(std::move(mark));
  }
  const ordered_json out{
      {"about", "which ledger holds the privacy account of a file in this folder"},
      {"marks", list}};
  base::write_file(folder / marks_file_name, out.dump(1) + "\n", base::Overwrite::allow);
}

/// Whether a name in the folder belongs to the file behind the descriptor.
bool leads_to(int folder, const std::string& name, int descriptor, int flags = 0) {
  struct stat named {};
  struct stat held {};
  return ::fstatat(folder, name.c_str(), &named, flags) == 0 && ::fstat(descriptor, &held) == 0 &&
         named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

}  // namespace

std::vector<Mark> read_marks(const fs::path& folder) {
  const auto file = folder / marks_file_name;
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  const auto text = base::read_file(file, max_bytes);
  std::vector<Mark> marks;
  try {
    const auto parsed = ordered_json::parse(text);
    for (const auto& one : parsed.at("marks")) {
      marks.push_back({one.at("file").get<std::string>(),
                       one.at("data_set").get<std::string>(),
                       one.at("ledger").get<std::string>(),
                       one.at("ledger_name").get<std::string>(),
                       {one.value("rows", std::int64_t{0}), one.value("head", std::string())},
                       one.value("override", std::string())});
    }
  } catch (const ordered_json::exception&) {
    throw base::DataError(
        "'{}' says which ledger holds the account of the data beside it and cannot be understood; "
        "make it again with `ledger.enrol`, or restore it",
        file.string());
  }
  return marks;
}

HeldMarks::HeldMarks(fs::path folder, const base::CancelToken* cancel)
    : folder_(std::move(folder)) {
  descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0) refuse(errno);
  try {
    lock(cancel);
  } catch (...) {
    if (lock_ >= 0) ::close(lock_);
    ::close(descriptor_);
    throw;
  }
}

HeldMarks::~HeldMarks() {
  if (lock_ >= 0) ::close(lock_);
  ::close(descriptor_);
}

void HeldMarks::refuse(int error) const {
  throw base::IoError("cannot mark the data in '{}': {}", folder_.string(),
                      std::generic_category().message(error));
}

void HeldMarks::lock(const base::CancelToken* cancel) {
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (::flock(lock_ < 0 ? descriptor_ : lock_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error != EWOULDBLOCK && error != EINTR) {
      lock_a_file(error);
      continue;
    }
    if (cancel != nullptr && cancel->cancelled()) {
      throw base::Interrupted("interrupted while others held the marks");
    }
    if (std::chrono::steady_clock::now() >= end) refuse(error);
    std::this_thread::sleep_for(nap);
  }
}

/// Some file systems (NFS) cannot lock folders; then a file is locked. Without a lock, two runs
/// could each read the marks before the other has changed them.
void HeldMarks::lock_a_file(int error) {
  constexpr mode_t everybody = 0666;
  if (lock_ < 0) {
    const auto name = std::string(marks_file_name) + ".lock";
    lock_ =
        ::openat(descriptor_, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, everybody);
    if (lock_ >= 0) return;
  }
  throw base::IoError(
      "cannot lock the marks in '{}', which say where it stands what was spent on the data there: "
      "{}. Keep the data on a file system that has locks, in a folder that takes files",
      folder_.string(), std::generic_category().message(error));
}

bool HeldMarks::is_of(int folder) const {
  return leads_to(descriptor_, ".", folder) && leads_to(AT_FDCWD, folder_.string(), folder);
}

bool HeldMarks::names(const std::string& file, int descriptor) const {
  return leads_to(descriptor_, file, descriptor, AT_SYMLINK_NOFOLLOW);
}

std::optional<Mark> HeldMarks::find(std::string_view file) const {
  for (auto& mark : read_marks(folder_)) {
    if (mark.file == file) return std::move(mark);
  }
  return std::nullopt;
}

void HeldMarks::put(const Mark& mark) {
  auto marks = read_marks(folder_);
  std::erase_if(marks, [&](const Mark& old) { return old.file == mark.file; });
  marks.push_back(mark);
  write_marks(folder_, marks);
}

void check_continues(const Mark& mark, Ledger& ledger) {
  if (mark.seen.rows == 0 || ledger.continues(mark.seen)) return;
  throw base::BudgetError(
      "the ledger '{}' is a copy: these data were spent on when their ledger had a row {} that "
      "this one does not hold, so what was spent is not all in it. Use the ledger that has it "
      "('{}' when the data were marked); when it is lost, mark the data again (`ledger.enrol` with "
      "an `alias`), in words about what is missing",
      ledger.path().string(), mark.seen.rows, mark.ledger.string());
}

void HeldMarks::rewrite() { write_marks(folder_, read_marks(folder_)); }

bool HeldMarks::advance(Ledger& ledger) {
  auto marks = read_marks(folder_);
  const auto name = ledger.snapshot().ledger;
  const auto now = ledger.position();
  bool changed = false;
  for (auto& mark : marks) {
    if (mark.ledger_name != name) continue;
    check_continues(mark, ledger);
    changed = changed || mark.seen != now;
    mark.seen = now;
  }
  if (!changed) return true;
  // A folder that takes no new files keeps its marks as they are. Any other failure, such as a full
  // disk, is an error: otherwise a copy of a ledger could pass for the ledger.
  const bool kept = ::faccessat(AT_FDCWD, folder_.c_str(), W_OK, AT_EACCESS) != 0 &&
                    (errno == EACCES || errno == EROFS || errno == EPERM);
  if (!kept) write_marks(folder_, marks);
  return !kept;
}

void add_mark(const fs::path& folder, const Mark& mark, const base::CancelToken* cancel) {
  HeldMarks(folder, cancel).put(mark);
}

bool advance_marks(const fs::path& folder, Ledger& ledger, const base::CancelToken* cancel) {
  return HeldMarks(folder, cancel).advance(ledger);
}

fs::path ledger_path(const fs::path& folder, const Mark& mark) {
  return mark.ledger.is_absolute() ? mark.ledger : folder / mark.ledger;
}

fs::path path_for_mark(const fs::path& folder, const fs::path& ledger) {
  std::error_code error;
  const auto absolute = fs::canonical(ledger, error);
  if (error) return fs::absolute(ledger);
  const auto relative = fs::relative(absolute, fs::canonical(folder, error), error);
  const bool below = !error && !relative.empty() && *relative.begin() != "..";
  return below ? relative : absolute;
}

}  // namespace tacet::ledger
