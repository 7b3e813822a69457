#pragma once

#include <optional>

#include "tacet/accounting/loss/grid_sum.h"

/// Adds very many losses in two stages. A short transform gives the law of a few hundred or
/// thousand of them. That law is cut into cells of a coarser grid, and adding the cells needs a
/// short transform again (docs/proofs/accountant.md, section 4).
namespace tacet::accounting::pld {

/// An upper and a lower sum with the same counts. The first stage's round-off may have moved a
/// share of all mass, to the safe side; that share is kept too.
struct StagedSums {
  GridSum upper;
  GridSum lower;
  double moved;
};

struct Staging {
  double theta;     ///< the tilt under which the sums will be composed; no other is allowed
  double log_tail;  ///< of each tilted sum that may be lost on either side
  int direct_bits;  ///< log2 of the length of the transform for one stage
};

/// The same sums with fewer uses of composed laws on a coarser grid. This widens the ends by a
/// tenth of what the present grid does. Nothing unless the transforms become several times shorter.
[[nodiscard]] std::optional<StagedSums> staged(const GridSum& upper, const GridSum& lower,
                                               const Staging& staging);

}  // namespace tacet::accounting::pld
