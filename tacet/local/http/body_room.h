#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace tacet::local::internal {

/// The bodies of a server that are announced and not answered yet. Several threads may call it.
class Bodies {
 public:
  /// A body that is longer than everything allowed is admitted alone. Those of one token have a
  /// share of the room, or two bodies: who announces many and sends none leaves room for others.
  [[nodiscard]] bool take(const std::string& token, std::int64_t limit, std::int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = tokens_.find(token);
    const auto own = (found == tokens_.end() ? 0 : found->second) + bytes;
    if (!token.empty() && own > std::max(limit / token_share, 2 * bytes)) return false;
    if (bytes_ > 0 && bytes_ + bytes > limit) return false;
    tokens_[token] = own;
    bytes_ += bytes;
    return true;
  }
  void give_back(const std::string& token, std::int64_t bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = tokens_.find(token);
    found->second -= bytes;
    if (found->second == 0) tokens_.erase(found);
    bytes_ -= bytes;
  }
  [[nodiscard]] std::int64_t bytes() const {
    const std::scoped_lock lock(mutex_);
    return bytes_;
  }

 private:
  static constexpr std::int64_t token_share = 64;  // one part in so many

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::int64_t> tokens_;  // bytes of each
  std::int64_t bytes_ = 0;
};

/// Room for a body, until it is answered or its connection ends.
class BodyRoom {
 public:
  BodyRoom() = default;
  BodyRoom(const BodyRoom&) = delete;
  BodyRoom& operator=(const BodyRoom&) = delete;
  ~BodyRoom() { give_back(); }

  [[nodiscard]] bool take(Bodies& all, std::string token, std::int64_t limit, std::int64_t bytes) {
    give_back();
    if (!all.take(token, limit, bytes)) return false;
    all_ = &all;
    token_ = std::move(token);
    bytes_ = bytes;
    return true;
  }
  void give_back() {
    if (all_ != nullptr) all_->give_back(token_, bytes_);
    all_ = nullptr;
  }

 private:
  Bodies* all_ = nullptr;
  std::string token_;
  std::int64_t bytes_ = 0;
};

}  // namespace tacet::local::internal
