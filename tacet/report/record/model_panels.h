#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/report/record/content.h"
#include "tacet/report/record/effects.h"
#include "tacet/report/record/read_results.h"

namespace tacet::report {

/// The effects of a result that is an additive model or one with curves; nothing of others.
[[nodiscard]] std::optional<Effects> panels_of(const ReadResult& result);

/// Columns by how far their effect stands out from noise, the farthest first.
[[nodiscard]] std::vector<const EffectPanel*> panels_in_order(const Effects& effects);

/// The drawing of one column. `name` begins the names of its files.
[[nodiscard]] Picture panel_of(const Effects& effects, const EffectPanel& effect,
                               const std::string& name);

/// What every value adds, so that a reader can add up a prediction.
[[nodiscard]] Table hand_table(const Effects& effects);

}  // namespace tacet::report
