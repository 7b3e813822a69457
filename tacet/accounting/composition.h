#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacet/accounting/accountant.h"

namespace tacet::accounting {

/// The proved guarantee of all events together, at the first of `deltas` that has a finite epsilon;
/// nothing if none has. The events must be fixed before the first one is released (composition:
/// Dwork, Roth 2014, theorem 3.16, and tighter if a route knows more).
[[nodiscard]] std::optional<Guarantee> joint_guarantee(std::vector<Event> events,
                                                       Adjacency adjacency,
                                                       std::span<const double> deltas);

}  // namespace tacet::accounting
