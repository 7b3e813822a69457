#include "tacet/learn/plan/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/resolve.h"

namespace tacet::learn {
namespace {

// docs/methods/curves.md gives the reason for each constant. If the noise is small, residuals are
// cut earlier and the path is longer by the same factor, so that records with large residuals have
// less influence. Above the second noise this gains nothing.
constexpr double tighter = 0.7;
constexpr double tight_up_to = 6e-4;
constexpr double loose_from = 1e-3;
constexpr double longest_path = 17000;
// With 2.8 this is a step size of 3.6 at most: momentum descent on rows of norm 1 is stable below
// 3.8.
constexpr double path_per_step = 28;
constexpr double max_curve_steps = 480;
constexpr double low_noise = 1e-4;  // below this noise more directions are worth their time
constexpr std::int64_t many_directions = 1000;
// Rates differ from 1 above the first noise, and reach their limits at the second.
constexpr double rates_part = 5e-4;
constexpr double rates_apart = 2e-3;
constexpr double largest_rate = 2;
constexpr double min_share = 0.13;
constexpr double share_with_whitening = 1.3;
// With several categorical columns there are twice as many directions with half as many
// frequencies, so that a model file has room for them.
constexpr std::int64_t frequencies_of_several = 500;
constexpr std::int64_t directions_of_several = 900;

/// How far the noise is from the first one to the second, in logarithms: 0 to 1.
double between(double noise, double first, double second) {
  return std::clamp(std::log2(noise / first) / std::log2(second / first), 0.0, 1.0);
}

bool predicts_number(const data::Schema& schema) {
  return schema.target && schema.target->regression() &&
         schema.target->number_kind() == data::NumberKind::number;
}

/// Why curves are not possible, in words that follow "here: "; null if they are.
const char* obstacle(const data::Schema& schema, const ParameterValues& asked) {
  const auto options = common_options(asked);
  if (!predicts_number(schema)) return "the target is no number";
  if (options.loss && !std::holds_alternative<model::SquaredLoss>(*options.loss)) {
    return "the loss is not the squared loss";
  }
  if (std::isinf(options.epsilon)) return "epsilon inf trains the exact minimiser";
  if (options.delta == 0.0) return "means and second moments are released with Gaussian noise";
  if (options.paper()) return "a paper's schedule knows its columns; leave `calibration` out";
  if (schema.unit) return "the schema's unit column protects all records of a unit together";
  for (const auto* name : {"batch-size", "boost"}) {
    if (asked.given(name))
      return "steps are on all records of one run; leave `batch_size` and `boost` out";
  }
  for (const auto* name : {"radius", "l2"}) {
    if (asked.given(name)) {
      return "weights of line and curves have no common size; leave `radius` and `l2` out";
    }
  }
  const auto set = [&](const char* name, const char* left_out) {
    return asked.text(name).value_or(left_out) != left_out;
  };
  if (set("projection", "none")) return "rows are projected; leave `projection` out";
  if (set("feature-selection", "all")) return "columns are selected; leave `feature_selection` out";
  const auto knots = asked.text("knots").value_or("auto");
  if (knots != "auto" && knots != "none") return "curves stand for knots; leave `knots` out";
  const auto standards = asked.text("standardise").value_or("private");
  if (standards != "private" && standards != "auto") {
    return "curves count numbers by released means; leave `standardise` out";
  }
  return data::curve_obstacle(schema);
}

}  // namespace

double curve_noise(double one_release, std::int64_t records) {
  return one_release / std::sqrt(1 - standardise_share) / static_cast<double>(records);
}

CurveRule curve_rule(double noise) {
  CurveRule rule{};
  const double tightness =
      std::exp2((1 - between(noise, tight_up_to, loose_from)) * std::log2(tighter));
  rule.clipping_norm = tightness * std::clamp(0.5 * std::sqrt(6e-4 / noise), 0.25, 1.0);
  rule.path = std::min(0.8 / (noise * rule.clipping_norm), longest_path);
  rule.steps = static_cast<std::int64_t>(
      std::ceil(std::clamp(rule.path / path_per_step, 200.0, max_curve_steps)));
  const double share = std::min(0.6 - 0.15 * std::log2(noise / 3e-4), 0.45);
  // With much noise the line needs that room too.
  rule.share = noise > rates_apart
                   ? min_share
                   : std::min(share_with_whitening * share, data::Curves::max_share);
  rule.directions = noise < low_noise
                        ? many_directions
                        : static_cast<std::int64_t>(std::clamp(0.25 / noise, 30.0, 500.0));
  const double apart = between(noise, rates_part, rates_apart);
  rule.line_rate = std::exp2(apart * std::log2(largest_rate));
  rule.curve_rate = 1 / rule.line_rate;
  return rule;
}

CurveChoice choose_curves(const data::Schema& schema, const ParameterValues& asked) {
  CurveChoice choice{schema, {}};
  CurveOptions own;
  read_bound(curve_bindings, asked.all(), own);
  if (!own.curves_auto && own.curves == 0) return choice;
  if (const char* why = obstacle(schema, asked)) {
    if (own.curves_auto) {
      if (predicts_number(schema)) choice.reason = fmt::format("no curves: {}", why);
      return choice;
    }
    throw base::UsageError("curves are not possible here: {}", why);
  }
  const auto options = common_options(asked);
  const auto records = resolve_row_count(schema, options);
  Reasons unused;
  const auto delta = resolve_delta(options, records, unused);
  const double noise = curve_noise(
      full_batch_noise(1, privacy::Epsilon(options.epsilon), delta, options.adjacency), records);
  const auto rule = curve_rule(noise);
  if (own.curves_auto && noise > max_curve_noise) {
    choice.reason =
        fmt::format("no curves: their noise of {:.2g} is above {:g}", noise, max_curve_noise);
    return choice;
  }
  choice.noise = noise;
  auto& curves = choice.schema.curves.emplace();
  curves.share = own.curves_auto ? rule.share : own.curves;
  const auto shape = data::curve_shape(schema);
  auto directions = rule.directions;
  if (shape.levels.size() >= data::CurveShape::several_columns) {
    curves.frequencies = frequencies_of_several;
    directions = std::min(2 * directions, directions_of_several);
  }
  curves.directions = curves.share > 0 ? std::min(directions, shape.max_directions(curves)) : 0;
  choice.reason = fmt::format(
      "{} curves of {} numbers together, {:.2g} of a row: noise of {:.2g} leaves room for them; "
      "their effects are read together, not one by one (`curves=none` keeps lines)",
      curves.directions, shape.numbers, curves.share, noise);
  return choice;
}

}  // namespace tacet::learn
