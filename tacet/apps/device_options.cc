#include "tacet/apps/device_options.h"

#include <fmt/format.h>

#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/training_options.h"
#include "tacet/base/error.h"
#include "tacet/privacy/decimal.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

/// What must be true for the figures to hold, and nobody can see in a file.
std::vector<std::string> assumptions(const DevicePromise& promise) {
  std::vector<std::string> out{
      "each device clips its gradient, draws its own noise and sends each report once",
      "who takes part, and when, does not depend on the records"};
  if (promise.fitted_schema) {
    out.emplace_back(
        "the schema was fitted from records that somebody held for that: nothing here protects "
        "against whoever did");
  }
  if (!promise.shuffled) return out;
  out.emplace_back(
      "a trusted party assigned the devices to slots by a secret, uniformly random permutation and "
      "stripped names and times");
  out.push_back(fmt::format("a share of {:g} of the devices follows the protocol",
                            promise.shuffled->honest_fraction));
  out.emplace_back("which devices drop out does not depend on the records");
  return out;
}

ordered_json central_json(const DevicePromise& promise) {
  if (!promise.shuffled) return nullptr;
  const auto& given = *promise.shuffled;
  const auto found = local::central_guarantee(given);
  ordered_json out{{"shuffled", true},
                   {"n", found.honest_reports},
                   {"eps0", given.local_epsilon},
                   {"delta", given.delta},
                   {"eps", promise.clones22 ? found.clones22 : found.clones21},
                   {"bound", promise.clones22 ? "clones22" : "clones21"},
                   {"clones21", found.clones21},
                   {"clones22", found.clones22}};
  if (found.closed21) out["closed21"] = *found.closed21;
  if (found.closed22) out["closed22"] = *found.closed22;
  return out;
}

}  // namespace

void declare_shuffling(Options& options, bool& shuffled, std::string& honest_fraction) {
  options.heading("Shuffling");
  options.flag("--shuffled", shuffled,
               "You assert that a trusted party permuted all reports in secret and stripped names "
               "and times: prints what holds against those who see only that");
  options.add(
      "--honest-fraction", honest_fraction, "NUMBER",
      "Share of devices that follow the protocol, above 0 to 1 [default: 1, an assumption]");
  options.heading("Options");
}

double honest_fraction(bool shuffled, const std::string& text) {
  if (text.empty()) return 1;
  if (!shuffled) throw base::UsageError("--honest-fraction is about --shuffled reports; give both");
  const double value = number_option("--honest-fraction", text, "a number above 0 and at most 1");
  if (value > 0 && value <= 1) return value;
  throw base::UsageError("--honest-fraction must be above 0 and at most 1, got {}", value);
}

void DeviceOptions::declare(Options& options) {
  options.add("--schema,-s", schema_, "FILE",
              "Schema file (TOML): which columns count, and their bounds");
  options.heading("Devices and learner");
  for (const auto& parameter : local::local_parameters()) {
    add_parameter(options, parameter, given_);
  }
  declare_shuffling(options, shuffled_, honest_fraction_);
}

local::LocalOptions DeviceOptions::options() const {
  auto options = local::local_options(given_);
  options.shuffled = shuffled_;
  options.honest_fraction = honest_fraction(shuffled_, honest_fraction_);
  return options;
}

data::Schema DeviceOptions::schema() const {
  if (schema_.empty()) {
    throw base::UsageError(
        "--schema is missing: a file that says which columns count and their public bounds, which "
        "server and devices share");
  }
  return data::load_schema(schema_);
}

learn::ParameterValues DeviceOptions::thread_values() const {
  learn::ParameterValues values;
  const auto given = given_.find("threads");
  if (given != given_.end()) values.set("threads", given->second);
  return values;
}

