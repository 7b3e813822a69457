#include "tacet/local/protocol/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/base/parameter_names.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/round_noise.h"
#include "tacet/privacy/strict_json.h"

namespace tacet::local {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t task_version = 1;
// A schema may be as long as elsewhere; the rest of a task is short.
constexpr std::size_t max_task_bytes = std::size_t{base::limits::schema_bytes};
constexpr privacy::internal::JsonLimits task_limits{"task", max_task_bytes, 16};

void check_terms(const TaskTerms& terms, const LocalPlan& plan) {
  const auto refuse = [](std::string_view name, std::string_view allowed) {
    throw base::UsageError("{} must be {}", base::parameter_name(name), allowed);
  };
  if (!(terms.largest_norm > 0 && terms.largest_norm <= 1e9)) {
    refuse("largest-norm", "above 0 and at most 1e9");
  }
  if (terms.staleness < 0 || terms.staleness > 1000) refuse("staleness", "0 to 1000 rounds");
  if (terms.slot_seconds < 1 || terms.slot_seconds > 86400) refuse("slot", "1 to 86400 seconds");
  if (!(terms.delay_seconds >= 0 &&
        terms.delay_seconds <= static_cast<double>(terms.slot_seconds) / 2)) {
    refuse("delay", "at least 0 and at most half of the slot, so that reports come in time");
  }
  if (terms.robust_groups == 1 || terms.robust_groups < 0 || terms.robust_groups > plan.batch) {
    refuse("robust-groups", "0 (the plain mean), or 2 to the batch size");
  }
  if (!(terms.trim > 0 && terms.trim <= 0.5)) refuse("trim", "above 0 and at most 0.5, the median");
  if (terms.trim != 0.5 && terms.trim * static_cast<double>(terms.robust_groups) < 1) {
    refuse("trim", "at least one group's share of `robust_groups`, else nothing is left out");
  }
  if (terms.slots < 1 || terms.slots > plan.batch * plan.rounds) {
    refuse("slots", "1 to the number of reports");
  }
  if (terms.min_reports < 0 || terms.min_reports > plan.batch * plan.rounds) {
    refuse("min-reports", "0 to the number of reports that fill all rounds");
  }
  if (terms.contact.size() > 1000) refuse("contact", "at most 1000 bytes of text");
}

/// Every setting of the run in words that determine it, whatever later versions choose by
/// themselves.
learn::OptionValues resolved_values(learn::OptionValues values, const LocalOptions& options,
                                    const LocalPlan& plan) {
  const auto& spec = plan.randomizer->spec();
  const auto put = [&](const char* name, auto value) { values[name] = fmt::format("{}", value); };
  values.erase("threads");
  values.erase("calibration");
  put("epsilon", options.epsilon);
  put("mechanism", mechanism::local_mechanism_names.of(spec.mechanism));
  if (mechanism::reports_direction(spec.mechanism)) {
    put("embedding", mechanism::embedding_names.of(spec.embedding));
  }
  if (!plan.randomizer->pure()) put("delta", plan.guarantee.delta);
  put("passes", 1);
  put("public-row-count", plan.public_row_count);
  put("learner", plan.method);
  put("batch-size", plan.batch);
  put("loss", model::loss_name(plan.loss));
  put("clipping-norm", spec.clipping_norm);
  if (!plan.class_weights_given.empty()) put("class-weights", plan.class_weights_given);
  if (const auto* banco = std::get_if<BancoSettings>(&plan.learner)) {
    put("certificate", name_of(banco->certificate.kind));
    put("averaging", banco->average == PointAverage::anytime ? "anytime" : "uniform");
    put("initial-wealth", banco->initial_wealth);
  } else {
    constexpr std::array averages{"uniform", "suffix", "last"};
    const auto& sgd = std::get<LocalSgdSettings>(plan.learner);
    put("averaging", averages[static_cast<std::size_t>(sgd.average)]);
  }
  return values;
}

ordered_json terms_json(const TaskTerms& terms) {
  return {{"largest_norm", terms.largest_norm},
          {"staleness", terms.staleness},
          {"slot_seconds", terms.slot_seconds},
          {"slots", terms.slots},
          {"delay_seconds", terms.delay_seconds},
          {"robust_groups", terms.robust_groups},
          {"trim", terms.trim},
          {"min_reports", terms.min_reports},
          {"contact", terms.contact}};
}

/// What follows from the settings and the schema, for those who write a client.
ordered_json facts_json(const LocalPlan& plan) {
  const auto& randomizer = *plan.randomizer;
  const auto& spec = randomizer.spec();
  ordered_json out{{"dimension", plan.columns},
                   {"coordinates", randomizer.report_coordinates()},
                   {"mechanism_number", static_cast<int>(spec.mechanism)},
                   {"report_epsilon", spec.epsilon},
                   {"report_delta", spec.delta},
                   {"norm_bits", randomizer.norm_bits()},
                   {"rounds", plan.rounds},
                   {"contributions", plan.passes}};
  if (randomizer.cap()) {
    out["cap_threshold"] = randomizer.cap()->threshold;
    out["cap_scale"] = randomizer.cap()->scale;
    out["smaller_probability"] = randomizer.bit().smaller;
    out["inside_is_smaller"] = randomizer.bit().inside_is_smaller;
  } else if (!mechanism::reports_direction(spec.mechanism)) {
    out["grid_scale"] = randomizer.grid_scale();
  }
  out["report_norm"] = randomizer.noise().max_norm;
  std::visit([&](const auto& learner) { out["domain"] = learner.bounds.domain; }, plan.learner);
  return out;
}

/// No model is longer than what devices take, nor than a mean of models that are not. The bound of
/// a plain mean is not one of medians.
void bound_learner(LocalPlan& plan, const TaskTerms& terms) {
  constexpr double rounding = 0x1p-30;
  const double norm = terms.largest_norm * (1 - rounding);
  std::visit(
      [&](auto& learner) {
        learner.bounds.domain = std::min(learner.bounds.domain, norm);
        if (terms.robust_groups > 0) {
          learner.bounds.report = report_bound(plan.randomizer->noise(), 1);
        }
      },
      plan.learner);
}

Task resolved_task(const data::Schema& schema, const learn::OptionValues& values, TaskTerms terms) {
  auto options = local_options(values);
  if (options.passes != 1) {
    throw base::UsageError(
        "a task asks each device for one report: a token stands for one; leave `passes` out");
  }
  if (options.paper()) {
    throw base::UsageError(
        "a task runs with the tight calibration; leave `calibration` out, or simulate the paper's");
  }
  auto plan = plan_local(schema, options);
  if (terms.slots == 0) terms.slots = default_slots(plan, terms.staleness);
  check_terms(terms, plan);
  bound_learner(plan, terms);
  return {{}, {}, schema, std::move(options), std::move(plan), std::move(terms), {}};
}

void name_task(Task& task, std::string text) {
  task.text = std::move(text);
  task.digest = ledger::sha256(task.text);
  task.layout = frame_layout(task.digest, task.randomizer());
}

ordered_json settings_json(const learn::OptionValues& values) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, value] : values) out[name] = value;
  return out;
}

