#pragma once

#include <vector>

#include "tacet/accounting/loss/pairs.h"
#include "tacet/accounting/routes/language.h"
#include "tacet/base/progress.h"

namespace tacet::accounting::internal {

/// Points of the (epsilon, delta) curve of `event` alone, in both orders of the neighbours, each
/// proved by the best of its own accountants: epsilons ascending from 0, deltas strictly falling.
/// Down to deltas of 1e-18 where the event reaches them. Empty where no epsilon below 600 has a
/// delta below 1. The profile of these points dominates the event, so that what has no loss
/// distribution of its own can be composed and sampled all the same.
[[nodiscard]] std::vector<pairs::Point> proved_profile(const Event& event, Adjacency adjacency,
                                                       WorkMeter* work = nullptr);

/// What stands for the run inside a selection: the run itself, or its profile where that is one in
/// turn, whose every point would take a search over the points below it.
[[nodiscard]] Event selection_run(const RandomlyRepeated& event, Adjacency adjacency,
                                  WorkMeter* work = nullptr);

/// Whether the profile takes less than about a second.
[[nodiscard]] bool has_quick_profile(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
