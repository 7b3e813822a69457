#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tacet::optimize {

/// Rows to slots, in few nanoseconds: open addressing, emptied at once, and no memory taken again
/// from one step to the next.
class SlotMap {
 public:
  SlotMap() { places_.resize(64); }

  void clear() {
    size_ = 0;
    if (++epoch_ != 0) return;
    for (auto& place : places_) place.epoch = 0;
    epoch_ = 1;
  }

  /// The row's slot; -1 if it has none.
  [[nodiscard]] std::int32_t find(std::int64_t row) const {
    for (std::size_t at = start(row);; at = next(at)) {
      const auto& place = places_[at];
      if (place.epoch != epoch_) return -1;
      if (place.row == row) return place.slot;
    }
  }

  /// The row's slot, or `slot` for one that has none yet.
  std::int32_t insert(std::int64_t row, std::int32_t slot) {
    if (2 * (size_ + 1) > places_.size()) grow();
    for (std::size_t at = start(row);; at = next(at)) {
      auto& place = places_[at];
      if (place.epoch == epoch_ && place.row == row) return place.slot;
      if (place.epoch == epoch_) continue;
      place = {row, epoch_, slot};
      ++size_;
      return slot;
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Place {
    std::int64_t row;
    std::uint32_t epoch;  // that of the map: taken
    std::int32_t slot;
  };

  [[nodiscard]] std::size_t start(std::int64_t row) const {
    // Fibonacci hashing (Knuth 1998, 6.4): neighbouring rows fall far apart.
    const auto mixed = static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15U;
    return static_cast<std::size_t>(mixed >> 32) & (places_.size() - 1);
  }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (places_.size() - 1); }

  void grow() {
    std::vector<Place> old(2 * places_.size());
    old.swap(places_);
    const std::size_t before = size_;
    for (const auto& place : old) {
      if (place.epoch == epoch_) insert(place.row, place.slot);
    }
    size_ = before;
  }

  std::vector<Place> places_;  // a power of two of them, at most half of them taken
  std::size_t size_ = 0;
  std::uint32_t epoch_ = 1;
};

}  // namespace tacet::optimize
