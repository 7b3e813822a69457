#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"

namespace tacet::learn {

/// The number of knots for a number that leaves them to training, and the largest noise sqrt(d + 8
/// k) s / N for which it gets them: bench/utility/rules.py.
inline constexpr std::int64_t usual_knots = 8;
inline constexpr double max_knot_noise = 0.02;

/// A schema in which every column states its number of hat functions, as far as training may choose
/// it.
struct KnotChoice {
  data::Schema schema;
  std::string reason;  ///< empty if nothing was chosen
};

/// Numbers that leave it open get the knots that were asked for. Otherwise they get usual_knots if
/// the noise sqrt(d + 8 k) s / N is at most `max_noise`, for d columns, k such numbers, N records,
/// and the noise multiplier s of one release with the whole budget. Public facts alone;
/// docs/explanations/step-rule.md. Several classes, units, paper modes and an infinite epsilon keep
/// lines.
[[nodiscard]] KnotChoice choose_knots(const data::Schema& schema, const ParameterValues& asked,
                                      double max_noise);

}  // namespace tacet::learn
