#include "tacet/random/source/secure_memory.h"

#include <openssl/crypto.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::random::internal {
namespace {

/// Hands out 32-byte slots. Each chunk is `chunk_size` bytes between two guard pages. The first
/// slot of the first holds the generation, which MADV_WIPEONFORK turns to zero in a child, however
/// the child was made.
class Arena {
 public:
  static Arena& instance() {
    static Arena* arena = new Arena;  // Never destroyed: static objects may still hold keys.
    return *arena;
  }

  std::uint8_t* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    std::uint8_t* slot = free_.back();
    free_.pop_back();
    return slot;
  }

  void give_back(std::uint8_t* slot) noexcept {
    OPENSSL_cleanse(slot, key_size);
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);  // Cannot allocate: grow() reserved room for every slot.
  }

  /// Whether this process made the keys and is not a child made by fork(). If the system wipes the
  /// pages of a child, this check is not needed.
  [[nodiscard]] bool same_process_number() const noexcept { return wiped_ || getpid() == process_; }

 private:
  static constexpr std::size_t chunk_size = 4096;

  Arena() : process_(getpid()) {
    grow();
    generation_ = new (free_.back()) std::atomic<std::uint64_t>(1);
    free_.pop_back();
    generation_place = generation_;
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] { instance().enter_child(); });
  }

  /// A larger generation refuses all older keys. The child may then make its own.
  void enter_child() noexcept {
    generation_->store(++last_generation_, std::memory_order_relaxed);
    process_ = getpid();
    mutex_.unlock();
  }

  void grow() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (chunk_size + page - 1) / page * page;
    void* mapped = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw base::InternalError("no memory for keys");
    auto* start = static_cast<std::uint8_t*>(mapped) + page;
    if (mprotect(start, inner, PROT_READ | PROT_WRITE) != 0) {
      throw base::InternalError("the system refused to open a page for keys");
    }
    // Locking may exceed the limit of the process. The other protections do not depend on it.
    static_cast<void>(mlock(start, inner));
#ifdef MADV_DONTDUMP
    static_cast<void>(madvise(start, inner, MADV_DONTDUMP));
#endif
#ifdef MADV_WIPEONFORK
    if (madvise(start, inner, MADV_WIPEONFORK) != 0) wiped_ = false;
#else
    wiped_ = false;
#endif
    slots_ += inner / key_size;
    free_.reserve(slots_);
    for (std::size_t i = 0; i + key_size <= inner; i += key_size) free_.push_back(start + i);
  }

  std::mutex mutex_;
  std::vector<std::uint8_t*> free_;
  std::size_t slots_ = 0;
  std::atomic<bool> wiped_{true};
  pid_t process_;
  std::uint64_t last_generation_ = 1;
  std::atomic<std::uint64_t>* generation_ = nullptr;
};

}  // namespace

std::uint64_t fork_generation() {
  static_cast<void>(Arena::instance());
  return fork_count();
}

void require_same_process(std::uint64_t generation) {
  if (generation == 0 || generation != fork_generation() ||
      !Arena::instance().same_process_number()) {
    throw base::InternalError(
        "a random source was used in a forked child: parent and child would draw the same noise; "
        "create a new source in the child");
  }
}

SecureSlot::SecureSlot() : data_(Arena::instance().take()), generation_(fork_generation()) {}

SecureSlot::SecureSlot(SecureSlot&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), generation_(other.generation_) {}

SecureSlot& SecureSlot::operator=(SecureSlot&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    generation_ = other.generation_;
  }
  return *this;
}

SecureSlot::~SecureSlot() { release(); }

void SecureSlot::release() noexcept {
  if (data_ != nullptr) Arena::instance().give_back(std::exchange(data_, nullptr));
}

std::span<std::uint8_t, key_size> SecureSlot::bytes() {
  if (data_ == nullptr) throw base::InternalError("a key was used after it had been moved away");
  require_same_process(generation_);
  return std::span<std::uint8_t, key_size>(data_, key_size);
}

std::span<const std::uint8_t, key_size> SecureSlot::bytes() const {
  if (data_ == nullptr) throw base::InternalError("a key was used after it had been moved away");
  require_same_process(generation_);
  return std::span<const std::uint8_t, key_size>(data_, key_size);
}

ScopedWipe::~ScopedWipe() {
  if (size_ == 0)
    return;  // an empty span may have no address, which the functions below do not accept
#ifdef __linux__
  explicit_bzero(data_, size_);
#else
  OPENSSL_cleanse(data_, size_);
#endif
}

}  // namespace tacet::random::internal
