#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tacet/accounting/accountant.h"

namespace tacet::accounting {

/// The proved guarantee of all events together, each of them fixed before the first one was
/// released (composition, Dwork, Roth 2014, theorem 3.16, and tighter where a route knows more): at
/// the first of `deltas` that has a finite epsilon. None where nothing finite is proved.
[[nodiscard]] std::optional<Guarantee> joint_guarantee(std::vector<Event> events,
                                                       Adjacency adjacency,
                                                       std::span<const double> deltas);

}  // namespace tacet::accounting
