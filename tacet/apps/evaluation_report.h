#pragma once

#include <string>
#include <vector>

#include "tacet/apps/outcomes.h"
#include "tacet/learn/evaluation.h"
#include "tacet/model/linear_model.h"

/// The result of `tacet evaluate`, for a person and for a program.
namespace tacet::apps {

/// What both kinds of results are about.
struct EvaluationSubject {
  const model::LinearModel& model;
  std::string by = {};                   ///< column of the groups; empty: none
  std::vector<std::string> groups = {};  ///< their names
};

/// Exact figures of public records; `outcomes` are those of all, then of each group.
[[nodiscard]] std::string exact_text(const EvaluationSubject& subject,
                                     const std::vector<Outcomes>& outcomes);
[[nodiscard]] std::string exact_json(const EvaluationSubject& subject,
                                     const std::vector<Outcomes>& outcomes);

/// Noisy figures of private records.
[[nodiscard]] std::string noisy_text(const EvaluationSubject& subject,
                                     const learn::EvaluationPlan& plan,
                                     const learn::Evaluation& found);
[[nodiscard]] std::string noisy_json(const EvaluationSubject& subject,
                                     const learn::EvaluationPlan& plan,
                                     const learn::Evaluation& found);

/// Counts by actual and predicted class, with the names of the classes.
[[nodiscard]] std::string confusion_text(const std::vector<std::string>& classes,
                                         const std::vector<double>& cells);

}  // namespace tacet::apps