// ---- reading

TaskTerms terms_of(const ordered_json& json) {
  TaskTerms terms;
  json.at("largest_norm").get_to(terms.largest_norm);
  json.at("staleness").get_to(terms.staleness);
  json.at("slot_seconds").get_to(terms.slot_seconds);
  json.at("slots").get_to(terms.slots);
  json.at("delay_seconds").get_to(terms.delay_seconds);
  json.at("robust_groups").get_to(terms.robust_groups);
  json.at("trim").get_to(terms.trim);
  json.at("min_reports").get_to(terms.min_reports);
  json.at("contact").get_to(terms.contact);
  if (terms.slots == 0) throw base::DataError("'terms' without their number of slots");
  if (terms_json(terms) != json) throw base::DataError("unknown keys or numbers in 'terms'");
  return terms;
}

Task task_of(const ordered_json& json) {
  const auto& version = json.at("tacet_task");
  // A truth value or 1.5 would pass for the number 1.
  if (!version.is_number_integer() || version != task_version) {
    throw base::DataError("a task of version {}; this program reads version {}", version.dump(),
                          task_version);
  }
  if (json.size() != 5) throw base::DataError("unknown keys beside the five of a task");
  learn::OptionValues values;
  for (const auto& [name, value] : json.at("settings").items()) {
    values[name] = value.get<std::string>();
  }
  auto task = resolved_task(data::schema_from_json(nlohmann::json(json.at("schema"))), values,
                            terms_of(json.at("terms")));
  if (resolved_values(values, task.options, task.plan) != values) {
    throw base::DataError("a setting is missing, or not written as tacet writes a task");
  }
  if (facts_json(task.plan) != json.at("facts")) {
    throw base::DataError(
        "its 'facts' do not follow from its settings by this version of tacet; use the version "
        "that wrote it");
  }
  return task;
}

}  // namespace

std::int64_t default_slots(const LocalPlan& plan, std::int64_t staleness) {
  constexpr std::int64_t enough = 64;
  constexpr std::int64_t devices_per_slot = 100;
  const auto all = plan.batch * plan.rounds;
  if (staleness == 0) return std::min(plan.batch, all);
  const auto min = std::min(enough, all / devices_per_slot);
  return std::min(std::max(plan.batch * (1 + staleness / 2), min), all);
}

double expected_seconds(const LocalPlan& plan, const TaskTerms& terms) {
  constexpr double work = 0.2;  // a device's, at least (device/client), and two round trips
  constexpr double server_rate =
      1500;  // slots with their reports, over TLS connections of their own
  const auto reports = static_cast<double>(plan.batch * plan.rounds);
  const auto slots =
      static_cast<double>(terms.slots == 0 ? default_slots(plan, terms.staleness) : terms.slots);
  const double rate = std::min(slots / (terms.delay_seconds / 2 + work), server_rate);
  return std::max(reports / rate, terms.delay_seconds + work);
}

Task make_task(const data::Schema& schema, const learn::OptionValues& values,
               const TaskTerms& terms) {
  const auto asked = resolved_task(schema, values, terms);
  // Resolved again from what is written down, so that a reader comes to the same values.
  const auto resolved = resolved_values(values, asked.options, asked.plan);
  auto task = resolved_task(schema, resolved, terms);
  const ordered_json json{{"tacet_task", task_version},
                          {"settings", settings_json(resolved)},
                          {"terms", terms_json(task.terms)},
                          {"facts", facts_json(task.plan)},
                          {"schema", data::schema_to_json(schema)}};
  name_task(task, json.dump(1) + "\n");
  return task;
}

Task task_from_text(std::string_view text, std::string_view where) {
  try {
    auto task = task_of(privacy::internal::parse_strictly(text, task_limits));
    name_task(task, std::string(text));
    return task;
  } catch (const base::GuaranteeError&) {
    throw;
  } catch (const nlohmann::json::exception& error) {
    throw base::DataError("{}: not a task: {}", where, error.what());
  } catch (const base::Error& error) {
    throw base::DataError("{}: not a sound task: {}", where, error.what());
  }
}

Task load_task(const std::filesystem::path& path) {
  return task_from_text(base::read_file(path, max_task_bytes), path.string());
}

}  // namespace tacet::local
