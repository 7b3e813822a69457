#include "tacet/local/service/held_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::local {
namespace {

/// Whether the open file still has this name: its previous holder may have removed it.
bool has_its_name(int descriptor, const std::filesystem::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

HeldFile::HeldFile(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {}
HeldFile::HeldFile(HeldFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
HeldFile& HeldFile::operator=(HeldFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

HeldFile::~HeldFile() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());  // before the lock ends: afterwards it is somebody else's
  ::close(descriptor_);
}

std::optional<HeldFile> HeldFile::hold(const std::filesystem::path& path) {
  for (;;) {
    const int descriptor =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0) {
      throw base::IoError("cannot make '{}': {}", path.string(),
                          std::generic_category().message(errno));
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(descriptor);
      if (error == EWOULDBLOCK) return std::nullopt;
      throw base::IoError("cannot lock '{}': {}", path.string(),
                          std::generic_category().message(error));
    }
    if (has_its_name(descriptor, path)) return HeldFile(path, descriptor);
    ::close(descriptor);
  }
}

}  // namespace tacet::local
