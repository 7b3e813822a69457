#include "tacet/base/spool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::base {
namespace {

enum class Place { memory, elsewhere };

struct FileSystem {
  std::uint32_t magic;  // from linux/magic.h and the headers of the file systems
  std::string_view name;
  Place place;
};

constexpr std::array refused{
    FileSystem{0x01021994, "tmpfs", Place::memory},
    FileSystem{0x858458f6, "ramfs", Place::memory},
    FileSystem{0x958458f6, "hugetlbfs", Place::memory},
    FileSystem{0x00006969, "NFS", Place::elsewhere},
    FileSystem{0x0000517b, "SMB", Place::elsewhere},
    FileSystem{0xff534d42, "CIFS", Place::elsewhere},
    FileSystem{0xfe534d42, "SMB", Place::elsewhere},
    FileSystem{0x01021997, "9P", Place::elsewhere},
    FileSystem{0x5346414f, "AFS", Place::elsewhere},
    FileSystem{0x6b414653, "AFS", Place::elsewhere},
    FileSystem{0x73757245, "Coda", Place::elsewhere},
    FileSystem{0x00c36400, "Ceph", Place::elsewhere},
    FileSystem{0x0bd00bd0, "Lustre", Place::elsewhere},
    FileSystem{0x19830326, "FhGFS", Place::elsewhere},
    FileSystem{0x47504653, "GPFS", Place::elsewhere},
    FileSystem{0xaad7aaea, "PanFS", Place::elsewhere},
    FileSystem{0x01161970, "GFS2", Place::elsewhere},
    FileSystem{0x7461636f, "OCFS2", Place::elsewhere},
    FileSystem{0x65735546, "FUSE", Place::elsewhere},
};

void close_file(int descriptor) { static_cast<void>(::close(descriptor)); }

std::string reason_of(int error) { return std::strerror(error); }

/// A file without a name. If the file system cannot make one, the name is removed before the first
/// byte is written.
int open_nameless(const std::filesystem::path& folder) {
  const int descriptor =
      ::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor >= 0) return descriptor;
  // These errors mean: no files without names on this file system, or a kernel that takes the flag
  // for a folder.
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
    throw IoError("cannot make a file for records in the folder '{}': {}", folder.string(),
                  reason_of(errno));
  }
  // mkostemp() needs six X at the end and replaces them by letters of its choice.
  std::string name = (folder / ".tacet-spool-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named < 0 || ::unlink(name.c_str()) != 0) {
    const auto reason = reason_of(errno);
    if (named >= 0) close_file(named);
    throw IoError("cannot make a file for records in the folder '{}': {}", folder.string(), reason);
  }
  return named;
}

void refuse_file_system(const std::filesystem::path& folder, int descriptor) {
  struct statfs found {};
  if (::fstatfs(descriptor, &found) != 0) {
    throw IoError("cannot look at the folder '{}': {}", folder.string(), reason_of(errno));
  }
  const auto magic = static_cast<std::uint32_t>(found.f_type);
  const auto* kind = std::ranges::find(refused, magic, &FileSystem::magic);
  if (kind == refused.end()) return;
  if (kind->place == Place::memory) {
    throw UsageError(
        "`spool`: the files of '{}' lie in memory ({}), so that nothing would be gained: name a "
        "folder on a disk",
        folder.string(), kind->name);
  }
  throw UsageError(
      "`spool`: the files of '{}' may lie on another machine ({}), which would receive the "
      "records: name a folder on a disk of this one",
      folder.string(), kind->name);
}

int allocate_on_disk(int descriptor, std::size_t begin, std::size_t size) {
  for (;;) {
    if (::fallocate(descriptor, 0, static_cast<off_t>(begin), static_cast<off_t>(size)) == 0) {
      return 0;
    }
    if (errno != EINTR) return errno;
  }
}

int punch(int descriptor, std::size_t begin, std::size_t size) {
  const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  for (;;) {
    if (::fallocate(descriptor, mode, static_cast<off_t>(begin), static_cast<off_t>(size)) == 0) {
      return 0;
    }
    if (errno != EINTR) return errno;
  }
}

