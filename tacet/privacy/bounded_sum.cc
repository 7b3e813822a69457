#include "tacet/privacy/bounded_sum.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::privacy {

BoundedSum BoundedSum::from_certified(Certified /*proof*/, std::vector<std::int64_t> values,
                                      double grid, std::int64_t contribution_bound, Sample sample) {
  if (!(grid > 0) || !std::isfinite(grid)) {
    throw base::UsageError("the grid must be positive and finite, got {}", grid);
  }
  // Beyond 2^52 the bound would not be exact in the accountant's doubles.
  constexpr auto largest = std::int64_t{1} << 52;
  if (contribution_bound < 1 || contribution_bound > largest) {
    throw base::UsageError("the contribution bound must lie in [1, {}], got {}", largest,
                           contribution_bound);
  }
  return {std::move(values), grid, contribution_bound, sample};
}

BoundedSum BoundedSum::with_absolute_bound(Certified /*proof*/, std::int64_t bound) && {
  if (bound < contribution_bound_) {
    throw base::UsageError("an L1 norm of at most {} cannot reach an L2 norm of {}; state {}",
                           bound, contribution_bound_, contribution_bound_);
  }
  absolute_bound_ = bound;
  return std::move(*this);
}

SparseBoundedSum SparseBoundedSum::from_certified(Certified /*proof*/, std::int64_t size,
                                                  std::vector<random::ScoredCandidate> touched,
                                                  std::int64_t contribution_bound, Sample sample) {
  // Beyond 2^52 the bound would not be exact in the accountant's doubles.
  constexpr auto largest = std::int64_t{1} << 52;
  constexpr auto largest_value = std::int64_t{1} << 60;
  if (contribution_bound < 1 || contribution_bound > largest) {
    throw base::UsageError("the contribution bound must lie in [1, {}], got {}", largest,
                           contribution_bound);
  }
  if (size < 0) throw base::UsageError("a sum has 0 or more coordinates, got {}", size);
  random::internal::check_candidates(size, touched);
  for (const auto& item : touched) {
    if (item.score < -largest_value || item.score > largest_value) {
      throw base::UsageError("the values of a sparse sum must lie within 2^60 grid units of 0");
    }
  }
  return {size, std::move(touched), contribution_bound, sample};
}

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

RowSum RowSum::from_certified(Certified /*proof*/, BoundedSum sum, RowSelection selection,
                              RowLayout layout, std::vector<std::int64_t> touched) {
  RowSum result(std::move(sum), std::move(selection), std::move(layout), std::move(touched));
  result.size_ = result.selection_.cell_count(result.layout_) + result.layout_.dense();
  std::int64_t held = result.size_;
  if (result.selection_.is_all()) {
    held = result.layout_.dense();
    for (const auto row : result.touched_) held += result.layout_.width(row);
  }
  if (static_cast<std::int64_t>(result.sum_.size()) != held) {
    throw base::InternalError("a sum over chosen rows has a number for each of their cells");
  }
  return result;
}

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
