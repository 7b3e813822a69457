#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tacet/apps/outcomes.h"
#include "tacet/data/owner/schema_check.h"
#include "tacet/learn/evaluation.h"
#include "tacet/report/results.h"

/// The result of `tacet evaluate`, for a person and for a program.
namespace tacet::apps {

using report::EvaluationSubject;

/// Exact figures of public records; `outcomes` are those of all, then of each group; `mapped` is
/// what the model's schema made of the file's values.
[[nodiscard]] std::string exact_text(const EvaluationSubject& subject,
                                     const std::vector<Outcomes>& outcomes,
                                     const data::SchemaCheck& mapped);
[[nodiscard]] std::string exact_json(const EvaluationSubject& subject,
                                     const std::vector<Outcomes>& outcomes,
                                     const data::SchemaCheck& mapped);

/// How many values of each column a schema mapped; of all columns, or of those that had some. Empty
/// where none had.
enum class MappedColumns { all, with_some };
[[nodiscard]] std::string mapped_text(const data::SchemaCheck& found, MappedColumns which);
[[nodiscard]] nlohmann::ordered_json mapped_json(const data::SchemaCheck& found,
                                                 MappedColumns which);

/// Noisy figures of private records, for a person.
[[nodiscard]] std::string noisy_text(const EvaluationSubject& subject,
                                     const learn::EvaluationPlan& plan,
                                     const learn::Evaluation& found);

/// Counts by actual and predicted class, with the names of the classes.
[[nodiscard]] std::string confusion_text(const std::vector<std::string>& classes,
                                         const std::vector<double>& cells);

}  // namespace tacet::apps
