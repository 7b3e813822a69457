#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tacet::base {

/// Memory for records that lies in a file on a disk. The system can drop pages of it from the
/// machine's memory and read them again later. So the records can be larger than the memory.
///
/// The file has no name: no other program can open it, and the system frees it when the process
/// ends, however it ends. Parts of it are mapped into the address space, so that code uses them
/// like other memory. The disk reserves the room of each part before the part is mapped. A full
/// disk is therefore an exception here, and not a signal at a later write. Core dumps leave these
/// parts out, and the system reads them ahead in their order.
///
/// While the process runs, the disk holds what is written here. After that the blocks of the disk
/// belong to no file, but keep their contents until something else is written there. Several
/// threads may use one spool.
class Spool {
 public:
  /// In bytes. Smaller arrays stay in private memory: a part of the file consists of whole pages,
  /// and a small array would waste most of its last page.
  static constexpr std::size_t smallest = std::size_t{1} << 16;

  /// Makes the file in that folder. UsageError, with the reason, for a folder whose files lie in
  /// memory or may lie on another machine, and for a file system that cannot free parts of a file.
  /// IoError if the system refuses to make a file there.
  [[nodiscard]] static std::shared_ptr<Spool> in(const std::filesystem::path& folder);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Allocates that many bytes of zeros; they stay until give_back(). IoError, which names the
  /// folder, if the disk is full.
  [[nodiscard]] void* allocate(std::size_t bytes);
  void give_back(void* begin, std::size_t bytes) noexcept;

 private:
  Spool(std::filesystem::path folder, int descriptor);

  [[nodiscard]] std::size_t whole_pages(std::size_t bytes) const;
  void take_from_disk(std::size_t size);
  void reserve_addresses(std::size_t size);

  std::filesystem::path folder_;
  int descriptor_;
  std::size_t page_;
  std::mutex mutex_;  // guards the members below
  // Addresses are reserved in long stretches. Within a stretch they are in the order of the parts
  // of the file, so that the system needs one entry for all of them.
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;                                 // bytes reserved from `next_` on
  std::size_t end_ = 0;                                  // size of the file
  std::unordered_map<const void*, std::size_t> places_;  // position in the file of each part in use
};

/// An allocator for containers. Large arrays lie in the spool. Small arrays lie in private memory,
/// and so do all arrays if there is no spool. Copies of a container use the same spool.
template <typename T>
class SpoolAllocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  SpoolAllocator() = default;
  SpoolAllocator(std::shared_ptr<Spool> spool) : spool_(std::move(spool)) {}
  template <typename Other>
  SpoolAllocator(const SpoolAllocator<Other>& other) : spool_(other.spool()) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (!in_spool(count)) return std::allocator<T>().allocate(count);
    return static_cast<T*>(spool_->allocate(count * sizeof(T)));
  }
  void deallocate(T* begin, std::size_t count) noexcept {
    if (!in_spool(count)) return std::allocator<T>().deallocate(begin, count);
    spool_->give_back(begin, count * sizeof(T));
  }

  [[nodiscard]] const std::shared_ptr<Spool>& spool() const { return spool_; }
  friend bool operator==(const SpoolAllocator& a, const SpoolAllocator& b) {
    return a.spool_ == b.spool_;
  }

 private:
  [[nodiscard]] bool in_spool(std::size_t count) const {
    return spool_ != nullptr && count >= Spool::smallest / sizeof(T) &&
           count <= std::size_t(-1) / 2 / sizeof(T);
  }

  std::shared_ptr<Spool> spool_;
};

template <typename T>
using SpooledVector = std::vector<T, SpoolAllocator<T>>;

}  // namespace tacet::base
