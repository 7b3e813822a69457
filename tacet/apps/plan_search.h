#pragma once

#include "tacet/apps/release_options.h"
#include "tacet/base/work.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::apps {

/// The plan with its open number filled in, so that it is (target, delta)-DP: the least noise, the
/// most steps or the largest sampling rate, to a part in a thousand. The plan returned was itself
/// accounted and keeps the target. A GuaranteeError where no value does, or where finding it takes
/// more work than `work` allows.
[[nodiscard]] ReleasePlan solved(ReleasePlan plan, Unknown unknown, privacy::Epsilon target,
                                 privacy::Delta delta, privacy::Adjacency adjacency,
                                 base::WorkMeter& work);

}  // namespace tacet::apps
