#pragma once

#include <cstdint>

#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/wide/net_plan.h"

namespace tacet::learn {

inline constexpr std::int64_t max_net_steps = 1000000;

/// How many steps on samples of how many records, from the public number of records and what is
/// asked for. UsageError for samples of more records than there are.
void resolve_steps(NetPlan& plan, const WideOptions& options);

/// The step size of the plan's optimizer if none is asked for, before it decays.
[[nodiscard]] double usual_step_size(const NetPlan& plan);

}  // namespace tacet::learn
