#include "tacet/choose/recorded_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/choose/score.h"
#include "tacet/learn/method.h"
#include "tacet/learn/model_check.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/event_tree.h"

namespace tacet::choose {
namespace {

namespace in_receipt = recorded_setting;

/// The receipt that the chosen run had, for its own method to judge.
privacy::Receipt run_receipt(const privacy::Receipt& choice,
                             learn::RecordedParameters& parameters) {
  auto run = choice;
  run.algorithm = parameters.text(in_receipt::method);
  run.sampling = parameters.text(in_receipt::run_sampling);
  run.calibration = parameters.text(in_receipt::run_calibration);
  // Only methods that go by the number of their records confirm it.
  run.public_row_count = parameters.count(in_receipt::run_rows, learn::Looking::assumes);
  run.guarantee.epsilon = parameters.real(in_receipt::run_epsilon);
  // Only the price of a run is held against it, which is left to be named as not checked.
  run.guarantee.delta = parameters.real(in_receipt::run_delta, learn::Looking::assumes);
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

/// The same where the model of all zeros came out: what a run says before its own settings.
void describe_zero(privacy::Receipt& choice, const learn::Training& first) {
  auto parameters = nlohmann::json::parse(choice.parameters);
  parameters[in_receipt::candidate] = in_receipt::zero_model;
  learn::MethodPlan own = first;
  learn::SettingList(own).problem({.receipt = false});
  for (const auto& setting : own.settings) {
    if (!setting.shown.receipt) continue;
    std::visit([&](const auto& value) { parameters[setting.name] = value; }, setting.value);
  }
  if (choice.privacy_unit != learn::single_record) {
    const std::string name(learn::max_records_per_unit_name);
    const auto unit = std::ranges::find(first.settings, name, &learn::Setting::name);
    if (unit == first.settings.end()) {
      throw base::InternalError("a run that protects units says nothing of their records");
    }
    std::visit([&](const auto& value) { parameters[name] = value; }, unit->value);
  }
  choice.parameters = parameters.dump();
}

}  // namespace

learn::TrainedModel chosen_model(const learn::MethodPlan& plan, const learn::Training& first,
                                 const ChosenRun& chosen, const learn::TrainingContext& context) {
  learn::TrainedModel result{model::empty_model(first.schema, plan.loss),
                             learn::finished_receipt(plan, context), first.schema};
  if (chosen.trained == nullptr || !is_finite(chosen.trained->model)) {
    describe_zero(result.receipt, first);
    return result;
  }
  describe_run(result.receipt, chosen.trained->receipt, chosen.name);
  result.model = std::move(chosen.trained->model);
  result.model.noise_stddevs.clear();
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
    const auto events =
        learn::recorded_releases(learn::find_method(run.algorithm), run, parameters, part);
    return learn::same_releases(events, part);
  } catch (const learn::TooLongToCheck&) {
    throw;
  } catch (const base::Error&) {
    return false;
  }
}

void expect_run_cost(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                     const privacy::Event& part, bool tight) {
  constexpr double roundings = 1 + 1e-9;
  constexpr double min = 0.9;
  const double stated = parameters.real(in_receipt::run_epsilon);
  const double run_delta = parameters.real(in_receipt::run_delta, learn::Looking::assumes);
  const double cost =
      accounting::epsilon(part, choice.guarantee.adjacency, privacy::Delta(run_delta));
  if (cost <= stated * roundings && (!tight || cost >= min * stated)) return;
  throw base::DataError("a run of the events costs epsilon {:.6g}, where the receipt says {:.6g}",
                        cost, stated);
}

void expect_run(const privacy::Receipt& choice, learn::RecordedParameters& parameters,
                const privacy::Event& part) {
  const auto tight = to_string(learn::Calibration::tight);
  if (chose_zero(parameters)) {
    return expect_run_cost(choice, parameters, part, choice.calibration == tight);
  }
  if (!leads_to(choice, parameters, part)) {
    throw base::DataError("no run of the events is that of the candidate {}",
                          parameters.text(in_receipt::candidate));
  }
  auto run = run_receipt(choice, parameters);
  run.events = part;
  learn::check_recorded_run(run, learn::find_method(run.algorithm));
  expect_run_cost(choice, parameters, part, run.calibration == tight);
}

void check_chosen_file(const privacy::Receipt& choice, const model::ModelFile& file,
                       learn::RecordedParameters& parameters) {
  if (chose_zero(parameters)) {
    if (std::ranges::all_of(file.model.coefficients, [](double value) { return value == 0; })) {
      return;
    }
    throw base::DataError("the receipt is about the model of all zeros, but the model has others");
  }
  const auto run = run_receipt(choice, parameters);
  if (const auto& method = learn::find_method(run.algorithm); method.check_file != nullptr) {
    method.check_file(run, file, parameters);
  }
  static_cast<void>(privacy::holds_somewhere(choice.events, [&](const privacy::Event& part) {
    const bool chosen = leads_to(choice, parameters, part);
    if (chosen) learn::check_loss_bounds(part, file);
    return chosen;
  }));
}

}  // namespace tacet::choose
