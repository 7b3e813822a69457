#pragma once

#include <functional>

#include "tacet/accounting/loss/pairs.h"
#include "tacet/accounting/routes/language.h"
#include "tacet/base/progress.h"

/// One use of an event as a dominating pair of distributions. docs/proofs/accountant.md, section 1.
namespace tacet::accounting::internal {

/// How to treat an event without a loss distribution.
enum class Missing {
  none,           ///< it gets no pair
  proved_profile  ///< it gets the pair of the (epsilon, delta) curve that another route proves
};

/// A dominating pair for one order of the neighbours. If it only bounds the worst pair from above,
/// `below` bounds the worst pair from below; else `below` is null.
struct Use {
  pairs::PairPointer pair;
  pairs::PairPointer below;
};

/// Makes the pair of one use in a given order; absent if the event has no pair.
using Uses = std::function<Use(pairs::Order)>;

struct UseOptions {
  double fineness = 1e-3;  ///< of several releases from one sample, see product_pair.h
  Missing missing = Missing::none;
  WorkMeter* work = nullptr;
};

/// The pairs of `event`. Sets `attained` to false if no data sets are known to attain them.
[[nodiscard]] Uses uses_of(const Event& event, Adjacency adjacency, const UseOptions& options,
                           bool* attained);

/// Whether an event's two orders may differ.
[[nodiscard]] bool has_orders(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
