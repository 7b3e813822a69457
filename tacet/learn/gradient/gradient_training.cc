#include <utility>

#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/settle.h"

namespace tacet::learn {
namespace {

std::vector<Setting> settings_of(const GradientPlan& plan) {
  auto settings = loss_settings(plan.loss);
  settings.push_back({"columns", plan.columns});
  if (plan.unprotected()) return settings;
  settings.push_back({"public_row_count", plan.public_row_count});
  settings.push_back({"outputs", plan.outputs, plan.outputs > 1});
  settings.push_back({"clipping_norm", plan.clipping_norm});
  settings.push_back({"noise_multiplier", plan.noise_multiplier});
  settings.push_back({"steps", plan.steps});
  settings.push_back({"step_size", plan.step_size});
  settings.push_back({"momentum", plan.momentum});
  settings.push_back({"averaging", to_string(plan.averaging), false});
  settings.push_back({"average", plan.average, plan.averaging == Averaging::suffix});
  settings.push_back({"sampling", to_string(plan.sampling), plan.rate < 1});
  settings.push_back({"sampling_rate", plan.rate, plan.sampling == BatchSampling::poisson});
  if (plan.batch > 0) settings.push_back({"batch_size", plan.batch});
  if (plan.sampling == BatchSampling::partition)
    settings.push_back({"order_seed", plan.order_seed});
  settings.push_back({"records_a_unit", plan.records_a_unit, plan.records_a_unit > 1});
  settings.push_back({"l2", plan.l2, plan.l2 > 0});
  if (plan.radius) settings.push_back({"radius", *plan.radius});
  if (plan.claim) {
    settings.push_back({"claimed_epsilon", plan.claim->epsilon});
    settings.push_back({"claimed_delta", plan.claim->delta});
  }
  return settings;
}

}  // namespace

Training gradient_training(const data::Schema& schema, const LinearOptions& options) {
  auto plan = plan_gradient(schema, options);
  Training training{.method = plan.unprotected() ? "exact minimiser" : "gradient",
                    .guarantee = plan.guarantee,
                    .events = plan.events,
                    .cipher_delta = plan.cipher_delta,
                    .settings = settings_of(plan),
                    .reasons = plan.reasons,
                    .run = {}};
  training.run = [plan = std::move(plan)](const data::Dataset& dataset, const data::Schema& names,
                                          const TrainingMeans& means) {
    if (!plan.unprotected()) return train_gradient(dataset, names, plan, means);
    const auto fitted = fit_unprotected(dataset, names, plan, means.threads, means.supervision);
    means.reservation.commit();
    return marked_model(names, plan, fitted);
  };
  return training;
}

}  // namespace tacet::learn
