#pragma once

#include <cstdint>
#include <map>

#include "tacet/base/number_set.h"

namespace tacet::random::internal {

/// Which (step, index) were claimed. Steps that come one after the other and claimed the same
/// indices are kept as one entry, so that memory does not grow with the length of a run; nothing is
/// forgotten, and addresses may come in any order. Steps that claim different indices are entries
/// of their own until they are finished.
class BlockRegistry {
 public:
  /// False if it was taken before. Out of memory, nothing that was taken is forgotten.
  [[nodiscard]] bool take(std::uint64_t step, std::uint64_t index);
  /// Steps below this one are finished: all of their addresses count as taken from now on, and what
  /// was taken of them needs no memory. Steps never become unfinished again.
  void finish_before(std::uint64_t step);
  /// How many stretches of steps it holds.
  [[nodiscard]] std::size_t entries() const { return stretches_.size(); }

 private:
  struct Stretch {
    std::uint64_t last;
    base::NumberSet indices;
  };
  using Place = std::map<std::uint64_t, Stretch>::iterator;

  Place alone(Place place, std::uint64_t step);
  void join(Place first);

  std::map<std::uint64_t, Stretch> stretches_;  // by the first step
  std::uint64_t unfinished_ = 0;                // the first step that may be asked for
};

}  // namespace tacet::random::internal
