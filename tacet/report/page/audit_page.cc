#include "tacet/report/page/audit_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tacet/audit/subjects.h"
#include "tacet/report/json.h"
#include "tacet/report/page/page.h"
#include "tacet/report/record/content.h"

namespace tacet::report {
namespace {

std::string claim_of(const privacy::Guarantee& claim) {
  return fmt::format("epsilon {:.4g} at delta {:.4g} under {}", claim.epsilon, claim.delta,
                     privacy::to_string(claim.adjacency));
}

std::string confidence_of(const audit::Finding& finding) {
  if (finding.confidence < 0.5) return fmt::format("confidence {:.2g}", finding.confidence);
  return fmt::format("confidence 1 - {:.2g}", 1 - finding.confidence);
}

std::string meaning_of(const AuditResult& result) {
  if (result.finding.refuted) {
    return fmt::format(
        "The claim is REFUTED{}: by chance this happens once in {:.2g} audits of correct code.",
        result.finding.below_curve ? " (what was measured lies below its trade-off curve)" : "",
        1 / (1 - result.finding.confidence));
  }
  return "A bound below the claim proves nothing: another attack or more runs may show more.";
}

audit::TradeOff curve_of(const AuditResult& result) {
  const auto& claim = result.subject.claim;
  return result.subject.event
             ? audit::TradeOff(*result.subject.event, claim.adjacency, claim.epsilon)
             : audit::TradeOff(claim);
}

Picture picture_of(const AuditResult& result) {
  const auto curve = curve_of(result);
  Plot plot;
  plot.title = "False alarms and misses";
  plot.x = {.label = "share of false alarms", .with_zero = true};
  plot.y = {.label = "share of misses", .with_zero = true};
  Line claimed{.tone = Tone::first, .label = "claimed: no test is below"};
  constexpr int steps = 200;
  for (int i = 0; i <= steps; ++i) {
    const double alarms = static_cast<double>(i) / steps;
    claimed.points.push_back({alarms, curve.misses(alarms)});
  }
  plot.lines.push_back(std::move(claimed));
  Table numbers{.caption = "Shares of wrong answers of tests, without their uncertainty",
                .header = {"false alarms", "misses", "least misses claimed"}};
  for (const auto& point : result.finding.points) {
    plot.marks.push_back({.at = point.alarms, .value = point.misses, .tone = Tone::second});
    numbers.rows.push_back({point.alarms, point.misses, curve.misses(point.alarms)});
  }
  plot.mark_labels.push_back({Tone::second, "measured"});
  return {.name = "audit-trade-off",
          .title = "What tests can tell of one record",
          .finding =
              "Each point is a test that says on which of two data sets a run was. A claim "
              "is refuted where points lie below the line by more than chance.",
          .plots = {std::move(plot)},
          .numbers = std::move(numbers)};
}

}  // namespace

nlohmann::ordered_json audit_json(const AuditResult& result) {
  const auto& claim = result.subject.claim;
  const auto& finding = result.finding;
  nlohmann::ordered_json json{{"audit", result.name},
                              {"claimed_epsilon", json_number(claim.epsilon)},
                              {"delta", claim.delta},
                              {"adjacency", privacy::to_string(claim.adjacency)},
                              {"epsilon_at_least", finding.epsilon_at_least},
                              {"share", finding.epsilon_at_least / claim.epsilon},
                              {"confidence", finding.confidence},
                              {"trials", finding.trials},
                              {"p_value", finding.p_value},
                              {"refuted", finding.refuted},
                              {"statistic", finding.how},
                              {"pair", result.subject.pair},
                              {"seconds", result.seconds}};
  if (finding.mu_at_least) json["mu_at_least"] = *finding.mu_at_least;
  const auto curve = curve_of(result);
  auto& points = json["points"] = nlohmann::ordered_json::array();
  for (const auto& point : finding.points) {
    points.push_back({{"alarms", point.alarms},
                      {"misses", point.misses},
                      {"min_misses_claimed", curve.misses(point.alarms)}});
  }
  return json;
}

std::string audit_text(const AuditResult& result) {
  const auto& finding = result.finding;
  return fmt::format(
      "Audit of {}\n"
      "Claimed:    {}\n"
      "Measured:   epsilon at least {:.4g} ({}, p-value of the claim {:.2g})\n"
      "Runs:       {} on each of two data sets, {:.1f} s\n"
      "Pair:       {}\n"
      "Statistic:  {}\n"
      "{}\n",
      result.name, claim_of(result.subject.claim), finding.epsilon_at_least, confidence_of(finding),
      finding.p_value, finding.trials, result.seconds, result.subject.pair, finding.how,
      meaning_of(result));
}

std::string audit_page(const AuditResult& result) {
  const auto& finding = result.finding;
  Report page;
  page.title = "Audit of " + result.name;
  page.subtitle = "Claimed: " + claim_of(result.subject.claim);
  if (finding.refuted)
    page.banner = "The claim is refuted. Report it to the address in SECURITY.md.";
  Answers answers;
  answers.items = {
      {"What was measured?", fmt::format("Epsilon is at least {:.4g} ({}).",
                                         finding.epsilon_at_least, confidence_of(finding))},
      {"What does that mean?", meaning_of(result)},
      {"How was it measured?", fmt::format("{} runs on each of two data sets: {}. Looked at: {}.",
                                           finding.trials, result.subject.pair, finding.how)}};
  Section section{.id = "audit", .title = "What an attack shows"};
  section.blocks.push_back({std::move(answers)});
  section.blocks.push_back({picture_of(result)});
  page.sections.push_back(std::move(section));
  return report_page(page);
}

std::string refutation(const AuditResult& result) {
  if (!result.finding.refuted) return {};
  return fmt::format(
      "the claim of {} is refuted (p-value {:.2g}); report how it was run, its output and the "
      "version of tacet as SECURITY.md says, and release nothing of this kind meanwhile",
      result.name, result.finding.p_value);
}

nlohmann::ordered_json audits_json() {
  auto json = nlohmann::ordered_json::array();
  for (const auto& one : audit::named_audits()) {
    json.push_back({{"name", one.name},
                    {"registry", one.row},
                    {"what", one.what},
                    {"pure", to_string(one.pure)},
                    {"with_delta", to_string(one.with_delta)},
                    {"trials", one.trials}});
  }
  return json;
}

}  // namespace tacet::report
