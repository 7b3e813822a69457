#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacet/report/record/attack.h"
#include "tacet/report/record/gather.h"
#include "tacet/report/record/read_results.h"

/// The sections of a report, each made of what was read.
namespace tacet::report {

/// What all sections are made of.
struct Material {
  const ReportRequest& request;
  ReadResults results;
  /// The promise of all results together, if there is one: what a single result states, or what the
  /// composition of several costs. What noise from the cipher takes of delta is included.
  std::optional<privacy::Guarantee> joint{};
  double joint_prg_share = 0;
  CertifiedCurve together{};
};

[[nodiscard]] Section promise_section(const Material& material);
[[nodiscard]] Section model_section(const Material& material);
[[nodiscard]] Section metrics_section(const Material& material);
/// The first released figure of an evaluation in words, of classes beside the majority's share.
[[nodiscard]] std::string metrics_answer(const ReadResult& result);
[[nodiscard]] Section cost_section(const Material& material);
[[nodiscard]] Section epsilon_section(const Material& material, base::WorkMeter& work);
[[nodiscard]] Section budget_section(const Material& material);
[[nodiscard]] Section summary_section(const Material& material);
[[nodiscard]] Section buys_section(const Material& material);
[[nodiscard]] Section check_section(const Material& material);

/// The promise of a plan, before anything is spent.
[[nodiscard]] Section planned_promise_section(const PlannedSpending& plan, base::WorkMeter& work);
[[nodiscard]] Section planned_cost_section(const PlannedSpending& plan);
[[nodiscard]] Section planned_buys_section(const PlannedSpending& plan, base::WorkMeter& work);
[[nodiscard]] Section planned_check_section(const ReportRequest& request);

}  // namespace tacet::report
