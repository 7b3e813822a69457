#pragma once

#include "tacet/audit/black_box.h"

namespace tacet::audit {

/// Which outcomes there are at all: what a neighbour cannot show tells both apart at once, whatever
/// epsilon says (Mironov 2012).
struct Support {
  std::int64_t off_grid = 0;  ///< numbers shown that are no multiples of the grid
  Finding residues{};         ///< of the claim, by the places on the grid, modulo four
  [[nodiscard]] bool sound() const { return off_grid == 0 && !residues.refuted; }
};

/// Whether all that the release shows lies on this grid, and each of its neighbours reaches the
/// same places there. The neighbours have to differ by an odd number of steps of the grid, and the
/// noise has to be many steps wide.
[[nodiscard]] Support audit_support(const Subject& subject, double grid,
                                    const AuditOptions& options, base::ThreadPool& threads);

}  // namespace tacet::audit
