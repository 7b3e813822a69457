#pragma once

#include <cstdint>
#include <map>

#include "tacet/base/number_set.h"

namespace tacet::random::internal {

/// Records which (step, index) pairs were claimed. Consecutive steps that claimed the same indices
/// are one entry, so memory does not grow with the length of a run. Nothing is forgotten, and
/// addresses may come in any order. Steps that claim different indices are separate entries until
/// they are finished.
class BlockRegistry {
 public:
  /// False if the address was taken before. If memory runs out, no earlier claim is forgotten.
  [[nodiscard]] bool take(std::uint64_t step, std::uint64_t index);
  /// Marks all steps below this one as finished: their addresses count as taken from now on, and
  /// need no memory. Steps never become unfinished again.
  void finish_before(std::uint64_t step);
  /// The number of stretches of steps.
  [[nodiscard]] std::size_t entries() const { return stretches_.size(); }

 private:
  struct Stretch {
    std::uint64_t last;
    base::NumberSet indices;
  };
  using Place = std::map<std::uint64_t, Stretch>::iterator;

  Place alone(Place place, std::uint64_t step);
  void join(Place first);

  std::map<std::uint64_t, Stretch> stretches_;  // keyed by the first step
  std::uint64_t unfinished_ = 0;                // the first step that can still be claimed
};

}  // namespace tacet::random::internal
