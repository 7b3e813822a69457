#pragma once

#include <functional>

#include "tacet/accounting/loss/pairs.h"
#include "tacet/accounting/routes/language.h"
#include "tacet/base/progress.h"

/// One use of an event as a pair of laws that dominates it. docs/proofs/accountant.md, section 1.
namespace tacet::accounting::internal {

/// What happens to events without a loss distribution of their own.
enum class Missing {
  none,           ///< they have no pair
  proved_profile  ///< the profile that their own accountants prove stands for them
};

/// A dominating pair of one order of the neighbours and, where that is a bound of a worst one, a
/// lower bound of that one; else null.
struct Use {
  pairs::PairPointer pair;
  pairs::PairPointer below;
};

/// Makes the pairs of one use in either order; none where the event has no pair.
using Uses = std::function<Use(pairs::Order)>;

struct UseOptions {
  double fineness = 1e-3;  ///< of several releases from one sample, see pld::product
  Missing missing = Missing::none;
  WorkMeter* work = nullptr;
};

/// The pairs of `event`. `attained` becomes false where no data sets are known to meet them.
[[nodiscard]] Uses uses_of(const Event& event, Adjacency adjacency, const UseOptions& options,
                           bool* attained);

/// Whether an event's two orders may differ.
[[nodiscard]] bool has_orders(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
