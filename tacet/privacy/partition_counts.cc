#include "tacet/privacy/partition_counts.h"

#include <algorithm>

#include "tacet/base/error.h"

namespace tacet::privacy {

PartitionCounts PartitionCounts::from_certified(Certified /*proof*/,
                                                std::span<const std::string> names,
                                                std::vector<std::int64_t> counts, std::int64_t norm,
                                                std::int64_t max_per_unit) {
  constexpr auto largest = std::int64_t{1} << 52;
  constexpr auto largest_count = std::int64_t{1} << 60;
  if (norm < 1 || norm > largest) {
    throw base::UsageError("the norm of counts must lie in [1, {}], got {}", largest, norm);
  }
  if (max_per_unit < 1) throw base::UsageError("a unit counts in one thing at least");
  if (names.size() != counts.size()) throw base::UsageError("each count has a name");
  if (std::ranges::any_of(counts, [](auto count) { return count < 0 || count > largest_count; })) {
    throw base::UsageError("counts must lie within 0 and 2^60 grid units");
  }
  return {names, std::move(counts), norm, max_per_unit};
}

}  // namespace tacet::privacy
