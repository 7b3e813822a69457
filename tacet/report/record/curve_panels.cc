#include "tacet/report/record/curve_panels.h"

#include <algorithm>
#include <utility>

#include "tacet/learn/plan/prediction_noise.h"
#include "tacet/model/curve_effects.h"

namespace tacet::report {
namespace {

constexpr int steps_per_stddev = 6;  // smooth to the eye
constexpr std::size_t shown_pairs = 6;
// Pairs with less are within the error of the shares.
constexpr double min_pair_share = 0.01;

void add_range(EffectPanel& effect) {
  if (effect.points.empty()) return;
  const auto [min, max] =
      std::ranges::minmax(effect.points, {}, [](const PanelPoint& one) { return one.adds[0]; });
  effect.range = {max.adds[0] - min.adds[0]};
}

EffectPanel panel_of_column(const model::CurveEffect& found, double at_means) {
  EffectPanel effect{.name = found.column,
                     .kind = found.number ? EffectKind::curve : EffectKind::levels};
  effect.date = found.date;
  effect.share = found.share;
  for (const auto& point : found.points) {
    effect.points.push_back({point.at, point.value, {point.prediction - at_means}, {}});
  }
  add_range(effect);
  return effect;
}

EffectPanel panel_of_pair(const model::PairEffect& found) {
  EffectPanel effect{.name = found.first + " and " + found.second, .kind = EffectKind::pair};
  effect.share = found.share;
  effect.row_name = found.first;
  effect.column_name = found.second;
  effect.rows = found.rows;
  effect.columns = found.columns;
  for (std::size_t k = 0; k < found.beyond.size(); ++k) {
    const auto label =
        found.rows[k / found.columns.size()] + " & " + found.columns[k % found.columns.size()];
    effect.points.push_back({static_cast<double>(k), label, {found.beyond[k]}, {}});
  }
  add_range(effect);
  return effect;
}

}  // namespace

Effects curve_panels(const model::ModelFile& file) {
  const auto found = model::curve_effects(file.schema, file.model, steps_per_stddev, shown_pairs);
  Effects out;
  out.outputs = {"the target"};
  const auto& target = file.schema.target->column;
  out.unit = target.empty() ? "predicted target" : "predicted '" + target + "'";
  out.intercept = {0};
  out.curves = CurveFacts{.at_means = found.at_means, .rest = found.rest, .noise = {}};
  if (const auto noise = learn::PredictionNoise::of(file)) out.curves->noise = noise->longest();
  for (const auto& column : found.columns) {
    out.columns.push_back(panel_of_column(column, found.at_means));
  }
  for (const auto& pair : found.pairs) {
    const bool shown = pair.share >= min_pair_share && !pair.beyond.empty();
    if (shown) {
      out.columns.push_back(panel_of_pair(pair));
    } else {
      out.curves->rest += pair.share;
    }
  }
  return out;
}

}  // namespace tacet::report
