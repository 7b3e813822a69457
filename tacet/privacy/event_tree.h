#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/privacy/event.h"

/// Walks through an event as a tree. A question about a whole event is written for one node, and
/// these functions visit all of them.
namespace tacet::privacy {

/// The events directly inside: the base or the parts; none for a leaf.
[[nodiscard]] std::span<const Event> inside(const Event& event);

/// The adjacency that the event's kind states; nothing for kinds that state none.
[[nodiscard]] std::optional<Adjacency> stated_adjacency(const Event& event);

/// Whether `test` holds of the event or of any inside it.
template <typename Test>
bool holds_somewhere(const Event& event, const Test& test) {
  return test(event) || std::ranges::any_of(inside(event), [&](const Event& child) {
           return holds_somewhere(child, test);
         });
}

/// Folds the tree from its leaves: combine(event, values of the events directly inside).
template <typename Value, typename Combine>
Value fold(const Event& event, const Combine& combine) {
  std::vector<Value> values;
  for (const auto& child : inside(event)) values.push_back(fold<Value>(child, combine));
  return combine(event, std::span<const Value>(values));
}

/// A copy of the event in which every event directly inside is replaced by change(child).
template <typename Change>
Event with_inside(const Event& event, const Change& change) {
  return std::visit(
      [&](auto node) -> Event {
        if constexpr (HasBase<decltype(node)>) node.base = change(*node.base);
        if constexpr (HasParts<decltype(node)>) {
          for (auto& part : node.parts) part = change(part);
        }
        return node;
      },
      event.node());
}

/// Calls take(release, times) for each release of compositions and repetitions, in order. Returns
/// false if a release would occur more than 2^63 times, or as soon as `take` returns false.
template <typename Take>
bool each_release(const Event& event, const Take& take, std::int64_t times = 1) {
  if (const auto* repeated = event.as<Repeated>()) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(times, repeated->count, &product) &&
           each_release(*repeated->base, take, product);
  }
  if (const auto* composed = event.as<Composed>()) {
    return std::ranges::all_of(composed->parts,
                               [&](const Event& part) { return each_release(part, take, times); });
  }
  return take(event, times);
}

}  // namespace tacet::privacy
