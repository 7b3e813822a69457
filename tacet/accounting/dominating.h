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

/// What is asked of the two lists of pairs: epsilon at a delta, or delta at an epsilon.
using ComposePairs = std::function<pld::Bracket(const std::vector<pld::Component>& remove,
                                                const std::vector<pld::Component>& add,
                                                const pld::PldOptions& options)>;

struct PairBounds {
  std::optional<pld::Bracket> bracket = {};  ///< none where sums over losses say nothing
  bool data_meet = false;                    ///< real data sets meet every pair
  double attained = 0;  ///< lower end of what they attain elsewhere, if that was asked for
};

/// Nothing where a part of the event has no pair, or where the losses are beyond what a grid holds.
[[nodiscard]] std::optional<PairBounds> bounds_by_pairs(const Event& event, Adjacency adjacency,
                                                        const ComposePairs& compose,
                                                        const AccountOptions& options);

/// The upper end of `best`, or a smaller one from more uses: few uses are a part of more, which
/// cost no less, and where a few rare ones leave a wide interval, that of two to eight times as
/// many may end lower.
[[nodiscard]] double upper_of_more_uses(const Event& event, Adjacency adjacency,
                                        const ComposePairs& compose, const AccountOptions& options,
                                        const PrivacyInterval& best);

}  // namespace tacet::accounting::internal
