#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"

namespace tacet::learn {

/// A schema whose columns all say how many hat functions they have, as far as that was left to
/// training.
struct KnotChoice {
  data::Schema schema;
  std::string reason;  ///< empty where nothing was chosen
};

/// Numbers that leave it open get what was asked for or, if nothing was and `automatic`, 8 knots
/// where noise is small enough for that many features: sqrt(d + 8 k) s / N <= 0.02 for d columns, k
/// such numbers, noise multiplier s of one release of the whole budget, and N >= 2000 records.
/// Public facts alone; docs/explanations/step-rule.md. Several classes, units, samples and paper
/// modes keep lines, and so does epsilon infinite.
[[nodiscard]] KnotChoice choose_knots(const data::Schema& schema, const ParameterValues& asked,
                                      bool automatic);

}  // namespace tacet::learn
