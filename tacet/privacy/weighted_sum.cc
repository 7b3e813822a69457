#include "tacet/privacy/weighted_sum.h"

#include <cmath>

#include "tacet/base/error.h"

namespace tacet::privacy {

WeightedSum WeightedSum::from_certified(Certified /*proof*/, std::vector<std::int64_t> values,
                                        double grid, std::vector<Block> blocks,
                                        Adjacency adjacency) {
  const auto check = [](double value, const char* what) {
    if (value > 0 && std::isfinite(value)) return;
    throw base::UsageError("the {} must be positive and finite, got {}", what, value);
  };
  check(grid, "grid");
  std::size_t covered = 0;
  for (const auto& block : blocks) {
    check(block.scale, "scale of a block");
    covered += block.count;
  }
  if (covered != values.size()) {
    throw base::InternalError("blocks of {} values for a sum of {}", covered, values.size());
  }
  return {std::move(values), grid, std::move(blocks), adjacency};
}

}  // namespace tacet::privacy
