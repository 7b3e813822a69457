#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tacet/learn/evaluation.h"
#include "tacet/model/linear_model.h"

namespace tacet::report {

/// What the figures of an evaluation are about.
struct EvaluationSubject {
  const model::LinearModel& model;
  std::string by = {};                   ///< column of the groups; empty: none
  std::vector<std::string> groups = {};  ///< their names
};

/// Noisy figures of private records.
[[nodiscard]] nlohmann::ordered_json evaluation_json(const EvaluationSubject& subject,
                                                     const learn::EvaluationPlan& plan,
                                                     const learn::Evaluation& found);

}  // namespace tacet::report
