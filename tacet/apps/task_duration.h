#pragma once

#include <string>

#include "tacet/local/protocol/task.h"

namespace tacet::apps {

/// How long a task takes where devices always wait for a slot, in a sentence with a line's end.
[[nodiscard]] std::string duration_text(const local::LocalPlan& plan,
                                        const local::TaskTerms& terms);

}  // namespace tacet::apps
