#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tacet/base/spool.h"

namespace tacet::data {

/// An append-only sequence in blocks of fixed size. It grows without copies, so the peak of memory
/// is its contents and one block.
template <typename T>
class BlockVector {
 public:
  /// In memory, or in a spool.
  explicit BlockVector(std::shared_ptr<base::Spool> spool = nullptr) : spool_(std::move(spool)) {}

  void push_back(const T& value) {
    if ((size_ & block_mask) == 0) {
      blocks_.emplace_back(spool_);
      // The first block grows by doubling so that small data sets stay small.
      if (blocks_.size() > 1) blocks_.back().reserve(block_size);
    }
    blocks_.back().push_back(value);
    ++size_;
  }

  [[nodiscard]] const T& operator[](std::int64_t index) const {
    const auto place = static_cast<std::size_t>(index);
    return blocks_[place >> block_shift][place & block_mask];
  }
  /// Frees the blocks that lie completely before `index`. Their elements may not be read any more.
  void forget_before(std::int64_t index) {
    const auto end = static_cast<std::size_t>(index) >> block_shift;
    for (; forgotten_ < end; ++forgotten_) base::SpooledVector<T>().swap(blocks_[forgotten_]);
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(size_); }
  [[nodiscard]] std::int64_t memory_bytes() const {
    std::size_t total = 0;
    for (const auto& block : blocks_) total += block.capacity() * sizeof(T);
    return static_cast<std::int64_t>(total);
  }

 private:
  static constexpr int block_shift = 16;
  static constexpr std::size_t block_size = std::size_t{1} << block_shift;
  static constexpr std::size_t block_mask = block_size - 1;

  std::shared_ptr<base::Spool> spool_;
  std::vector<base::SpooledVector<T>> blocks_;
  std::size_t size_ = 0;
  std::size_t forgotten_ = 0;  // blocks
};

}  // namespace tacet::data
