#include "tacet/report/record/gather.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/privacy/prg_share.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

void check_only(const std::vector<std::string>& only) {
  for (const auto& id : only) {
    if (std::ranges::find(section_ids(), id) != section_ids().end()) continue;
    throw base::UsageError("a report has no section '{}'{}; there are {}", id,
                           base::did_you_mean(id, section_ids()), fmt::join(section_ids(), ", "));
  }
}

/// Results and account have to be about the same neighbours of the same data set.
void check_account(const ReadResults& results, const LedgerAccount& given) {
  const auto& account = given.account;
  for (const auto& result : results.all) {
    const auto& receipt = result.receipt();
    if (receipt.guarantee.adjacency != account.enrolled.adjacency) {
      throw base::UsageError("'{}' is about {} neighbours, the account '{}' about {}", result.name,
                             to_string(receipt.guarantee.adjacency), account.name(),
                             to_string(account.enrolled.adjacency));
    }
    if (receipt.privacy_unit != account.enrolled.privacy_unit) {
      throw base::UsageError("'{}' protects the unit '{}', the account '{}' the unit '{}'",
                             result.name, receipt.privacy_unit, account.name(),
                             account.enrolled.privacy_unit);
    }
    const auto& data_set = receipt.notes.data_set;
    // A name that the ledger does not know may be that of a schema.
    const auto& others = given.other_accounts;
    if (std::ranges::find(others, data_set) != others.end()) {
      throw base::UsageError("'{}' is about the data set '{}', not '{}'; report it by itself",
                             result.name, data_set, account.name());
    }
  }
}

/// What all results promise together, and its curve.
void add_joint(Material& material, base::WorkMeter& work) {
  const auto& results = material.results;
  if (!results.promises()) return;
  const auto adjacency = *results.together.adjacency;
  material.together =
      certified_curve(results.together.event, adjacency, results.together.prg_slack, work);
  if (results.all.size() == 1) {
    material.joint = results.all.front().receipt().guarantee;
    return;
  }
  const privacy::Delta delta(*results.together.delta);
  const auto interval = accounting::epsilon_interval(results.together.event, adjacency, delta,
                                                     {.attained = true, .work = &work});
  if (std::isinf(interval.upper)) return;
  material.joint = privacy::Guarantee{interval.upper, delta.value(), adjacency};
  material.joint_prg_share = privacy::prg_share(interval.upper, results.together.prg_slack);
}

std::string title_of_result(const ReadResult& result) {
  if (result.kind != ResultKind::model) return fmt::format("Result {}", in_quotes(result.name));
  const auto& column = result.recorded.model->schema.target->column;
  return column.empty() ? std::string("A model") : fmt::format("A model of {}", in_quotes(column));
}

std::string title_of(const Material& material) {
  const auto& results = material.results.all;
  if (results.empty()) {
    return fmt::format("Account of {}", in_quotes(material.request.account->account.name()));
  }
  const auto title = title_of_result(results.front());
  if (results.size() == 1) return title;
  return title + " and " + counted(results.size() - 1, "more result", "more results");
}

std::string subtitle_of(const Material& material) {
  const auto& results = material.results.all;
  std::vector<std::string> parts;
  if (!results.empty()) {
    const auto& notes = results.front().receipt().notes;
    if (!notes.data_set.empty()) parts.push_back("data set " + in_quotes(notes.data_set));
    if (!notes.purpose.empty()) parts.push_back(notes.purpose);
    if (!notes.date.empty()) parts.push_back(notes.date);
  }
  for (std::size_t k = 0; k < std::min<std::size_t>(results.size(), 5); ++k) {
    parts.push_back("file " + in_quotes(results[k].name));
  }
  if (material.request.account) {
    parts.push_back("ledger " + in_quotes(material.request.account->file));
  }
  return fmt::format("{}", fmt::join(parts, " | "));
}

std::string banner_of(const ReadResults& results) {
  for (const auto& result : results.all) {
    if (!result.is_protected()) {
      return fmt::format("PRIVACY: NONE. {} protects nobody ({}).", in_quotes(result.name),
                         result.receipt().unprotected_reason);
    }
  }
  for (const auto& result : results.all) {
    if (!result.fault.empty()) {
      return fmt::format("NOT VERIFIED. What {} states about privacy is not confirmed.",
                         in_quotes(result.name));
    }
  }
  return {};
}

bool is_wanted(const ReportRequest& request, std::string_view id) {
  return request.only.empty() || std::ranges::find(request.only, id) != request.only.end();
}

void keep_section(Section section, Report& report) {
  if (!section.blocks.empty()) report.sections.push_back(std::move(section));
}

Report gather_plan(const ReportRequest& request, base::WorkMeter& work) {
  if (!request.results.empty() || request.account) {
    throw base::UsageError("a plan is reported by itself, without results and a ledger");
  }
  const auto& plan = *request.plan;
  const auto& target = plan.schema.target;
  Report report{target && !target->column.empty()
                    ? fmt::format("Plan for a model of {}", in_quotes(target->column))
                    : std::string("Plan for a model"),
                plan.schema_file.empty() ? std::string() : "schema " + in_quotes(plan.schema_file),
                plan.cost && !plan.cost->is_protected()
                    ? fmt::format("PRIVACY: NONE. What is planned would protect nobody ({}).",
                                  plan.cost->unprotected_reason)
                    : std::string()};
  const auto wanted = [&](std::string_view id) { return is_wanted(request, id); };
  const auto keep = [&](Section section) { keep_section(std::move(section), report); };
  if (wanted("promise")) keep(planned_promise_section(plan, work));
  if (wanted("cost")) keep(planned_cost_section(plan));
  if (wanted("buys")) keep(planned_buys_section(plan, work));
  if (wanted("check")) keep(planned_check_section(request));
  return report;
}

}  // namespace

const std::vector<std::string>& section_ids() {
  static const std::vector<std::string> ids{"promise", "model",   "metrics", "cost", "epsilon",
                                            "budget",  "summary", "buys",    "check"};
  return ids;
}

Report gather(const ReportRequest& request, base::WorkMeter& work) {
  check_only(request.only);
  if (request.plan) return gather_plan(request, work);
  if (request.results.empty() && !request.account) {
    throw base::UsageError("a report needs a result file, or a ledger with `data_set`");
  }
  Material material{.request = request, .results = read_results(request.results, work)};
  if (request.account) check_account(material.results, *request.account);
  add_joint(material, work);
  Report report{title_of(material), subtitle_of(material), banner_of(material.results)};
  const auto wanted = [&](std::string_view id) { return is_wanted(request, id); };
  const auto keep = [&](Section section) { keep_section(std::move(section), report); };
  if (wanted("promise")) keep(promise_section(material));
  if (wanted("model")) keep(model_section(material));
  if (wanted("metrics")) keep(metrics_section(material));
  if (wanted("cost")) keep(cost_section(material));
  if (wanted("epsilon")) keep(epsilon_section(material, work));
  if (wanted("budget")) keep(budget_section(material));
  if (wanted("summary")) keep(summary_section(material));
  if (wanted("buys")) keep(buys_section(material));
  if (wanted("check")) keep(check_section(material));
  for (const auto& result : material.results.all) {
    if (report.refuted.empty() && !result.fault.empty()) {
      report.refuted = fmt::format("'{}': {}", result.name, result.fault);
    }
  }
  return report;
}

}  // namespace tacet::report
