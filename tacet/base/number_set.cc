#include "tacet/base/number_set.h"

#include <iterator>

namespace tacet::base {

bool NumberSet::contains(std::uint64_t number) const {
  const auto above = last_of_.upper_bound(number);
  return above != last_of_.begin() && number <= std::prev(above)->second;
}

bool NumberSet::insert(std::uint64_t number) {
  const auto above = last_of_.upper_bound(number);
  const bool joins_above = above != last_of_.end() && above->first - 1 == number;
  if (above == last_of_.begin()) {
    const auto last = joins_above ? above->second : number;
    if (joins_above) last_of_.erase(above);
    last_of_.emplace(number, last);
    return true;
  }
  const auto below = std::prev(above);
  if (number <= below->second) return false;
  const auto last = joins_above ? above->second : number;
  const bool joins_below = below->second + 1 == number;
  if (joins_above) last_of_.erase(above);
  if (joins_below) {
    below->second = last;
  } else {
    last_of_.emplace(number, last);
  }
  return true;
}

}  // namespace tacet::base
