#include "tacet/random/source/block_registry.h"

#include <iterator>

namespace tacet::random::internal {

/// Cuts one step out of its stretch. The new pieces are made first, and putting them in needs no
/// memory. So no claim is forgotten if memory runs out.
BlockRegistry::Place BlockRegistry::alone(Place place, std::uint64_t step) {
  auto& [first, stretch] = *place;
  std::map<std::uint64_t, Stretch> pieces;
  if (step < stretch.last) pieces.emplace(step + 1, Stretch{stretch.last, stretch.indices});
  if (first < step) pieces.emplace(step, Stretch{step, stretch.indices});
  stretch.last = first < step ? step - 1 : step;
  stretches_.merge(pieces);
  return stretches_.find(step);
}

/// Joins a stretch with the next one if both claimed the same indices and touch.
void BlockRegistry::join(Place first) {
  const auto second = std::next(first);
  if (second == stretches_.end() || first->second.last + 1 != second->first ||
      !(first->second.indices == second->second.indices)) {
    return;
  }
  first->second.last = second->second.last;
  stretches_.erase(second);
}

void BlockRegistry::finish_before(std::uint64_t step) {
  if (step <= unfinished_) return;
  unfinished_ = step;
  auto place = stretches_.begin();
  while (place != stretches_.end() && place->second.last < step) place = stretches_.erase(place);
}

bool BlockRegistry::take(std::uint64_t step, std::uint64_t index) {
  if (step < unfinished_) return false;
  auto place = stretches_.upper_bound(step);
  if (place != stretches_.begin() && step <= std::prev(place)->second.last) {
    --place;
    if (place->second.indices.contains(index)) return false;
    place = alone(place, step);
  } else {
    place = stretches_.emplace(step, Stretch{step, {}}).first;
  }
  place->second.indices.insert(index);
  join(place);
  if (place != stretches_.begin()) join(std::prev(place));
  return true;
}

}  // namespace tacet::random::internal
