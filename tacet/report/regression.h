#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "tacet/learn/inference/joint_hypothesis.h"
#include "tacet/model/model_file.h"

namespace tacet::report {

/// The names of what a regression table was fitted by: `linear`, `logistic`, `poisson`.
[[nodiscard]] std::string regression_kind(const model::Loss& loss);

/// Coefficients with intervals of this level, tests, contrasts, covariance and what they are about,
/// as programs and Python read them. A coefficient that is not identified has null for its numbers.
/// UsageError as learn::table_lines and contrast_line.
[[nodiscard]] nlohmann::ordered_json regression_json(const model::ModelFile& file,
                                                     double level = .95,
                                                     std::span<const std::string> contrasts = {});

/// Joint tests of the terms that have several coefficients; none of counts. DataError where the
/// table's lines are not those of its schema and terms.
[[nodiscard]] std::vector<learn::JointTest> terms_tested(const model::ModelFile& file);

/// A warning for a table of two classes whose fit may have stopped before its end; empty otherwise.
[[nodiscard]] std::string near_limit_text(const model::RegressionNumbers& table);

/// Why numbers of a regression table are missing, or mean less than they seem to: a paragraph each.
/// They name parameters as messages do (base/parameter_names.h).
[[nodiscard]] std::vector<std::string> regression_doubts(const model::LinearModel& model);

}  // namespace tacet::report
