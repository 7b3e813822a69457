#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tacet/report/joint_cost.h"
#include "tacet/report/record/gather.h"
#include "tacet/report/recorded_result.h"
#include "tacet/report/verification.h"

namespace tacet::report {

enum class ResultKind {
  model,
  evaluation,  ///< noisy metrics
  summary,     ///< of columns
  quantile,
  schema,  ///< that was fitted to records
  receipt  ///< by itself, or of a result that has nothing else to show
};

/// A result file, read and judged.
struct ReadResult {
  std::string name;
  std::string sha256;
  ResultKind kind = ResultKind::receipt;
  RecordedResult recorded;
  nlohmann::ordered_json values{};         ///< of a result that is no model
  std::optional<Verification> verified{};  ///< of one that is protected
  std::string fault{};                     ///< why its guarantee does not follow

  [[nodiscard]] const privacy::Receipt& receipt() const { return recorded.receipt; }
  [[nodiscard]] bool is_protected() const { return receipt().is_protected(); }
};

struct ReadResults {
  std::vector<ReadResult> all;
  JointCost together;

  [[nodiscard]] bool all_protected() const { return together.unprotected_reason.empty(); }
  [[nodiscard]] bool all_follow() const;
  /// Whether anything is promised at all: there is a result, all of them are protected, and every
  /// guarantee follows.
  [[nodiscard]] bool promises() const { return !all.empty() && all_protected() && all_follow(); }
};

[[nodiscard]] ReadResults read_results(const std::vector<ResultText>& texts, base::WorkMeter& work);

}  // namespace tacet::report
