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
  /// Of all results together, where they promise something: what they state, or of several what
  /// their composition costs, with what noise from the cipher adds to its delta.
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

/// The same of a plan, before anything is spent.
[[nodiscard]] Section planned_promise_section(const PlannedSpending& plan, base::WorkMeter& work);
[[nodiscard]] Section planned_cost_section(const PlannedSpending& plan);
[[nodiscard]] Section planned_buys_section(const PlannedSpending& plan, base::WorkMeter& work);
[[nodiscard]] Section planned_check_section(const ReportRequest& request);

}  // namespace tacet::report
