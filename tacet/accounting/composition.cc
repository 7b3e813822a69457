#include "tacet/accounting/composition.h"

#include <cmath>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::accounting {

std::optional<Guarantee> joint_guarantee(std::vector<Event> events, Adjacency adjacency,
                                         std::span<const double> deltas) {
  const Event all = Composed{std::move(events)};
  for (const double delta : deltas) {
    try {
      const auto found = account(all, adjacency, Delta(delta));
      if (std::isfinite(found.epsilon)) return found;
    } catch (const base::Error&) {
      // Nothing is proved at this delta; try the next one.
    }
  }
  return std::nullopt;
}

}  // namespace tacet::accounting
