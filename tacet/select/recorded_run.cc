#include "tacet/select/recorded_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/select/score.h"

namespace tacet::select {
namespace {

namespace in_receipt = recorded_setting;

/// The receipt that the chosen run had, for its own method to judge.
privacy::Receipt run_receipt(const privacy::Receipt& choice,
                             learn::RecordedParameters& parameters) {
  auto run = choice;
  run.algorithm = parameters.text(in_receipt::method);
  run.sampling = parameters.text(in_receipt::run_sampling);
  run.calibration = parameters.text(in_receipt::run_calibration);
  run.public_row_count = parameters.count(in_receipt::run_rows);
  run.guarantee.epsilon = parameters.real(in_receipt::run_epsilon);
  run.guarantee.delta = parameters.real(in_receipt::run_delta);
  return run;
}

/// Writes into the receipt of a choice what the chosen run says of itself.
void describe_run(privacy::Receipt& choice, const privacy::Receipt& run, const std::string& name) {
  auto parameters = nlohmann::json::parse(run.parameters);
  parameters.update(nlohmann::json::parse(choice.parameters));
  parameters[in_receipt::candidate] = name;
  parameters[in_receipt::method] = run.algorithm;
  parameters[in_receipt::run_sampling] = run.sampling;
  parameters[in_receipt::run_calibration] = run.calibration;
  choice.parameters = parameters.dump();
}

/// The same where the model of all zeros came out.
void describe_zero(privacy::Receipt& choice, const model::LinearModel& zero) {
  auto parameters = nlohmann::json::parse(choice.parameters);
  parameters[in_receipt::candidate] = in_receipt::zero_model;
  parameters["loss"] = model::loss_name(zero.loss);
  choice.parameters = parameters.dump();
}

}  // namespace

void check_reading(const learn::Training& training) {
  const auto releases = [](const learn::Setting& setting) {
    return setting.name == "columns_kept_noise_multiplier" ||
           setting.name == "standardise_noise_multiplier";
  };
  if (!training.raw_schema && !training.first &&
      std::ranges::none_of(training.settings, releases)) {
    return;
  }
  throw base::UsageError(
      "columns-kept and standardise change how records are read by what is released of them, which "
      "the runs of a private choice share; leave them out here");
}

learn::TrainedModel chosen_model(const learn::Settled& plan, ZeroModel zero,
                                 const ChosenRun& chosen, const learn::TrainingMeans& means) {
  const auto unit = zero.schema.unit.value_or("record");
  learn::TrainedModel result{std::move(zero.model), learn::finished_receipt(plan, unit, means),
                             zero.schema};
  if (chosen.trained == nullptr || !is_finite(chosen.trained->model)) {
    describe_zero(result.receipt, result.model);
    return result;
  }
  describe_run(result.receipt, chosen.trained->receipt, chosen.name);
  result.model = std::move(chosen.trained->model);
  result.model.noise_deviations.clear();
  result.schema = std::move(chosen.trained->schema);
  return result;
}

bool chose_zero(learn::RecordedParameters& parameters) {
  return parameters.text(in_receipt::candidate) == in_receipt::zero_model;
}

bool leads_to(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
              const privacy::Event& part) {
  try {
    const auto run = run_receipt(choice, parameters);
    const auto events = learn::find_method(run.algorithm).recorded_events(run, parameters, part);
    return learn::same_releases(events, part);
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace tacet::select
