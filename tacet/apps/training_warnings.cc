#include "tacet/apps/training_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "tacet/learn/inference/inference_plan.h"
#include "tacet/model/loss/loss.h"
#include "tacet/privacy/decimal.h"

namespace tacet::apps {
namespace {

constexpr double large_epsilon = 10;  // a factor of 22,000 between the probabilities of an outcome
// Variance of a target that is uniform on [-1, 1], the scale of models: a constant's error.
constexpr double constants_error = 1.0 / 3;
// Log odds that move a probability of one half to 0.98: noise of that size decides by itself.
constexpr double large_margin = 4;
constexpr double large_poisson_slope = 10;

std::optional<double> setting(const learn::Training& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.settings, name, &learn::Setting::name);
  if (found == plan.settings.end() || !std::holds_alternative<double>(found->value)) return {};
  return std::get<double>(found->value);
}

/// Standard deviation, about, of the noise in the prediction for a record of norm 1;
/// nothing for methods whose noise depends on more than public facts.
std::optional<double> prediction_noise(const learn::Training& plan) {
  const double columns = static_cast<double>(plan.columns);
  const bool pure = plan.guarantee.delta == 0;
  const double spread = pure ? std::sqrt(columns + 1) : 1;  // of a coordinate, over the scale
  if (const auto noise = setting(plan, "noise"); plan.method == "regularized-output" && noise) {
    return *noise * spread;
  }
  const auto noise = setting(plan, "objective_noise");
  const auto penalty = setting(plan, "regularization");
  if (plan.method != "objective" || !noise || !penalty) return std::nullopt;
  // The curvature of the sum over all records is at most n times that of one, shared among the
  // columns.
  const double curvature = model::properties(plan.loss).curvature;
  const double resistance = static_cast<double>(plan.public_row_count) * curvature / columns;
  return *noise * spread / (*penalty + resistance);
}

void add_noise_warning(const learn::Training& plan, std::vector<std::string>& out) {
  const auto noise = prediction_noise(plan);
  if (!noise) return;
  const bool classes = model::properties(plan.loss).classification;
  const bool drowns = classes ? *noise > large_margin : *noise * *noise > constants_error;
  if (!drowns) return;
  out.push_back(fmt::format(
      "the noise of method {} moves a prediction by about {:.2g} {}: expect worse than a constant "
      "here; --method gradient needs less noise, or give more epsilon or more records",
      plan.method, classes ? *noise : *noise / 2,
      classes ? "in the log odds" : "times the target's range"));
}

// On a ball the slopes of the Poisson loss, and with them the noise, grow with e^radius.
void add_poisson_warning(const learn::Training& plan, std::vector<std::string>& out) {
  const auto* loss = std::get_if<model::ExtendedPoissonLoss>(&plan.loss);
  if (loss == nullptr || std::exp(loss->reach) <= large_poisson_slope) return;
  out.push_back(fmt::format(
      "the radius lets slopes of the Poisson loss be e^{:g} = {:.3g} long, and the noise is in "
      "proportion; a smaller --radius, or --method gradient, whose slopes are cut at 1",
      loss->reach, std::exp(loss->reach)));
}

void add_identification_warning(const learn::Training& plan, std::vector<std::string>& out) {
  const auto noise = setting(plan, "relative_noise");
  if (plan.method != "inference" || !noise || *noise <= learn::doubtful_relative_noise) return;
  out.push_back(
      fmt::format("some coefficients may come out as not identified: the privacy noise in the "
                  "information matrix is {:.2f} times the matrix, and below {} hardly any "
                  "coefficient is lost; more records, a larger epsilon or fewer terms help",
                  *noise, learn::doubtful_relative_noise));
}

}  // namespace

std::vector<std::string> training_warnings(const learn::Training& plan) {
  std::vector<std::string> out;
  if (plan.unprotected()) return out;
  const auto& guarantee = plan.guarantee;
  if (guarantee.epsilon > large_epsilon) {
    out.push_back(fmt::format(
        "epsilon {} promises little: one record may change the probability of an outcome by a "
        "factor of e^{}; 1 is usual, above 10 is hard to defend",
        privacy::rounded_up(guarantee.epsilon, 6), privacy::rounded_up(guarantee.epsilon, 6)));
  }
  const double records = static_cast<double>(plan.public_row_count);
  if (records > 0 && guarantee.delta * records > 1) {
    out.push_back(fmt::format(
        "delta {} is above 1/{}: publishing one record as it is would keep such a promise; leave "
        "--delta out for a smaller one",
        privacy::rounded_up(guarantee.delta, 6), plan.public_row_count));
  }
  add_noise_warning(plan, out);
  add_poisson_warning(plan, out);
  add_identification_warning(plan, out);
  return out;
}

}  // namespace tacet::apps
