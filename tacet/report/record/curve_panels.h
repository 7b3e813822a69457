#pragma once

#include "tacet/model/model_file.h"
#include "tacet/report/record/effects.h"

namespace tacet::report {

/// The panels of a model with curves: what each column alone makes of the prediction at the means,
/// and what the strongest pairs do beyond that.
[[nodiscard]] Effects curve_panels(const model::ModelFile& file);

}  // namespace tacet::report
