#pragma once

#include <string>
#include <vector>

#include "tacet/apps/outcomes.h"
#include "tacet/learn/evaluation.h"
#include "tacet/report/results.h"

/// The result of `tacet evaluate`, for a person and for a program.
namespace tacet::apps {

using report::EvaluationSubject;

/// Exact figures of public records; `outcomes` are those of all, then of each group.
[[nodiscard]] std::string exact_text(const EvaluationSubject& subject,
                                     const std::vector<Outcomes>& outcomes);
[[nodiscard]] std::string exact_json(const EvaluationSubject& subject,
                                     const std::vector<Outcomes>& outcomes);

/// Noisy figures of private records, for a person.
[[nodiscard]] std::string noisy_text(const EvaluationSubject& subject,
                                     const learn::EvaluationPlan& plan,
                                     const learn::Evaluation& found);

/// Counts by actual and predicted class, with the names of the classes.
[[nodiscard]] std::string confusion_text(const std::vector<std::string>& classes,
                                         const std::vector<double>& cells);

}  // namespace tacet::apps
