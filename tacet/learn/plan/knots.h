#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"

namespace tacet::learn {

/// Knots of a number that leaves them to training, and the noise sqrt(d + 8 k) s / N up to which it
/// gets them: bench/utility/rules.py.
inline constexpr std::int64_t usual_knots = 8;
inline constexpr double max_knot_noise = 0.02;

/// A schema whose columns all say how many hat functions they have, as far as that was left to
/// training.
struct KnotChoice {
  data::Schema schema;
  std::string reason;  ///< empty where nothing was chosen
};

/// Numbers that leave it open get what was asked for or, if nothing was, usual_knots where the
/// noise sqrt(d + 8 k) s / N is at most `max_noise`, for d columns, k such numbers, noise
/// multiplier s of one release of the whole budget, and N records. Public facts alone;
/// docs/explanations/step-rule.md. Several classes, units and paper modes keep lines, and so does
/// epsilon infinite.
[[nodiscard]] KnotChoice choose_knots(const data::Schema& schema, const ParameterValues& asked,
                                      double max_noise);

}  // namespace tacet::learn
