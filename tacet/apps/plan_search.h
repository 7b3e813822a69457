#pragma once

#include "tacet/accounting/calibrate.h"
#include "tacet/apps/mechanism_options.h"

namespace tacet::apps {

/// The plan with its open number filled in, so that it keeps the target: the least noise, the
/// most steps or the largest sampling rate, to a part in a thousand. The plan returned was itself
/// accounted and keeps the target. A GuaranteeError where no value does, or where finding it takes
/// more work than it allows.
[[nodiscard]] ReleasePlan solved(ReleasePlan plan, Unknown unknown,
                                 const accounting::CalibrationTarget& target);

}  // namespace tacet::apps
