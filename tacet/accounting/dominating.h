#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/language.h"

/// The numerical route: an event as compositions of dominating pairs, whose privacy losses are
/// added up on a grid.
namespace tacet::accounting::internal {

/// An event as compositions of dominating pairs, one list for each order of the neighbours. `add`
/// is empty where every pair is symmetric, so that `remove` stands for both.
struct DominatingPairs {
  std::vector<pld::Component> remove;
  std::vector<pld::Component> add;
  bool attained = true;  ///< real data sets attain every pair
};

/// The pairs of an event, or nothing if some part has none. The caller has checked
/// internal::refusal. Several releases from one sample become one pair, which is precise to about
/// the share `fineness` of epsilon.
[[nodiscard]] std::optional<DominatingPairs> dominating_pairs(const Event& event,
                                                              Adjacency adjacency,
                                                              double fineness = 1e-3,
                                                              WorkMeter* work = nullptr);

/// Pairs that the event dominates and that real data sets attain, in both orders. Parts without
/// such a pair are left out. Nothing if no part has one.
[[nodiscard]] std::optional<DominatingPairs> attained_pairs(const Event& event,
                                                            Adjacency adjacency);

/// The question asked of the two lists of pairs: epsilon at a delta, or delta at an epsilon.
using ComposePairs = std::function<pld::Bracket(const std::vector<pld::Component>& remove,
                                                const std::vector<pld::Component>& add,
                                                const pld::PldOptions& options)>;

struct PairBounds {
  std::optional<pld::Bracket> bracket = {};  ///< absent if sums of losses say nothing
  bool data_meet = false;                    ///< real data sets attain every pair
  double attained = 0;  ///< if not: a lower bound from other data sets, if asked for
};

/// Nothing if a part of the event has no pair, or if the losses do not fit a grid.
[[nodiscard]] std::optional<PairBounds> bounds_by_pairs(const Event& event, Adjacency adjacency,
                                                        const ComposePairs& compose,
                                                        const AccountOptions& options);

/// The upper end of `best`, or a smaller one from more uses. A few uses cost no more than many, and
/// where a few rare uses leave a wide interval, two to eight times as many may end lower.
[[nodiscard]] double upper_of_more_uses(const Event& event, Adjacency adjacency,
                                        const ComposePairs& compose, const AccountOptions& options,
                                        const PrivacyInterval& best);

}  // namespace tacet::accounting::internal
