#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tacet/learn/plan/training.h"
#include "tacet/privacy/receipt.h"

namespace tacet::report {

/// What was resolved before reading data: all settings, events and reasons.
[[nodiscard]] nlohmann::ordered_json plan_json(const learn::Training& plan);

/// What a training by the plan would leave behind, without the fit of its schema.
[[nodiscard]] privacy::Receipt planned_receipt(const learn::Training& plan);

/// plan_json and, where the schema was fitted, what both cost together.
[[nodiscard]] nlohmann::ordered_json whole_plan_json(const learn::Training& plan);

}  // namespace tacet::report
