#include "tacet/learn/output/output.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/settle.h"
#include "tacet/learn/plan/settled_training.h"
#include "tacet/mechanism/noise/partial_gaussian.h"

namespace tacet::learn {
namespace {

std::vector<Setting> settings_of(const OutputPlan& plan) {
  const auto& sgd = *plan.sgd;
  const auto& problem = sgd.problem();
  const auto& schedule = sgd.schedule();
  auto settings = loss_settings(problem.loss);
  settings.push_back({"columns", problem.columns});
  settings.push_back({"public_row_count", plan.public_row_count});
  settings.push_back({"outputs", problem.outputs, problem.outputs > 1});
  settings.push_back({"steps", schedule.steps()});
  settings.push_back({"batch_size", schedule.batch, schedule.batch > 1});
  settings.push_back({"sampling", to_string(plan.sampling)});
  settings.push_back({"order_seed", plan.order_seed});
  settings.push_back({"step_size", schedule.step_size(1)});
  settings.push_back({"step_decay", plan.step_decay, plan.step_decay > 0});
  const char* const means[] = {"uniform", "suffix", "last", "polynomial"};
  settings.push_back({"averaging", std::string(means[static_cast<int>(plan.weights.kind)])});
  settings.push_back(
      {"averaged", plan.weights.suffix, plan.weights.kind == optimize::IterateMean::suffix});
  settings.push_back({"l2", schedule.l2, schedule.l2 > 0});
  if (problem.clipping_norm) settings.push_back({"clipping_norm", *problem.clipping_norm});
  if (problem.radius) settings.push_back({"radius", *problem.radius});
  settings.push_back(
      {"smoothed", problem.smooth ? std::string("auto") : std::string("off"), !problem.smooth});
  if (!plan.claim) settings.push_back({"weight_scale", plan.weight_scale});
  settings.push_back({"sensitivity", sgd.sensitivity()});
  settings.push_back({"sensitivity_exact", std::string(sgd.exact().exact ? "yes" : "no"), false});
  settings.push_back({"most_visits", sgd.exact().most_visits, false});
  settings.push_back({"noise_multiplier", plan.noise_multiplier, false});
  settings.push_back({"noise_deviation", plan.deviation});
  settings.push_back({"norm_bits", std::int64_t{plan.norm_bits}, false});
  if (plan.predicted_excess) settings.push_back({"predicted_excess_risk", *plan.predicted_excess});
  if (plan.claim) {
    settings.push_back({"claimed_epsilon", plan.claim->epsilon});
    settings.push_back({"claimed_delta", plan.claim->delta});
  }
  return settings;
}

std::string as_json(const std::vector<Setting>& settings) {
  nlohmann::json json;
  for (const auto& setting : settings) {
    std::visit([&](const auto& value) { json[setting.name] = value; }, setting.value);
  }
  return json.dump();
}

}  // namespace

TrainedModel train_output(const data::Dataset& dataset, const data::Schema& schema,
                          const OutputPlan& plan, const TrainingMeans& means) {
  check_row_count(dataset, plan.public_row_count, means);
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(plan.public_row_count));
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  auto mean = plan.sgd->run(dataset, rows, {}, plan.norm_bits, {.block = 0}, means.threads,
                            means.supervision);
  mechanism::BlockGaussian door(privacy::NoiseMultiplier(plan.noise_multiplier), means.reservation);
  const auto released = door.release(std::move(mean), {}, means.source);

  TrainedModel trained{model::empty_model(schema, plan.sgd->problem().loss),
                       blank_receipt("output", schema, plan.guarantee)};
  trained.model.coefficients = released.value();
  // Known exactly: the noise of one release, without anything after it.
  trained.model.noise_deviations.assign(released.value().size(), plan.deviation);
  trained.receipt.parameters = as_json(settings_of(plan));
  trained.receipt.calibration = plan.claim ? "paper" : "tight";
  trained.receipt.sampling = to_string(plan.sampling);
  trained.receipt.public_row_count = plan.public_row_count;
  complete_receipt(trained.receipt, means, plan.cipher_delta);
  return trained;
}

Training output_training(const data::Schema& schema, const LinearOptions& options) {
  if (std::isinf(options.epsilon)) return gradient_training(schema, options);
  auto plan = plan_output(schema, options);
  auto settings = settings_of(plan);
  return settled_training("output", std::move(plan), std::move(settings), train_output);
}

}  // namespace tacet::learn
