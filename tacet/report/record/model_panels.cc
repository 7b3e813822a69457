#include "tacet/report/record/model_panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/data/schema/calendar.h"
#include "tacet/model/lifted_model.h"
#include "tacet/privacy/decimal.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/curve_panels.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

constexpr double interval_width = 1.959963984540054;  // 95 % of a normal law lie within
constexpr std::size_t max_small_multiples = 12;
constexpr std::size_t max_shown_levels = 40;
constexpr std::size_t max_table_rows = 4000;

std::string day_text(double day) { return data::date_text(std::llround(day)); }

std::size_t strongest_output(const EffectPanel& effect) {
  std::size_t best = 0;
  const auto strength = [&](std::size_t k) {
    const bool known = k < effect.range_noise.size() && effect.range_noise[k] > 0;
    return known ? effect.range[k] / effect.range_noise[k] : effect.range[k];
  };
  for (std::size_t k = 1; k < effect.range.size(); ++k) {
    if (strength(k) > strength(best)) best = k;
  }
  return best;
}

/// Outputs that are drawn: all, or of many those with the largest ranges.
std::vector<std::size_t> drawn_outputs(const EffectPanel& effect) {
  std::vector<std::size_t> outputs(effect.range.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) outputs[k] = k;
  if (outputs.size() <= max_small_multiples) return outputs;
  std::ranges::stable_sort(
      outputs, [&](std::size_t a, std::size_t b) { return effect.range[a] > effect.range[b]; });
  outputs.resize(max_small_multiples);
  return outputs;
}

Plot curve_plot(const EffectPanel& effect, std::size_t output) {
  Plot plot{.title = {}, .x = {.label = shortened(effect.name, 60)}};
  if (effect.date) plot.x.text = day_text;
  Line line{.points = {}};
  Band band{.spans = {}};
  for (const auto& point : effect.points) {
    line.points.push_back({point.at, point.adds[output]});
    if (point.noise.empty()) continue;
    const double half = interval_width * point.noise[output];
    band.spans.push_back({point.at, point.adds[output] - half, point.adds[output] + half});
  }
  plot.lines.push_back(std::move(line));
  if (!band.spans.empty()) plot.bands.push_back(std::move(band));
  plot.zero_line = true;
  return plot;
}

Plot level_plot(const EffectPanel& effect, std::size_t output) {
  Plot plot{.title = {}};
  // The largest at the top; of very many levels those farthest from 0.
  std::vector<const PanelPoint*> shown;
  for (const auto& point : effect.points) shown.push_back(&point);
  // What the others are compared with.
  const auto* other = effect.kind == EffectKind::levels && !effect.missing.empty()
                          ? &effect.missing.front()
                          : nullptr;
  const auto value = [&](const PanelPoint* point) { return point->adds[output]; };
  if (shown.size() > max_shown_levels) {
    std::ranges::stable_sort(
        shown, [&](auto* a, auto* b) { return std::abs(value(a)) > std::abs(value(b)); });
    shown.resize(max_shown_levels);
  }
  if (other != nullptr) shown.push_back(other);
  std::ranges::stable_sort(shown, [&](auto* a, auto* b) { return value(a) > value(b); });
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const auto& point = *shown[k];
    plot.levels.push_back(point.label);
    Mark mark{.at = static_cast<double>(k),
              .value = point.adds[output],
              .tone = shown[k] == other ? Tone::quiet : Tone::first};
    if (!point.noise.empty()) {
      mark.low = mark.value - interval_width * point.noise[output];
      mark.high = mark.value + interval_width * point.noise[output];
    }
    plot.marks.push_back(mark);
  }
  plot.zero_line = true;
  return plot;
}

Plot pair_plot(const EffectPanel& effect, std::size_t output) {
  HeatMap map{effect.rows, effect.columns, {}};
  for (const auto& point : effect.points) map.values.push_back(point.adds[output]);
  Plot plot{.title = {}};
  plot.heat = std::move(map);
  return plot;
}

Plot plot_of(const Effects& effects, const EffectPanel& effect, std::size_t output) {
  auto plot = effect.kind == EffectKind::curve  ? curve_plot(effect, output)
              : effect.kind == EffectKind::pair ? pair_plot(effect, output)
                                                : level_plot(effect, output);
  const bool several = effects.outputs.size() > 1;
  const auto unit = several ? fmt::format("adds to '{}'", shortened(effects.outputs[output], 40))
                            : "adds to the " + effects.unit;
  if (effect.kind == EffectKind::pair) {
    plot.y.label = effect.row_name;  // what the numbers are, the title and the finding say
    plot.x.label = effect.column_name;
  } else {
    (effect.kind == EffectKind::curve ? plot.y.label : plot.x.label) = unit;
  }
  plot.title = several ? fmt::format("{}: {}", shortened(effect.name, 60),
                                     shortened(effects.outputs[output], 60))
                       : shortened(effect.name, 60);
  return plot;
}

Table numbers_table(const Effects& effects, const EffectPanel& effect) {
  Table table{
      .caption = "What each value adds to the " + effects.unit, .header = {"value"}, .rows = {}};
  const bool several = effects.outputs.size() > 1;
  for (const auto& output : effects.outputs) {
    const auto suffix = several ? ": " + output : std::string();
    table.header.push_back("adds" + suffix);
    if (effects.noise_stated) table.header.push_back("noise sd, at most" + suffix);
  }
  if (effect.kind == EffectKind::curve) table.header.insert(table.header.begin(), "number");
  const auto add = [&](const PanelPoint& point, bool number) {
    std::vector<Cell> row;
    if (effect.kind == EffectKind::curve) row.push_back(number ? Cell(point.at) : Cell("missing"));
    row.emplace_back(point.label);
    for (std::size_t k = 0; k < point.adds.size(); ++k) {
      row.emplace_back(point.adds[k]);
      if (effects.noise_stated) row.emplace_back(point.noise[k]);
    }
    table.rows.push_back(std::move(row));
  };
  for (const auto& point : effect.points) add(point, true);
  for (const auto& point : effect.missing) add(point, false);
  return table;
}