DevicePromise promise_of(const local::LocalPlan& plan, const local::LocalOptions& options,
                         const data::Schema& schema) {
  const auto& spec = plan.randomizer->spec();
  DevicePromise promise{.mechanism = mechanism::local_mechanism_names.of(spec.mechanism),
                        .epsilon = spec.epsilon,
                        .delta = spec.delta,
                        .contributions = plan.passes,
                        .total_epsilon = plan.guarantee.epsilon,
                        .total_delta = plan.guarantee.delta,
                        .fitted_schema = schema.cost.has_value()};
  promise.learner["clip"] = spec.clipping_norm;
  promise.learner["calibration"] = to_string(plan.calibration);
  if (const auto* banco = std::get_if<local::BancoSettings>(&plan.learner)) {
    promise.learner["a"] = banco->certificate.range;
    promise.learner["certificate"] = local::name_of(banco->certificate.kind);
    promise.learner["initial_wealth"] = banco->initial_wealth;
  }
  promise.learner["batch_size"] = plan.batch;
  if (options.shuffled) {
    promise.shuffled = {.reports = plan.rounds * plan.batch,
                        .local_epsilon = spec.epsilon,
                        .honest_fraction = options.honest_fraction,
                        .delta = learn::default_delta(plan.public_row_count)};
  }
  return promise;
}

ordered_json promise_json(const DevicePromise& promise) {
  const bool held = promise.unprotected_reason.empty();
  const auto figure = [&](double value) { return held ? ordered_json(value) : ordered_json(); };
  ordered_json out{{"model", "local"},
                   {"notion", "replace_one"},
                   {"protected", held},
                   {"eps", figure(promise.epsilon)},
                   {"delta", figure(promise.delta)},
                   {"mechanism", promise.mechanism},
                   {"real_arithmetic", false},
                   {"contributions_per_client", promise.contributions},
                   {"eps_total", figure(promise.total_epsilon)},
                   {"delta_total", figure(promise.total_delta)},
                   {"central", held ? central_json(promise) : ordered_json()}};
  if (!held) out["unprotected_reason"] = promise.unprotected_reason;
  if (promise.min_epsilon) out["eps_least"] = *promise.min_epsilon;
  if (!promise.learner.empty()) out.update(promise.learner);
  out["assumptions"] = assumptions(promise);
  return out;
}

std::string promise_text(const DevicePromise& promise) {
  if (!promise.unprotected_reason.empty()) {
    return paragraph(
        fmt::format("Local: nothing is promised to any device, neither here nor after "
                    "a shuffler: {}.",
                    promise.unprotected_reason));
  }
  std::string text = fmt::format(
      "Local: each device sends {} by {}, epsilon {}{}{}; all it sends is ({}, {})-private against "
      "everybody, the server too.",
      promise.contributions == 1 ? std::string("one report")
                                 : fmt::format("{} reports", promise.contributions),
      promise.mechanism,
      promise.min_epsilon ? privacy::rounded_up(*promise.min_epsilon, 6) + " to " : "",
      privacy::rounded_up(promise.epsilon, 6), promise.contributions == 1 ? "" : " each",
      privacy::rounded_up(promise.total_epsilon, 6), privacy::rounded_up(promise.total_delta, 6));
  if (promise.shuffled) {
    const auto found = local::central_guarantee(*promise.shuffled);
    const auto headline = promise.clones22 ? found.clones22 : found.clones21;
    text += fmt::format(
        "\nShuffled, asserted by you: against those who see only the permuted reports, {} of which "
        "are honest, ({}, {}) by {} (clones21 {}, clones22 {}).",
        found.honest_reports, privacy::rounded_up(headline, 6),
        privacy::rounded_up(promise.shuffled->delta, 6), promise.clones22 ? "clones22" : "clones21",
        privacy::rounded_up(found.clones21, 6), privacy::rounded_up(found.clones22, 6));
  }
  text += "\nAssumed:";
  for (const auto& assumption : assumptions(promise)) text += " " + assumption + ";";
  text.back() = '.';
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    out += paragraph(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace tacet::apps
