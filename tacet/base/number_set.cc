#include "tacet/base/number_set.h"

#include <iterator>
#include <utility>

namespace tacet::base {

bool NumberSet::contains(std::uint64_t number) const {
  const auto above = last_of_.upper_bound(number);
  return above != last_of_.begin() && number <= std::prev(above)->second;
}

// Memory is needed only for a number that touches no interval, and it is taken before anything
// changes. A set that forgot numbers when memory ran out would let them be claimed again.
bool NumberSet::insert(std::uint64_t number) {
  const auto above = last_of_.upper_bound(number);
  const auto below = above == last_of_.begin() ? last_of_.end() : std::prev(above);
  const bool is_below = below != last_of_.end();
  if (is_below && number <= below->second) return false;
  const bool joins_above = above != last_of_.end() && above->first - 1 == number;
  if (is_below && below->second + 1 == number) {
    below->second = joins_above ? above->second : number;
    if (joins_above) last_of_.erase(above);
  } else if (joins_above) {
    const auto behind = std::next(above);
    auto interval = last_of_.extract(above);
    interval.key() = number;
    last_of_.insert(behind, std::move(interval));
  } else {
    last_of_.emplace(number, number);
  }
  return true;
}

}  // namespace tacet::base
