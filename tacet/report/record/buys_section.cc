#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/report/figure/labels.h"
#include "tacet/report/record/planned_epsilons.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

/// What an epsilon buys: before spending a figure for it, elsewhere what applies.
namespace tacet::report {
namespace {

using Planned = std::vector<const PlannedEpsilon*>;

constexpr auto buys_title = "What an epsilon buys";

Cell or_none(const std::optional<double>& value, const char* none) {
  return value ? Cell(*value) : Cell(std::string(none));
}

Cell records_cell(const PlannedEpsilon& at) {
  if (at.records_for_small_noise) return *at.records_for_small_noise;
  return std::string(at.noise ? "more than 1,000,000,000" : "not stated");
}

bool any_noise(const Planned& planned) {
  return std::ranges::any_of(planned, [](const auto* at) { return at->noise.has_value(); });
}

bool any_excess(const Planned& planned) {
  return std::ranges::any_of(planned, [](const auto* at) { return at->excess.has_value(); });
}

bool all_exact(const Planned& planned) {
  return std::ranges::all_of(planned,
                             [](const auto* at) { return !at->noise || at->noise->exact; });
}

AxisSpec epsilon_axis() { return {.label = "epsilon", .scale = Scale::logarithmic}; }

/// A line through what `value` gives of each plan, and a mark at each.
template <typename Value>
void add_series(const Planned& planned, Tone tone, const std::string& label, const Value& value,
                Plot& plot) {
  Line line{.points = {}, .tone = tone, .label = label};
  for (const auto* at : planned) {
    const std::optional<double> found = value(*at);
    if (!found) continue;
    line.points.push_back({at->epsilon, *found});
    plot.marks.push_back({.at = at->epsilon, .value = *found, .tone = tone});
  }
  if (!line.points.empty()) plot.lines.push_back(std::move(line));
}

void add_level(const Planned& planned, double level, const std::string& label, Plot& plot) {
  plot.lines.push_back(
      {.points = {{planned.front()->epsilon, level}, {planned.back()->epsilon, level}},
       .tone = Tone::quiet,
       .label = label});
}

Plot noise_plot(const Planned& planned) {
  Plot plot{.title = "Noise in a coefficient",
            .x = epsilon_axis(),
            .y = {.label = "standardised units", .scale = Scale::logarithmic}};
  add_level(planned, small_noise, fmt::format("{}", small_noise), plot);
  add_series(
      planned, Tone::first, "noise in the coefficient of a usual column",
      [](const PlannedEpsilon& at) {
        return at.noise ? std::optional(at.noise->standardised) : std::nullopt;
      },
      plot);
  return plot;
}

Plot records_plot(const Planned& planned) {
  Plot plot{.title = "Records that it takes",
            .x = epsilon_axis(),
            .y = {.label = "records", .scale = Scale::logarithmic}};
  const auto declared = planned.front()->plan->public_row_count;
  if (declared > 0) add_level(planned, static_cast<double>(declared), "declared", plot);
  add_series(
      planned, Tone::second, fmt::format("for noise below {}", small_noise),
      [](const PlannedEpsilon& at) {
        return at.records_for_small_noise
                   ? std::optional(static_cast<double>(*at.records_for_small_noise))
                   : std::nullopt;
      },
      plot);
  return plot;
}

/// A bound is drawn as what lies below it.
Plot excess_plot(const Planned& planned) {
  Plot plot{.title = "Excess risk",
            .x = epsilon_axis(),
            .y = {.label = "excess risk", .with_zero = true}};
  Band band{.spans = {}, .tone = Tone::third};
  Line line{.points = {}, .tone = Tone::third, .label = "proved bound: at most"};
  for (const auto* at : planned) {
    if (!at->excess) continue;
    band.spans.push_back({at->epsilon, 0, *at->excess});
    line.points.push_back({at->epsilon, *at->excess});
  }
  plot.bands.push_back(std::move(band));
  plot.lines.push_back(std::move(line));
  return plot;
}

Table numbers_of(const Planned& planned, base::WorkMeter& work) {
  Table table{.caption = buys_title,
              .header = {"epsilon", "delta", "method", "noise in the coefficient of a usual column",
                         "noise in any coefficient, at most", "steps", "excess risk, at most",
                         fmt::format("records for noise below {}", small_noise),
                         "a test with 1 % false alarms recognises, at most",
                         "a chance of 10 % becomes, after an alarm, at most"},
              .rows = {}};
  for (const auto* at : planned) {
    const auto& plan = *at->plan;
    const auto test = test_at(*at, work);
    const auto steps = planned_steps(plan);
    const auto noise = [&](double PlannedNoise::*of) {
      return or_none(at->noise ? std::optional((*at->noise).*of) : std::nullopt, "not stated");
    };
    table.rows.push_back({at->epsilon, at->cost->guarantee.delta, plan.method,
                          noise(&PlannedNoise::standardised), noise(&PlannedNoise::at_most),
                          steps ? Cell(*steps) : Cell(std::string("none")),
                          or_none(at->excess, "none is proved"), records_cell(*at),
                          percent_up(test.recognised), percent_up(test.after_alarm)});
  }
  return table;
}

/// What a reader compares first.
Table short_table(const Table& numbers, bool with_excess) {
  std::vector<std::size_t> kept{0, 3, 5, 7, 8, 9};
  if (with_excess) kept.insert(kept.begin() + 3, 6);
  Table table{.caption = "In short", .header = {}, .rows = {}};
  for (const auto k : kept) table.header.push_back(numbers.header[k]);
  for (const auto& row : numbers.rows) {
    auto& cells = table.rows.emplace_back();
    for (const auto k : kept) cells.push_back(row[k]);
  }
  return table;
}

std::string finding_of(const Planned& planned) {
  const auto& first = *planned.front();
  const auto& last = *planned.back();
  if (!first.noise || !last.noise) {
    return fmt::format(
        "Method {} states no noise of its coefficients before it has run; what else is known "
        "stands in the table.",
        in_quotes(first.noise ? last.plan->method : first.plan->method));
  }
  if (planned.size() == 1) {
    return fmt::format("At epsilon {} privacy's noise in the coefficient of a usual column is {}.",
                       number_text(first.epsilon), number_text(first.noise->standardised, 3));
  }
  return fmt::format(
      "Privacy's noise in the coefficient of a usual column is {} at epsilon {} and {} at epsilon "
      "{}, in standardised units.",
      number_text(first.noise->standardised, 3), number_text(first.epsilon),
      number_text(last.noise->standardised, 3), number_text(last.epsilon));
}

std::string how_to_read(const Planned& planned) {
  const double spread = usual_spread_of(*planned.front()->plan);
  auto out = fmt::format(
      "Noise is a standard deviation, in standardised units: in what a column adds to the sum that "
      "the model predicts from when its value moves by one standard deviation. A usual column is "
      "one whose feature has the standard deviation {}{}. ",
      spread,
      spread == standardised_spread
          ? " (that of a number that is standardised by released means)"
          : " (a category that half of the records have, or a number whose standard deviation is a "
            "fifth of the distance of its bounds)");
  out += all_exact(planned)
             ? "The noise is added to the coefficients themselves, whatever the records are."
             : "How far the records pull noise back is known after the run alone. The number here "
               "is for a column that goes with no other, in records whose answers are hard to "
               "tell; a column that the records say little about has up to the noise that the "
               "table calls at most, which is per unit of its feature.";
  return out + fmt::format(
                   " The number of records is found by planning again with other declared numbers, "
                   "all else as it was asked for: from about there on the noise is below {}.",
                   small_noise);
}

void add_refusals(const PlannedSpending& plan, Section& section) {
  for (const auto& at : plan.epsilons) {
    if (at.plan) continue;
    section.blocks.push_back({Paragraph{
        fmt::format("At epsilon {} there is no plan: {}", number_text(at.epsilon), at.refusal)}});
  }
}

// --- the rehearsal

double median_of(const std::vector<double>& figures) {
  const auto middle = figures.size() / 2;
  return figures.size() % 2 == 1 ? figures[middle] : (figures[middle - 1] + figures[middle]) / 2;
}

Picture rehearsal_picture(const Rehearsal& rehearsal) {
  Picture picture{.name = "rehearsal",
                  .title = "An experiment on other data",
                  .finding = {},
                  .plots = {{.title = "An experiment on other data",
                             .x = epsilon_axis(),
                             .y = {.label = rehearsal.metric}}},
                  .numbers = {.caption = "Figures of the experiment, on test records",
                              .header = {"epsilon", "fits", "lowest", "median", "highest",
                                         rehearsal.baseline_name, "without protection"},
                              .rows = {}}};
  auto& plot = picture.plots.front();
  Line medians{.points = {}, .label = "median, from lowest to highest"};
  std::vector<PlotPoint> ends;
  for (const auto& [epsilon, figures] : rehearsal.epsilons) {
    if (figures.empty()) continue;
    const double median = median_of(figures);
    medians.points.push_back({epsilon, median});
    plot.marks.push_back(
        {.at = epsilon, .value = median, .low = figures.front(), .high = figures.back()});
    picture.numbers.rows.push_back({epsilon, static_cast<std::int64_t>(figures.size()),
                                    figures.front(), median, figures.back(), rehearsal.baseline,
                                    rehearsal.without_noise});
  }
  if (medians.points.empty()) return picture;
  const auto level = [&](double value, Tone tone, const std::string& label) {
    plot.lines.push_back(
        {.points = {{medians.points.front().x, value}, {medians.points.back().x, value}},
         .tone = tone,
         .label = label});
  };
  level(rehearsal.without_noise, Tone::second, "without protection");
  level(rehearsal.baseline, Tone::third, rehearsal.baseline_name);
  picture.finding = fmt::format(
      "On the public records of {} the median {} is {} at epsilon {} and {} at epsilon {}; "
      "without protection it is {}, and {} for {}.",
      in_quotes(rehearsal.file), rehearsal.metric, number_text(medians.points.front().y, 3),
      number_text(medians.points.front().x), number_text(medians.points.back().y, 3),
      number_text(medians.points.back().x), number_text(rehearsal.without_noise, 3),
      number_text(rehearsal.baseline, 3), rehearsal.baseline_name);
  plot.lines.push_back(std::move(medians));
  return picture;
}

void add_rehearsal(const Rehearsal& rehearsal, Section& section) {
  section.blocks.push_back({Heading{"Rehearsal: an experiment on other data"}});
  section.blocks.push_back({Paragraph{fmt::format(
      "This is an experiment on other data, no statement about yours. {} was declared public. {} "
      "of its records trained, {} tested; all fits have the same parts and seeds that are known, "
      "so that the experiment can be repeated. Each plan was made for the number of records that "
      "trained.",
      in_quotes(rehearsal.file), rehearsal.trained_on, rehearsal.tested_on)}});
  section.blocks.push_back({rehearsal_picture(rehearsal)});
}

}  // namespace

Section planned_buys_section(const PlannedSpending& plan, base::WorkMeter& work) {
  Section section{"buys", buys_title, {}};
  if (!promises(plan)) {
    section.blocks.push_back({Paragraph{
        "Not shown: a run of this plan would protect nobody, whatever epsilon it has."}});
    return section;
  }
  const auto planned = planned_of(plan);
  if (planned.empty()) return section;
  Picture picture{.name = "epsilon-buys",
                  .title = buys_title,
                  .finding = finding_of(planned),
                  .plots = {},
                  .numbers = numbers_of(planned, work)};
  if (any_noise(planned)) picture.plots = {noise_plot(planned), records_plot(planned)};
  if (any_excess(planned)) picture.plots.push_back(excess_plot(planned));
  auto table = short_table(picture.numbers, any_excess(planned));
  section.blocks.push_back({std::move(picture)});
  if (any_noise(planned)) section.blocks.push_back({Paragraph{how_to_read(planned)}});
  section.blocks.push_back({Paragraph{
      any_excess(planned)
          ? "Excess risk is how much larger the expected loss is than that of the best weights of "
            "the size that the plan states. A bound is proved for any records; what happens is "
            "usually far below it."
          : "No bound of the excess risk is proved for this method, so that none is drawn."}});
  section.blocks.push_back({std::move(table)});
  add_refusals(plan, section);
  if (plan.rehearsal) add_rehearsal(*plan.rehearsal, section);
  return section;
}

Section buys_section(const Material& material) {
  Section section{"buys", buys_title, {}};
  std::string text =
      "This belongs to a plan, before anything is spent: a plan's report shows for each of several "
      "epsilons the noise in a coefficient, the steps, and how many records it takes. ";
  const auto& results = material.results;
  if (!results.all.empty() && !results.promises()) {
    text += "For this report it has no meaning: nothing is promised, so no epsilon applies.";
  } else if (!results.all.empty()) {
    text +=
        "Here the choice is made. What the epsilon of these results bought is above: the width of "
        "the bands in what the model says, and the intervals of metrics.";
  } else {
    text +=
        "For the next run on these records, plan with an epsilon that fits what is left of the "
        "budget above.";
  }
  section.blocks.push_back({Paragraph{std::move(text)}});
  return section;
}

}  // namespace tacet::report
