#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "tacet/model/linear_model.h"

namespace tacet::report {

/// The names of what a regression table was fitted by: `linear`, `logistic`, `poisson`.
[[nodiscard]] std::string regression_kind(const model::Loss& loss);

/// Coefficients with intervals of this level, tests, contrasts, covariance and what they are about,
/// as programs and Python read them. A coefficient that is not identified has null for its numbers.
/// UsageError as learn::table_lines and contrast_line.
[[nodiscard]] nlohmann::ordered_json regression_json(const model::LinearModel& model,
                                                     double level = .95,
                                                     std::span<const std::string> contrasts = {});

}  // namespace tacet::report
