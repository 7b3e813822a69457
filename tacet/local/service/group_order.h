#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::local {

/// Which group of its round each place is in: an order that is a function of a key which the server
/// alone has, so that no device can choose its group, nor know with whom it shares one. The places
/// are those in which reports come.
class GroupOrder {
 public:
  /// The key of a state (StateFile::group_key).
  explicit GroupOrder(std::string_view key) : key_(key) {}

  /// The groups of a round of `batch` places, of sizes that differ by one at most; `groups` is 1 to
  /// `batch`.
  [[nodiscard]] std::vector<std::int64_t> of_round(std::int64_t round, std::int64_t batch,
                                                   std::int64_t groups) const;

 private:
  std::string key_;
};

}  // namespace tacet::local
