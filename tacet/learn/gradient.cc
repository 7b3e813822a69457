#include "tacet/learn/gradient.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/learn/coefficient_noise.h"
#include "tacet/learn/step_rule.h"
#include "tacet/mechanism/gaussian.h"
#include "tacet/optimize/erm.h"
#include "tacet/optimize/gradient_sum.h"

namespace tacet::learn {
namespace {

// Weights stay finite whatever step size a user picks; no sensible model comes near.
constexpr double largest_weight = 1e12;

std::int64_t averaged_steps(const GradientPlan& plan) {
  const double share = plan.average * static_cast<double>(plan.steps);
  return std::clamp<std::int64_t>(std::llround(share), 1, plan.steps);
}

// The state of momentum descent and the running mean of its last iterates.
class Descent {
 public:
  explicit Descent(const GradientPlan& plan)
      : plan_(plan),
        averaged_(averaged_steps(plan)),
        weights_(static_cast<std::size_t>(plan.columns), 0.0),
        velocity_(weights_),
        sum_(weights_) {}

  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  [[nodiscard]] std::int64_t averaged() const { return averaged_; }

  void step(std::span<const double> gradient) {
    ++done_;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
      velocity_[j] = plan_.momentum * velocity_[j] - plan_.step_size * gradient[j];
      weights_[j] = std::clamp(weights_[j] + velocity_[j], -largest_weight, largest_weight);
      if (done_ > plan_.steps - averaged_) sum_[j] += weights_[j];
    }
  }

  [[nodiscard]] std::vector<double> mean() const {
    std::vector<double> mean(sum_);
    for (double& value : mean) value /= static_cast<double>(averaged_);
    return mean;
  }

 private:
  const GradientPlan& plan_;
  std::int64_t averaged_;
  std::int64_t done_ = 0;
  std::vector<double> weights_;
  std::vector<double> velocity_;
  std::vector<double> sum_;
};

nlohmann::json public_parameters(const GradientPlan& plan) {
  nlohmann::json json{{"loss", model::loss_name(plan.loss)}, {"columns", plan.columns}};
  if (const auto name = model::loss_parameter_name(plan.loss); !name.empty()) {
    json["loss_" + std::string(name)] = model::loss_parameter(plan.loss);
  }
  if (plan.unprotected()) return json;
  json["steps"] = plan.steps;
  json["step_size"] = plan.step_size;
  json["momentum"] = plan.momentum;
  json["average"] = plan.average;
  json["clipping_norm"] = plan.clipping_norm;
  json["noise_multiplier"] = plan.noise_multiplier;
  json["norm_bits"] = plan.norm_bits;
  return json;
}

privacy::Receipt receipt_of(const data::Schema& schema, const GradientPlan& plan) {
  privacy::Receipt receipt;
  receipt.algorithm = plan.unprotected() ? "exact minimiser" : "gradient";
  receipt.calibration = "tight";
  receipt.parameters = public_parameters(plan).dump();
  receipt.guarantee = plan.guarantee;
  receipt.privacy_unit = schema.unit.value_or("record");
  receipt.sampling = "full_batch";
  if (plan.public_row_count > 0) receipt.public_row_count = plan.public_row_count;
  receipt.software_version = base::version;
  return receipt;
}

void check_columns(const data::Dataset& dataset, const GradientPlan& plan) {
  if (dataset.columns() != plan.columns) {
    throw base::InternalError("the data set and the plan differ in their columns");
  }
}

}  // namespace

TrainedModel train_gradient(const data::Dataset& dataset, const data::Schema& schema,
                            const GradientPlan& plan, const TrainingMeans& means) {
  if (plan.unprotected()) {
    throw base::UsageError("a plan without protection is carried out by fit_unprotected");
  }
  check_columns(dataset, plan);
  const optimize::GradientSum gradient_sum(
      dataset, plan.loss, {.clipping_norm = plan.clipping_norm, .norm_bits = plan.norm_bits},
      means.threads, means.reducer);
  const privacy::NoiseMultiplier noise(plan.noise_multiplier);
  const double count = static_cast<double>(plan.public_row_count);
  Descent descent(plan);
  IterateTrace trace(
      plan.columns,
      {.steps = plan.steps,
       .averaged = descent.averaged(),
       .step_size = plan.step_size,
       .momentum = plan.momentum,
       .noise_deviation = plan.noise_multiplier * gradient_sum.clipping_norm() / count,
       .curvature = mean_curvature(model::properties(plan.loss).curvature, dataset.norm_bound())});

  for (std::int64_t step = 0; step < plan.steps; ++step) {
    means.supervision.step("training", step, plan.steps);
    const auto released = mechanism::release_gaussian(gradient_sum.at(descent.weights()), noise,
                                                      {.step = static_cast<std::uint64_t>(step)},
                                                      means.source, means.reservation);
    std::vector<double> gradient = released.value();
    for (double& value : gradient) value /= count;
    const std::vector<double> before(descent.weights().begin(), descent.weights().end());
    descent.step(gradient);
    trace.record(before, gradient, descent.weights());
  }
  means.supervision.step("training", plan.steps, plan.steps);
  means.reservation.commit();

  TrainedModel trained{model::empty_model(schema, plan.loss), receipt_of(schema, plan)};
  trained.model.coefficients = descent.mean();
  trained.model.noise_deviations = trace.deviations();
  trained.receipt.events = means.reservation.spent();
  trained.receipt.cipher_delta = means.source.cipher_delta();
  if (!means.source.secure()) {
    trained.receipt.randomness = privacy::Randomness::seeded;
    trained.receipt.unprotected_reason =
        "the noise was drawn from a known seed; for tests and experiments only";
  }
  return trained;
}

TrainedModel fit_unprotected(const data::Dataset& dataset, const data::Schema& schema,
                             const GradientPlan& plan, base::ThreadPool& threads,
                             const base::Supervision& supervision) {
  check_columns(dataset, plan);
  const auto fit =
      optimize::minimise_without_protection(dataset, plan.loss, {}, threads, supervision);
  TrainedModel trained{model::empty_model(schema, plan.loss), receipt_of(schema, plan)};
  trained.model.coefficients = fit.weights;
  trained.receipt.unprotected_reason = "trained with epsilon inf: no noise was added";
  return trained;
}

}  // namespace tacet::learn
