// The copy of a state while a server writes it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "tacet/base/error.h"
#include "tacet/local/service/state_file.h"

namespace tacet::local {
namespace {

/// A file that goes away unless it gets its name.
class CopyDraft {
 public:
  explicit CopyDraft(const std::filesystem::path& path)
      : path_(path), draft_(path.string() + ".part") {
    descriptor_ = ::open(draft_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor_ >= 0) return;
    if (errno != EEXIST) refuse(errno);
    // An existing file is never overwritten: somebody else who made it could read the key of the
    // tokens there.
    throw base::IoError(
        "'{}' is there already: another call writes this copy, or one was interrupted; nothing was "
        "copied. If none is running, remove the file and its -journal, then try again",
        draft_);
  }
  CopyDraft(const CopyDraft&) = delete;
  CopyDraft& operator=(const CopyDraft&) = delete;
  ~CopyDraft() {
    ::close(descriptor_);
    if (!named_) ::unlink(draft_.c_str());
  }
  [[nodiscard]] const std::string& draft() const { return draft_; }
  void empty() const {
    if (::ftruncate(descriptor_, 0) != 0) refuse(errno);
  }

  void give_name() {
    if (::fsync(descriptor_) != 0) refuse(errno);
    if (::link(draft_.c_str(), path_.c_str()) != 0) refuse(errno);
    named_ = true;
    ::unlink(draft_.c_str());
    const auto folder = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
  }

 private:
  [[noreturn]] void refuse(int error) const {
    throw base::IoError("cannot write the copy '{}': {}; a file is never overwritten",
                        path_.string(), std::generic_category().message(error));
  }

  std::filesystem::path path_;
  std::string draft_;
  int descriptor_ = -1;
  bool named_ = false;
};

}  // namespace

void StateFile::back_up(const std::filesystem::path& copy) {
  if (std::filesystem::exists(copy)) {
    throw base::IoError("there is a file '{}' already; nothing was copied", copy.string());
  }
  CopyDraft draft(copy);
  database_.show_as(copy);
  database_.undisturbed([&] {
    draft.empty();
    // The state itself is open for reading only; this is about the new file.
    database_.execute("PRAGMA query_only=OFF");
    database_.prepare("VACUUM INTO ?1", std::string_view(draft.draft())).run();
  });
  draft.give_name();
  database_.show_as(database_.path());
}

}  // namespace tacet::local
