#pragma once

#include <functional>

#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::run {

/// Answers that share one budget. `event(e)` are all of them at a common share e of epsilon, which
/// cost more the larger e is and, composed by adding up, at most `parts` times e beside at most
/// `left` of delta.
struct SharedBudget {
  std::function<privacy::Event(double)> event;
  double parts;
  privacy::Guarantee asked;  ///< of all answers; pure where delta is 0
  privacy::Delta left;       ///< what the cipher leaves of its delta
};

/// The largest share for which the accountant proves the budget; never less than epsilon / parts
/// but for roundings.
[[nodiscard]] double largest_share(const SharedBudget& budget);

}  // namespace tacet::run
