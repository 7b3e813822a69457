#include "tacet/local/service/group_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "tacet/local/service/token.h"

namespace tacet::local {

std::vector<std::int64_t> GroupOrder::of_round(std::int64_t round, std::int64_t batch,
                                               std::int64_t groups) const {
  std::vector<std::int64_t> group(static_cast<std::size_t>(batch), 0);
  if (groups == 1) return group;
  const TokenKey key(key_);
  // The rank of a place is that of its keyed hash. Without the key it is a uniformly random order.
  std::vector<std::pair<TokenMac, std::int64_t>> ranks;
  ranks.reserve(group.size());
  for (std::int64_t place = 0; place < batch; ++place) {
    std::string text(16, '\0');
    for (std::size_t i = 0; i < 8; ++i) {
      text[i] = static_cast<char>(static_cast<std::uint64_t>(round) >> (8 * i) & 0xff);
      text[8 + i] = static_cast<char>(static_cast<std::uint64_t>(place) >> (8 * i) & 0xff);
    }
    ranks.emplace_back(key.mac(text), place);
  }
  std::ranges::sort(ranks);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    group[static_cast<std::size_t>(ranks[rank].second)] = static_cast<std::int64_t>(rank) % groups;
  }
  return group;
}

}  // namespace tacet::local
