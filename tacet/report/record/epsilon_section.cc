#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tacet/privacy/decimal.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

using privacy::Adjacency;

/// A curve with its name in the legend.
struct NamedCurve {
  std::string name;
  const CertifiedCurve& curve;
};

// The last tone stays what is loud; more curves share the fourth.
Tone curve_tone(std::size_t place) {
  constexpr std::array<Tone, 4> tones{Tone::first, Tone::second, Tone::third, Tone::fourth};
  return tones.at(std::min(place, tones.size() - 1));
}

void add_curve(const NamedCurve& named, Tone tone, Picture& picture) {
  auto& plot = picture.plots.front();
  Band band{.spans = {}, .tone = tone};
  Line line{.points = {}, .tone = tone, .label = named.name};
  for (std::size_t k = 0; k < curve_deltas.size(); ++k) {
    const auto& [delta, epsilon, share] = named.curve.points[k];
    picture.numbers.rows.push_back(
        {named.name, delta, epsilon.attained, epsilon.upper, epsilon.route, share});
    if (delta == 0) continue;  // has no place on an axis of logarithms; the table and the text do
    band.spans.push_back({delta, epsilon.attained, epsilon.upper});
    line.points.push_back({delta, epsilon.upper});
  }
  plot.bands.push_back(std::move(band));
  plot.lines.push_back(std::move(line));
}

std::string curve_finding(const CertifiedCurve& curve, const privacy::Guarantee& stated) {
  const auto& pure = curve.points.front().epsilon;
  const auto& widest = curve.points[curve_deltas.size() - 1];
  return fmt::format(
      "The stated point is {}. At delta {} the same releases cost epsilon {} at most, and {}.",
      guarantee_in_words(stated), number_text(widest.delta),
      privacy::rounded_up(widest.epsilon.upper, 3),
      std::isinf(pure.upper)
          ? std::string("without any delta no finite epsilon")
          : fmt::format("without any delta {}", privacy::rounded_up(pure.upper, 4)));
}

std::string test_in_words(Adjacency adjacency) {
  if (adjacency == Adjacency::replace_one) {
    return "Suppose somebody wants to know which of two things a record says. They know all other "
           "records and compute whatever they like from the results.";
  }
  return "Suppose somebody wants to know whether a person is among the records. They know all "
         "other records and compute whatever they like from the results.";
}

Table attack_table(const CertifiedCurve& curve, Adjacency adjacency) {
  const bool replaced = adjacency == Adjacency::replace_one;
  Table table{.caption = replaced ? "What a test between two answers can find at most"
                                  : "What a test for taking part can find at most",
              .header = {replaced ? "false alarms, where the other answer is true (false positive "
                                    "rate)"
                                  : "false alarms, of those who did not take part (false positive "
                                    "rate)",
                         replaced ? "recognised, where the answer is true (true positive rate), at "
                                    "most"
                                  : "recognised, of those who took part (true positive rate), at "
                                    "most"},
              .rows = {}};
  for (const double prior : priors) {
    table.header.push_back(
        fmt::format("a chance of {} before becomes, after an alarm, at most", percent(prior)));
  }
  for (const double rate : false_positive_rates) {
    const double found = largest_true_positive_rate(curve, rate);
    std::vector<Cell> row{percent(rate), percent_up(found)};
    for (const double prior : priors) {
      row.emplace_back(percent_up(share_after_positive(prior, rate, found)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section epsilon_section(const Material& material, base::WorkMeter& work) {
  Section section{"epsilon", "Epsilon against delta", {}};
  const auto& results = material.results;
  if (!results.promises() || !material.joint || material.together.empty()) {
    if (!results.all.empty()) {
      section.blocks.push_back(
          {Paragraph{"Not shown: nothing is promised, so no epsilon applies."}});
    }
    return section;
  }
  const auto adjacency = material.joint->adjacency;
  Picture picture{.name = "epsilon-delta",
                  .title = "Epsilon at each delta",
                  .finding = curve_finding(material.together, *material.joint),
                  .plots = {{.title = "Epsilon against delta",
                             .x = {.label = "delta", .scale = Scale::logarithmic},
                             .y = {.label = "epsilon", .with_zero = true}}},
                  .numbers = {.caption = "Epsilon at each delta",
                              .header = {"result", "delta", "epsilon, lower end", "epsilon, proved",
                                         "route", "the cipher adds to delta"},
                              .rows = {}}};
  const bool several = results.all.size() > 1;
  add_curve({several ? "all together" : "proved", material.together}, curve_tone(0), picture);
  for (std::size_t k = 0; several && k < results.all.size(); ++k) {
    const auto& receipt = results.all[k].receipt();
    const auto curve = certified_curve(receipt.events, adjacency, receipt.prg_slack, work);
    add_curve({shortened(results.all[k].name, 40), curve}, curve_tone(k + 1), picture);
  }
  auto& plot = picture.plots.front();
  if (material.joint->delta > 0) {
    plot.marks.push_back(
        {.at = material.joint->delta, .value = material.joint->epsilon, .tone = Tone::alarm});
    plot.mark_labels = {{Tone::alarm, several ? "all together, at the largest delta" : "stated"}};
  }
  section.blocks.push_back({std::move(picture)});
  section.blocks.push_back({Paragraph{
      "The line is proved: the releases cost no more. Where a shaded band hangs below it, the true "
      "cost lies somewhere in the band. The table also has what noise from the cipher adds to "
      "delta."}});
  section.blocks.push_back({Heading{"What that means for an attacker"}});
  section.blocks.push_back({Paragraph{
      test_in_words(adjacency) +
      " The table says what the best such test can do at most, from the whole proved curve and not "
      "from one epsilon alone (Kairouz, Oh, Viswanath 2015). The last three columns say what an "
      "alarm makes of a chance that was given before."}});
  section.blocks.push_back({attack_table(material.together, adjacency)});
  return section;
}

}  // namespace tacet::report
