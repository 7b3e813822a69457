#include "tacet/random/lease_book.h"

#include <iterator>

namespace tacet::random::internal {

/// Cuts the step out of its stretch.
LeaseBook::Place LeaseBook::alone(Place place, std::uint64_t step) {
  const std::uint64_t last = place->second.last;
  if (step < last) {
    stretches_.emplace(step + 1, Stretch{last, place->second.indices});
    place->second.last = step;
  }
  if (place->first == step) return place;
  place->second.last = step - 1;
  return stretches_.emplace(step, Stretch{step, place->second.indices}).first;
}

/// Joins a stretch with the one behind it if that goes on alike.
void LeaseBook::join(Place first) {
  const auto second = std::next(first);
  if (second == stretches_.end() || first->second.last + 1 != second->first ||
      !(first->second.indices == second->second.indices)) {
    return;
  }
  first->second.last = second->second.last;
  stretches_.erase(second);
}

bool LeaseBook::take(std::uint64_t step, std::uint64_t index) {
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
