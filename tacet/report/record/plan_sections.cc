#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tacet/base/version.h"
#include "tacet/privacy/statement.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/event_words.h"
#include "tacet/report/record/planned_epsilons.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

/// What a plan's page says of the promise, the cost and how to check it.
namespace tacet::report {
namespace {

using privacy::Adjacency;

std::string planned_protection(const PlannedSpending& plan, const privacy::Receipt& cost) {
  const auto& guarantee = cost.guarantee;
  return fmt::format(
      "{}, against anyone who sees the model, even if they know all other records. What they could "
      "learn about {} would be limited by {}; smaller numbers protect more. (This is "
      "{}differential privacy for {} neighbours.)",
      protected_in_words(cost.privacy_unit),
      difference_in_words(guarantee.adjacency, cost.privacy_unit),
      plan.chosen ? guarantee_in_words(guarantee) : std::string("the epsilon that is chosen below"),
      guarantee.delta > 0 ? "(epsilon, delta)-" : "pure ", to_string(guarantee.adjacency));
}

std::string found_in_words(const PlannedEpsilon& at, base::WorkMeter& work) {
  const auto found = test_at(at, work);
  return fmt::format("at epsilon {} at most {}", number_text(at.epsilon),
                     percent_up(found.recognised));
}

std::string attack_in_words(const std::vector<const PlannedEpsilon*>& planned, Adjacency adjacency,
                            base::WorkMeter& work) {
  auto out = std::string(adjacency == Adjacency::replace_one
                             ? "Take two things that a record may say, and a test that raises a "
                               "false alarm in 1 % of cases. It would recognise the true one "
                             : "A test that raises a false alarm for 1 % of those who did not take "
                               "part would recognise of those who did ");
  out += found_in_words(*planned.front(), work);
  if (planned.size() > 1) out += ", " + found_in_words(*planned.back(), work);
  return out + "; guessing does in 1 %.";
}

std::string enough_in_words(const PlannedSpending& plan) {
  const auto planned = planned_of(plan);
  const auto enough = std::ranges::find_if(
      planned, [](const auto* at) { return at->noise && at->noise->standardised < small_noise; });
  const auto records = declared_records(plan);
  if (enough != planned.end()) {
    return fmt::format(
        "From epsilon {} on, of those below, privacy's noise in the coefficient of a usual column "
        "is smaller than {} standardised units with {} records. Whether that is enough depends on "
        "how large the effects are that you look for.",
        number_text((*enough)->epsilon), small_noise, records);
  }
  const auto stated =
      std::ranges::find_if(planned, [](const auto* at) { return at->noise.has_value(); });
  if (stated == planned.end()) {
    return fmt::format(
        "Method {} says nothing of the noise in its coefficients before it has run. A rehearsal on "
        "public records of the same form shows by experiment what to expect.",
        in_quotes(planned.front()->plan->method));
  }
  const auto& last = *planned.back();
  return fmt::format(
      "None of those below makes privacy's noise in the coefficient of a usual column smaller than "
      "{} standardised units with {} records. {}",
      small_noise, records,
      last.records_for_small_noise
          ? fmt::format("At epsilon {} that takes about {} records.", number_text(last.epsilon),
                        *last.records_for_small_noise)
          : std::string("More records or fewer columns would help."));
}

Table plan_settings(const learn::Training& plan) {
  Table table{.caption = "Settings, all of them chosen from public facts",
              .header = {"setting", "value"},
              .rows = {}};
  for (const auto& setting : plan.settings) {
    if (!setting.shown.table) continue;
    table.rows.push_back(
        {setting.name, std::visit([](const auto& value) { return Cell(value); }, setting.value)});
  }
  return table;
}

void add_plan(const learn::Training& plan, std::vector<Block>& blocks) {
  blocks.push_back({Paragraph{fmt::format("Method {}.", in_quotes(plan.method))}});
  blocks.push_back({Points{plan.reasons}});
  if (!plan.unprotected()) blocks.push_back({events_table(plan.events)});
  blocks.push_back({plan_settings(plan)});
}

}  // namespace

Section planned_promise_section(const PlannedSpending& plan, base::WorkMeter& work) {
  Section section{"promise", "In a sentence", {}};
  section.blocks.push_back({Paragraph{
      "This is a plan. No record was read, nothing was booked, and nothing is promised yet."}});
  if (!promises(plan)) {
    section.blocks.push_back({Paragraph{
        "A run of this plan would protect nobody: " + why_nothing_is_promised(plan) + ".",
        Emphasis::bad}});
    return section;
  }
  const auto planned = planned_of(plan);
  const auto& cost = plan.cost ? *plan.cost : *planned.front()->cost;
  Answers answers;
  answers.items.emplace_back("Who would be protected, and against what?",
                             planned_protection(plan, cost));
  if (!planned.empty()) {
    answers.items.emplace_back(cost.guarantee.adjacency == Adjacency::replace_one
                                   ? "Could somebody find out what I said?"
                                   : "Could somebody find out that I took part?",
                               attack_in_words(planned, cost.guarantee.adjacency, work));
    answers.items.emplace_back("Which epsilon is enough?", enough_in_words(plan));
  }
  section.blocks.push_back({std::move(answers)});
  section.blocks.push_back({Paragraph{
      "Not covered: conclusions that would be the same without you (that smoking harms is learned "
      "from others too), what people with access to the records can read there, what running time "
      "and memory use reveal, and anything released about the same records elsewhere."}});
  return section;
}

Section planned_cost_section(const PlannedSpending& plan) {
  Section section{"cost", "What it would cost", {}};
  if (plan.chosen) {
    if (plan.cost && plan.cost->is_protected()) {
      section.blocks.push_back({Paragraph{privacy::statement(*plan.cost)}});
    }
    add_plan(*plan.chosen, section.blocks);
    return section;
  }
  for (const auto& at : plan.epsilons) {
    Folded folded{fmt::format("The plan at epsilon {}", number_text(at.epsilon)), {}};
    if (at.plan) {
      add_plan(*at.plan, folded.blocks);
    } else {
      folded.blocks.push_back({Paragraph{"There is none: " + at.refusal}});
    }
    section.blocks.push_back({std::move(folded)});
  }
  return section;
}

Section planned_check_section(const ReportRequest& request) {
  Section section{"check", "To check it yourself", {}};
  const auto& plan = *request.plan;
  section.blocks.push_back({Paragraph{fmt::format(
      "This report was made by tacet {}{}. The same options and the same schema give the same "
      "report, byte for byte.",
      base::version,
      plan.rehearsal ? " from the schema and, for the rehearsal alone, a public file of records"
                     : " from the schema alone")}});
  for (const auto& command : request.commands) {
    section.blocks.push_back({Paragraph{command.purpose}});
    section.blocks.push_back({Code{command.text}});
  }
  return section;
}

}  // namespace tacet::report
