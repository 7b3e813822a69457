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

/// Memory that lies in a file, so that the system can take it out of the machine's memory and read
/// it again: for more records than fit. The file has no name, so that nobody can open it and
/// nothing of it is left after any end of the process; its parts are mapped, so that it is used
/// like other memory. Each part has its place on the disk before it is used: a full disk is an
/// error, not a signal. Parts are left out of memory images of the process, and read ahead.
///
/// The disk holds what is written here while the process lasts, and blocks that belong to no file
/// after it. Several threads may use one.
class Spool {
 public:
  /// Smaller arrays stay in private memory: the rest of their pages would be lost.
  static constexpr std::size_t smallest = std::size_t{1} << 16;

  /// UsageError, with the reason, for a folder whose files lie in memory, or may lie on another
  /// machine, and where no part of a file can be given back. IoError where the system refuses a
  /// file there.
  [[nodiscard]] static std::shared_ptr<Spool> in(const std::filesystem::path& folder);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  /// Zeros, until they are given back. IoError, which names the folder, where it is full.
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
  std::mutex mutex_;  // of what follows
  // Addresses of one stretch follow each other as their parts of the file do, so that the system
  // keeps one entry for all of them.
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;                                 // addresses from there on
  std::size_t end_ = 0;                                  // of the file
  std::unordered_map<const void*, std::size_t> places_;  // in it, of what is in use
};

/// For containers: memory of the spool for large arrays, private memory for small ones and where
/// there is no spool. Copies of a container use the same.
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
