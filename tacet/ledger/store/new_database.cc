#include "tacet/ledger/store/new_database.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "tacet/base/error.h"

namespace tacet::ledger {
namespace {

namespace fs = std::filesystem;

constexpr mode_t owner_only = 0600;  // files hold keys

/// The temporary name of a new file until it is complete; the destructor removes it.
class Draft {
 public:
  Draft(const fs::path& path, const Wording& wording) : path_(path) {
    static std::atomic<int> number{0};
    draft_ = path.parent_path() / fmt::format(".{}.{}-{}.tmp", path.filename().string(), ::getpid(),
                                              number.fetch_add(1));
    const int descriptor =
        ::open(draft_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, owner_only);
    if (descriptor < 0) cannot_make_database(path, wording, errno);
    ::close(descriptor);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    for (const char* suffix : {"", "-journal"}) ::unlink((draft_.string() + suffix).c_str());
  }
  /// Returns 0 on success, otherwise the errno of the call that failed: EEXIST if another process
  /// made the file first.
  [[nodiscard]] int give_name() const {
    int failure = 0;
    if (::renameat2(AT_FDCWD, draft_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
      failure = errno;
    }
    // Some file systems cannot rename without replacing. A link can do it: for a moment the file
    // has two names, and a process that opens it then is refused.
    if (failure == EINVAL || failure == ENOSYS) {
      failure = ::link(draft_.c_str(), path_.c_str()) == 0 ? 0 : errno;
      ::unlink(draft_.c_str());
    }
    if (failure != 0) return failure;
    const auto folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ::fsync(descriptor);
    ::close(descriptor);
    return 0;
  }
  [[nodiscard]] const fs::path& path() const { return draft_; }

 private:
  fs::path draft_;
  fs::path path_;
};

}  // namespace

void cannot_make_database(const fs::path& path, const Wording& wording, int error) {
  throw base::IoError(
      "cannot make the {} '{}': {}{}", wording.noun, path.string(),
      std::generic_category().message(error),
      error == EEXIST ? fmt::format("; a {} is never overwritten", wording.noun) : "");
}

int make_database(const fs::path& path, const Wording& wording,
                  const std::function<void(Database&)>& fill) {
  std::error_code error;
  if (fs::exists(path, error)) return EEXIST;
  require_local_disk(path, wording);
  const Draft draft(path, wording);
  {
    Database database(draft.path(), {.wording = wording, .shown_as = path});
    database.transaction("nothing was made", [&] { fill(database); });
  }
  const int failure = draft.give_name();
  if (failure != 0 && failure != EEXIST) cannot_make_database(path, wording, failure);
  return failure;
}

}  // namespace tacet::ledger
