#pragma once

#include <optional>

#include "tacet/accounting/loss/grid_sum.h"

/// A sum of very many losses in two stages: the law of a few hundred or thousand of them from a
/// short transform, cut anew into cells of a coarser grid, whose sum needs a short transform again.
/// docs/proofs/accountant.md, section 4.
namespace tacet::accounting::pld {

/// An upper and a lower sum of the same counts, and the share of all mass by which round-off of
/// composing the laws they are made of may have moved them, to the safe side.
struct StagedSums {
  GridSum upper;
  GridSum lower;
  double moved;
};

struct Staging {
  double theta;     ///< the tilt under which the sums will be composed, and no other
  double log_tail;  ///< of the tilted sums that may be lost on either side
  int direct_bits;  ///< log2 of the transform that composing at once takes
};

/// The sums in fewer uses of composed laws on a coarser grid, at the cost of a tenth of what the
/// present grid costs the ends. Nothing where that would not be several times shorter.
[[nodiscard]] std::optional<StagedSums> staged(const GridSum& upper, const GridSum& lower,
                                               const Staging& staging);

}  // namespace tacet::accounting::pld
