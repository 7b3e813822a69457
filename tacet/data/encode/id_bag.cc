#include "tacet/data/encode/id_bag.h"

#include <algorithm>
#include <cmath>

#include "tacet/data/encode/decimal.h"
#include "tacet/data/encode/public_hash.h"
#include "tacet/data/encode/value_index.h"

namespace tacet::data {
std::span<const std::uint32_t> IdBag::places(const Value& value) {
  places_.clear();
  dropped_ = 0;
  beyond_ = 0;
  SpellingRoom room;
  if (const auto* list = std::get_if<List>(&value)) {
    for (const ListItem& item : list->entries()) {
      if (!missing_->has(item.value)) add_all(spelling(item.value, room));
    }
  } else if (!missing_->has(value)) {
    add_all(spelling(value, room));
  }
  return places_;
}

void IdBag::add_all(std::string_view text) {
  while (true) {
    const auto end = text.find(rule_.separator);
    add(without_blanks(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

void IdBag::add(std::string_view id) {
  if (id.empty() || missing_->has(id)) return;
  const auto place = place_of(id);
  if (!place) {
    ++dropped_;
    return;
  }
  const auto at = std::ranges::lower_bound(places_, *place);
  if (at != places_.end() && *at == *place) return;
  if (std::ssize(places_) == rule_.max_ids) {
    ++beyond_;
  } else {
    places_.insert(at, *place);
  }
}

std::optional<std::uint32_t> IdBag::place_of(std::string_view id) const {
  if (!rule_.count) return public_bucket(id, rule_.bits);
  const auto number = parse_number(id);
  const bool inside = number && *number >= 0 && *number < static_cast<double>(*rule_.count) &&
                      std::trunc(*number) == *number;
  return inside ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
}

}  // namespace tacet::data
