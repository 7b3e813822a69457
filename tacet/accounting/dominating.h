#pragma once

#include <optional>
#include <vector>

#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/language.h"

namespace tacet::accounting::internal {

/// An event as compositions of dominating pairs, one list for each order of the neighbours. `add`
/// is empty where every pair is symmetric, so that `remove` stands for both.
struct DominatingPairs {
  std::vector<pld::Component> remove;
  std::vector<pld::Component> add;
  bool attained = true;  ///< real data sets meet every pair
};

/// The pairs of an event, or nothing where some part has none. The event's refusals must have been
/// checked before. Several releases from one sample become one pair that is precise to about the
/// share `fineness` of epsilon.
[[nodiscard]] std::optional<DominatingPairs> dominating_pairs(const Event& event,
                                                              Adjacency adjacency,
                                                              double fineness = 1e-3,
                                                              WorkMeter* work = nullptr);

/// Pairs that real data sets meet and that the event dominates, in both orders; parts of which none
/// are known are left out. Nothing where that leaves nothing.
[[nodiscard]] std::optional<DominatingPairs> attained_pairs(const Event& event,
                                                            Adjacency adjacency);

}  // namespace tacet::accounting::internal
