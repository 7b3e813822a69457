#include "tacet/report/planned_noise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <variant>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/coefficient_noise.h"
#include "tacet/learn/plan/step_rule.h"
#include "tacet/model/loss/loss.h"

namespace tacet::report {
namespace {

const learn::Setting::Value* find(const learn::Training& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.settings, name, &learn::Setting::name);
  return found == plan.settings.end() ? nullptr : &found->value;
}

std::optional<double> number(const learn::Training& plan, std::string_view name) {
  const auto* value = find(plan, name);
  if (value == nullptr) return std::nullopt;
  if (const auto* real = std::get_if<double>(value)) return *real;
  if (const auto* count = std::get_if<std::int64_t>(value)) return static_cast<double>(*count);
  return std::nullopt;
}

bool is_word(const learn::Training& plan, std::string_view name, std::string_view word) {
  const auto* value = find(plan, name);
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(value);
  return text != nullptr && *text == word;
}

bool standardises(const learn::Training& plan) {
  return find(plan, "standardise_noise_multiplier") != nullptr;
}

/// What a column adds to the squared norm of a usual row: of numbers their variance and, where they
/// are not centred, nothing is known but that they are within 1.
double usual_square(const data::Column& column, bool standardised) {
  const auto* number = std::get_if<data::NumericColumn>(&column.rule);
  if (number == nullptr) return column.ignored() ? 0 : 1;
  const double spread = standardised ? standardised_spread : usual_spread;
  double square = number->line_count() > 0 ? spread * spread : 0;
  if (number->hat_functions() > 0) square += 0.25 * 2 / 3;  // (t/2)^2 + ((1-t)/2)^2 in the mean
  if (number->bin_count() > 0) square += number->bins_only ? 1 : 0.25;
  return square;
}

/// What a usual row is multiplied by, so that it keeps the bound of its norm.
double row_factor(const learn::Training& plan) {
  const auto& schema = plan.schema;
  if (schema.row_scaling == data::RowScaling::constant_root) {
    return 1 / std::sqrt(schema.unscaled_square());
  }
  double square = schema.intercept ? schema.constant * schema.constant : 0;
  for (const auto& column : schema.columns) square += usual_square(column, standardises(plan));
  square += static_cast<double>(schema.interactions.size());
  return std::min(1.0, 1 / std::sqrt(std::max(square, 1e-12)));
}

/// The standard deviation of a usual feature in the rows that training reads.
double spread_in_rows(const learn::Training& plan) {
  return usual_spread_of(plan) * row_factor(plan);
}

/// The curvature of the mean loss along a usual column that is correlated with no other.
double usual_curvature(const learn::Training& plan) {
  return learn::mean_curvature(model::properties(plan.loss).curvature, spread_in_rows(plan));
}

/// Which share of an effect the mean of the last iterates has, from 0 on along a direction of
/// curvature h and without noise: short paths learn effects in part, and noise counts against that.
double learned_share(const learn::DescentLaw& law, double h) {
  double weight = 0;
  double velocity = 0;
  double sum = 0;
  for (std::int64_t step = 0; step < law.steps; ++step) {
    velocity = law.momentum * velocity - law.step_size * h * (weight - 1);
    weight += velocity;
    if (step >= law.steps - law.averaged) sum += weight;
  }
  constexpr double min = 1e-9;  // of a path that hardly begins
  return std::clamp(sum / static_cast<double>(law.averaged), min, 1.0);
}

std::optional<PlannedNoise> noise_of_descent(const learn::Training& plan) {
  const auto steps = planned_steps(plan);
  const auto step_size = number(plan, "step_size");
  const auto momentum = number(plan, "momentum");
  const auto clipping = number(plan, "clipping_norm");
  const auto multiplier = number(plan, "noise_multiplier");
  if (!steps || !step_size || !momentum || !clipping || !multiplier) return std::nullopt;
  // The law is that of a plain mean without penalty or projection, of weights that take steps of
  // one size (learn/plan/coefficient_noise.h).
  if (number(plan, "l2").value_or(0) > 0 || find(plan, "radius") != nullptr || plan.schema.curves ||
      is_word(plan, "averaging", "polynomial")) {
    return std::nullopt;
  }
  const double average = is_word(plan, "averaging", "last") ? 0
                         : is_word(plan, "averaging", "suffix")
                             ? number(plan, "average").value_or(1)
                             : 1;
  const double records =
      number(plan, "sampling_rate").value_or(1) * static_cast<double>(plan.public_row_count);
  const learn::DescentLaw law{
      .steps = *steps,
      .averaged =
          std::clamp<std::int64_t>(std::llround(average * static_cast<double>(*steps)), 1, *steps),
      .step_size = *step_size,
      .momentum = *momentum,
      .stddev = *multiplier * *clipping / records,
      .curvature =
          learn::mean_curvature(model::properties(plan.loss).curvature, plan.schema.norm_bound())};
  const double curvature = usual_curvature(plan);
  const auto stddev = [&](double pull) {
    return law.stddev * std::sqrt(learn::averaged_variance(law, pull));
  };
  return PlannedNoise{
      .at_most = stddev(0),
      .standardised = spread_in_rows(plan) * stddev(curvature) / learned_share(law, curvature)};
}

/// To first order: the minimiser moves by the noise over the curvature of the whole sum.
std::optional<PlannedNoise> noise_of_objective(const learn::Training& plan) {
  const auto penalty = number(plan, "regularization");
  const auto linear = number(plan, "objective_noise");
  const auto output = number(plan, "output_noise");
  if (!penalty || !linear || !output || plan.public_row_count == 0) return std::nullopt;
  // Pure noise of density exp(-|z| / s) has s sqrt(d + 1) in each of d coordinates.
  const double coordinate =
      plan.guarantee.delta == 0 ? std::sqrt(static_cast<double>(plan.columns + 1)) : 1;
  const auto stddev = [&](double pull) {
    return coordinate * std::hypot(*linear / (*penalty + pull), *output);
  };
  const double pull = static_cast<double>(plan.public_row_count) * usual_curvature(plan);
  const double learned = pull / (*penalty + pull);
  return PlannedNoise{.at_most = stddev(0),
                      .standardised = spread_in_rows(plan) * stddev(pull) / learned};
}

}  // namespace

double usual_spread_of(const learn::Training& plan) {
  return standardises(plan) ? standardised_spread : usual_spread;
}

std::optional<std::int64_t> planned_steps(const learn::Training& plan) {
  const auto* value = find(plan, "steps");
  const auto* steps = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return steps == nullptr || *steps < 1 ? std::nullopt : std::optional(*steps);
}

std::optional<PlannedNoise> planned_noise(const learn::Training& plan) {
  if (plan.unprotected()) return std::nullopt;
  if (plan.method == "gradient") return noise_of_descent(plan);
  if (plan.method == "objective") return noise_of_objective(plan);
  std::optional<double> added;
  if (plan.method == "output" || plan.method == "phased") added = number(plan, "noise_stddev");
  if (plan.method == "regularized-output" && plan.guarantee.delta > 0)
    added = number(plan, "noise");
  if (!added) return std::nullopt;
  return PlannedNoise{
      .at_most = *added, .standardised = spread_in_rows(plan) * *added, .exact = true};
}

std::optional<double> proved_excess_risk(const learn::Training& plan) {
  // None is proved with a penalty, beside which the number is what the schedule was chosen by.
  if (plan.unprotected() || number(plan, "l2").value_or(0) > 0) return std::nullopt;
  return number(plan, "predicted_excess_risk");
}

}  // namespace tacet::report
