#pragma once

#include <vector>

#include "tacet/accounting/loss/pairs.h"
#include "tacet/accounting/routes/language.h"
#include "tacet/base/progress.h"

namespace tacet::accounting::internal {

/// Points of the (epsilon, delta) curve of `event` alone, in both orders of the neighbours, each
/// proved by the best route for the event: epsilons ascending from 0, deltas strictly falling. They
/// go down to deltas of 1e-18 if the event reaches them. Empty where no epsilon below 600 has a
/// delta below 1. The profile of these points dominates the event. So an event without a loss
/// distribution can still be composed and sampled.
[[nodiscard]] std::vector<pairs::Point> proved_profile(const Event& event, Adjacency adjacency,
                                                       WorkMeter* work = nullptr);

/// The event that represents the run inside a selection: the run itself, or its profile if the run
/// is a selection in turn. Without the profile, every point would need a search over the points
/// below it.
[[nodiscard]] Event selection_run(const RandomlyRepeated& event, Adjacency adjacency,
                                  WorkMeter* work = nullptr);

/// Whether computing the profile takes less than about a second.
[[nodiscard]] bool has_quick_profile(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
