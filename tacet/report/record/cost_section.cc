#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "tacet/privacy/decimal.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/event_words.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

void add_claim(const privacy::Receipt& receipt, Section& section) {
  if (receipt.calibration == "tight" || !receipt.is_protected()) return;
  const auto parameters = nlohmann::json::parse(receipt.parameters, nullptr, false);
  if (!parameters.is_object() || !parameters.contains("claimed_epsilon") ||
      !parameters["claimed_epsilon"].is_number()) {
    return;
  }
  section.blocks.push_back({Paragraph{fmt::format(
      "The noise follows a published calibration ({}). Its paper claims epsilon {}; what is proved "
      "for this noise, and stated here, is epsilon {} at the same delta.",
      in_quotes(receipt.calibration), number_text(parameters["claimed_epsilon"].get<double>()),
      privacy::rounded_up(receipt.guarantee.epsilon, 6))}});
}

Table verdict_table(const ReadResult& result) {
  const auto& verified = *result.verified;
  const auto& stated = result.receipt().guarantee;
  Table table{
      .caption = "The guarantee, computed again from the receipt", .header = {"", ""}, .rows = {}};
  const auto add = [&](std::string name, Cell value) {
    table.rows.push_back({std::move(name), std::move(value)});
  };
  add("verdict", to_string(verified.verdict));
  add("stated epsilon", privacy::rounded_up(stated.epsilon, 6));
  add("stated delta", privacy::rounded_up(stated.delta, 6));
  add("neighbours", std::string(to_string(stated.adjacency)));
  add("unit", result.receipt().privacy_unit);
  add("epsilon computed again, at least", privacy::rounded_down(verified.epsilon.attained, 6));
  add("epsilon computed again, at most", privacy::rounded_up(verified.epsilon.upper, 6));
  add("by", verified.epsilon.route);
  add("noise from the cipher takes of delta", privacy::rounded_up(verified.prg_share, 3));
  add("checked against each other",
      verified.parameters.checked.empty()
          ? std::string("nothing")
          : fmt::format("{}", fmt::join(verified.parameters.checked, ", ")));
  add("not checked", fmt::format("{}", fmt::join(verified.parameters.unchecked, "; ")));
  return table;
}

void add_verdict(const ReadResult& result, Section& section) {
  if (!result.is_protected()) {
    section.blocks.push_back(
        {Paragraph{"There is nothing to verify: this result promises nothing.", Emphasis::bad}});
    return;
  }
  if (!result.fault.empty()) {
    section.blocks.push_back({Paragraph{
        fmt::format("Verdict: {}. {}.",
                    result.verified ? to_string(result.verified->verdict) : "does not follow",
                    result.fault),
        Emphasis::bad}});
    return;
  }
  section.blocks.push_back({Paragraph{
      "Verdict: follows. The guarantee was computed again, from the receipt, while this report was "
      "made. No file can prove that the receipt lists everything that was really run.",
      Emphasis::good}});
  section.blocks.push_back({Folded{"How it was computed again", {{verdict_table(result)}}}});
}

Table settings_table(const privacy::Receipt& receipt) {
  Table table{.caption = "Settings of the run, all of them public",
              .header = {"setting", "value"},
              .rows = {}};
  const auto parameters = nlohmann::ordered_json::parse(receipt.parameters, nullptr, false);
  if (!parameters.is_object()) return table;
  for (const auto& [key, value] : parameters.items()) {
    table.rows.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return table;
}

}  // namespace

Section cost_section(const Material& material) {
  Section section{"cost", "What it cost", {}};
  for (const auto& result : material.results.all) {
    const auto& receipt = result.receipt();
    if (material.results.all.size() > 1)
      section.blocks.push_back({Heading{in_quotes(result.name)}});
    if (result.is_protected() && result.fault.empty() && material.results.promises()) {
      section.blocks.push_back({Paragraph{
          fmt::format("Method {}, calibration {}: {}.", in_quotes(receipt.algorithm),
                      in_quotes(receipt.calibration), guarantee_in_words(receipt.guarantee))}});
    } else {
      section.blocks.push_back(
          {Paragraph{fmt::format("Method {}.", in_quotes(receipt.algorithm))}});
    }
    add_verdict(result, section);
    add_claim(receipt, section);
    section.blocks.push_back({events_table(receipt.events)});
    auto settings = settings_table(receipt);
    if (!settings.rows.empty()) {
      section.blocks.push_back({Folded{"Settings", {{std::move(settings)}}}});
    }
  }
  return section;
}

}  // namespace tacet::report
