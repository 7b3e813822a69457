#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tacet/learn/evaluation.h"
#include "tacet/model/linear_model.h"
#include "tacet/privacy/receipt.h"
#include "tacet/run/quantile.h"
#include "tacet/run/summary.h"

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

/// A number, or the date of a day.
[[nodiscard]] std::string quantile_text(const run::QuantilePlan& plan, double value);
[[nodiscard]] nlohmann::ordered_json quantile_json(const run::QuantileRequest& request,
                                                   const run::QuantilePlan& plan,
                                                   const run::ReleasedQuantile& found);

/// What a kind of a column's values stands for: listed values come first, then "(other)" where
/// there is one, then "(missing)"; classes are all listed.
[[nodiscard]] std::string kind_word(const data::SummaryColumn& column, std::size_t kind);

[[nodiscard]] nlohmann::ordered_json summary_json(const run::SummaryPlan& plan,
                                                  const run::Summary& found,
                                                  const privacy::Receipt& receipt);

}  // namespace tacet::report