const PanelPoint& extreme(const EffectPanel& effect, std::size_t output, bool largest) {
  const auto less = [output](const PanelPoint& a, const PanelPoint& b) {
    return a.adds[output] < b.adds[output];
  };
  return largest ? *std::ranges::max_element(effect.points, less)
                 : *std::ranges::min_element(effect.points, less);
}

std::string value_in_words(const EffectPanel& effect, const PanelPoint& point) {
  if (effect.kind != EffectKind::curve) return in_quotes(point.label);
  const bool plain =
      !effect.date && !point.label.starts_with("below ") && !point.label.starts_with("from ");
  return plain ? number_text(point.at, 4) : point.label;
}

std::string change_in_words(double change) {
  return number_text(std::abs(change), 3) + (change < 0 ? " lower" : " higher");
}

std::string finding_of(const Effects& effects, const EffectPanel& effect) {
  if (effect.points.empty()) return "This column adds nothing.";
  const auto output = strongest_output(effect);
  const auto& low = extreme(effect, output, false);
  const auto& high = extreme(effect, output, true);
  const auto where = effects.outputs.size() > 1
                         ? fmt::format(" of {}", in_quotes(effects.outputs[output]))
                         : std::string();
  if (effect.share && effect.kind == EffectKind::pair) {
    return fmt::format(
        "Beyond what each does alone, the {} is {} for {} and {} for {}: {:.0f} % of the variance "
        "of predictions.",
        effects.unit, change_in_words(high.adds[output]), in_quotes(high.label),
        change_in_words(low.adds[output]), in_quotes(low.label), 100 * *effect.share);
  }
  auto text = fmt::format("The {}{} is {} higher for {} than for {}", effects.unit, where,
                          number_text(effect.range[output], 3), value_in_words(effect, high),
                          value_in_words(effect, low));
  if (effect.kind == EffectKind::buckets) {
    text = fmt::format(
        "Of {} features, the {} with the largest effects: the {}{} is {} higher "
        "for {} than for {}",
        effect.features, effect.points.size(), effects.unit, where,
        number_text(effect.range[output], 3), in_quotes(high.label), in_quotes(low.label));
  }
  if (effect.share) {
    return text + fmt::format("; alone it makes {:.0f} % of the variance of predictions.",
                              100 * *effect.share);
  }
  if (!effects.noise_stated) return text + ".";
  const double noise = effect.range_noise[output];
  text += fmt::format(" (noise: standard deviation of at most {})", privacy::rounded_up(noise, 3));
  return text + (effect.told_from_noise() ? "." : "; noise alone may have made that difference.");
}

}  // namespace

std::optional<Effects> panels_of(const ReadResult& result) {
  if (!result.recorded.model) return std::nullopt;
  // Neither adds up what its columns say: vectors and layers, and a table that predicts nothing.
  const auto& model = result.recorded.model->model;
  if (model.wide || model.table) return std::nullopt;
  const auto& file = *result.recorded.model;
  if (file.schema.curves) return curve_panels(file);
  if (!file.schema.projection) return effects_of(file);
  const auto lifted = model::lifted(file.schema, file.model, model::LiftedColumns::named);
  return effects_of({.schema = lifted.schema, .model = lifted.model, .receipt = file.receipt});
}

std::vector<const EffectPanel*> panels_in_order(const Effects& effects) {
  std::vector<const EffectPanel*> order;
  for (const auto& effect : effects.columns) order.push_back(&effect);
  std::ranges::stable_sort(order, [](const EffectPanel* a, const EffectPanel* b) {
    if (a->told_from_noise() != b->told_from_noise()) return a->told_from_noise();
    return a->strength() > b->strength();
  });
  return order;
}

Picture panel_of(const Effects& effects, const EffectPanel& effect, const std::string& name) {
  Picture picture{.name = name,
                  .title = shortened(effect.name, 60),
                  .finding = finding_of(effects, effect),
                  .plots = {},
                  .numbers = numbers_table(effects, effect)};
  if (effect.points.empty()) return picture;
  for (const auto output : drawn_outputs(effect)) {
    picture.plots.push_back(plot_of(effects, effect, output));
  }
  return picture;
}

Table hand_table(const Effects& effects) {
  Table table{
      .caption = "What each value of each column adds", .header = {"column", "value"}, .rows = {}};
  const bool several = effects.outputs.size() > 1;
  for (const auto& output : effects.outputs) {
    table.header.push_back(several ? "adds to " + output : "adds");
  }
  if (effects.by_length) table.header.emplace_back("squared length");
  const auto add = [&](const std::string& column, const std::string& value,
                       const std::vector<double>& adds, double squared_length) {
    if (table.rows.size() >= max_table_rows) return;
    std::vector<Cell> row{column, value};
    for (const double number : adds) row.emplace_back(number);
    if (effects.by_length) row.emplace_back(squared_length);
    table.rows.push_back(std::move(row));
  };
  add("(intercept)", "", effects.intercept, effects.intercept_squared_length);
  for (const auto& effect : effects.columns) {
    for (const auto& point : effect.points) {
      add(effect.name, point.label, point.adds, point.squared_length);
    }
    for (const auto& point : effect.missing) {
      add(effect.name, point.label, point.adds, point.squared_length);
    }
  }
  return table;
}

}  // namespace tacet::report
