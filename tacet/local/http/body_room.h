#pragma once

#include <atomic>
#include <cstdint>

namespace tacet::local::internal {

/// Room for a body, until it is answered or its connection ends.
class BodyRoom {
 public:
  BodyRoom() = default;
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  ~BodyRoom() { give_back(); }

  /// A body that is longer than everything allowed is admitted alone.
  [[nodiscard]] bool take(std::atomic<std::int64_t>& all, std::int64_t limit, std::int64_t bytes) {
    give_back();
    const auto before = all.fetch_add(bytes);
    all_ = &all;
    bytes_ = bytes;
    if (before == 0 || before + bytes <= limit) return true;
    give_back();
    return false;
  }
  void give_back() {
    if (all_ != nullptr) *all_ -= bytes_;
    all_ = nullptr;
  }

 private:
  std::atomic<std::int64_t>* all_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace tacet::local::internal