[[noreturn]] void refuse_full(const std::filesystem::path& folder, int error) {
  throw IoError("the folder '{}' does not take the encoded records (`spool`): {}", folder.string(),
                reason_of(error));
}

void try_places(const std::filesystem::path& folder, int descriptor, std::size_t page) {
  int error = allocate_on_disk(descriptor, 0, page);
  if (error == 0) error = punch(descriptor, 0, page);
  if (error == 0) return;
  if (error != EOPNOTSUPP && error != ENOSYS) refuse_full(folder, error);
  throw UsageError(
      "`spool`: the file system of '{}' cannot give back parts of a file, which would hold records "
      "twice when they are written anew: name a folder on another one, such as ext4, XFS or Btrfs",
      folder.string());
}

}  // namespace

std::shared_ptr<Spool> Spool::in(const std::filesystem::path& folder) {
  const int descriptor = open_nameless(folder);
  std::shared_ptr<Spool> spool;
  try {
    spool.reset(new Spool(folder, descriptor));
  } catch (...) {
    close_file(descriptor);
    throw;
  }
  refuse_file_system(folder, descriptor);
  try_places(folder, descriptor, spool->page_);
  return spool;
}

Spool::Spool(std::filesystem::path folder, int descriptor)
    : folder_(std::move(folder)),
      descriptor_(descriptor),
      page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {}

Spool::~Spool() {
  if (left_ > 0) ::munmap(next_, left_);
  close_file(descriptor_);
}

std::size_t Spool::whole_pages(std::size_t bytes) const {
  return (bytes + page_ - 1) / page_ * page_;
}

/// Takes the room from the disk before the part is mapped. Otherwise a full disk would be a signal
/// (SIGBUS) at the first write.
void Spool::take_from_disk(std::size_t size) {
  const int error = allocate_on_disk(descriptor_, end_, size);
  if (error == 0) return;
  // give back what was taken before the disk was full
  static_cast<void>(punch(descriptor_, end_, size));
  refuse_full(folder_, error);
}

void Spool::reserve_addresses(std::size_t size) {
  if (size <= left_) return;
  if (left_ > 0) ::munmap(next_, left_);
  left_ = 0;
  constexpr std::size_t stretch = std::size_t{1} << 30;
  for (const auto wanted : {std::max(size, stretch), size}) {
    void* found =
        ::mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) continue;  // under a limit of addresses, try a smaller stretch
    next_ = static_cast<std::byte*>(found);
    left_ = wanted;
    return;
  }
  throw std::bad_alloc();
}

void* Spool::allocate(std::size_t bytes) {
  const auto size = whole_pages(bytes);
  const std::lock_guard lock(mutex_);
  reserve_addresses(size);
  take_from_disk(size);
  void* begin = ::mmap(next_, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_,
                       static_cast<off_t>(end_));
  if (begin == MAP_FAILED) {
    const int error = errno;
    static_cast<void>(punch(descriptor_, end_, size));
    refuse_full(folder_, error);
  }
  if (::madvise(begin, size, MADV_DONTDUMP) != 0) {
    const int error = errno;
    static_cast<void>(punch(descriptor_, end_, size));
    throw IoError("the system does not keep records out of memory images: {}", reason_of(error));
  }
  // A forked child would free blocks that belong to its parent.
  static_cast<void>(::madvise(begin, size, MADV_DONTFORK));
  static_cast<void>(::madvise(begin, size, MADV_SEQUENTIAL));  // only a hint
  places_.emplace(begin, end_);
  next_ += size;
  left_ -= size;
  end_ += size;
  return begin;
}

void Spool::give_back(void* begin, std::size_t bytes) noexcept {
  const auto size = whole_pages(bytes);
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(begin);
  ::munmap(begin, size);
  if (found == places_.end()) return;
  static_cast<void>(punch(descriptor_, found->second, size));
  places_.erase(found);
}

}  // namespace tacet::base
