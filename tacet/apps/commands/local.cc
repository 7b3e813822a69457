#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/device_options.h"
#include "tacet/apps/task_duration.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_run.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/local/local_simulation.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view local_simulate_examples =
    "  tacet local simulate people.csv --schema s.toml --epsilon 4\n"
    "      each record is a device that trusts nobody: one report each, private before it leaves\n"
    "  tacet local simulate people.csv --schema s.toml --epsilon 1 --mechanism l2_laplace\n"
    "  tacet local simulate people.csv --schema s.toml --epsilon 4 --shuffled\n"
    "      prints the central guarantee too, of a shuffler that you assert\n"
    "\n"
    "Epsilon bounds all that one device sends; with --passes K each of its K reports gets\n"
    "epsilon/K (Gaussian ones more, since they compose for less). With --ledger it is booked "
    "once:\n"
    "every record is in its own reports alone.\n"
    "With fewer than some 10,000 devices or epsilon below 1 next to nothing is learned.\n";

constexpr std::string_view local_plan_examples =
    "  tacet local plan --schema s.toml --epsilon 4\n"
    "  tacet local plan --schema s.toml --epsilon 1 --public-row-count 100000 --json\n"
    "\n"
    "Takes the options of `tacet local simulate`, reads no data and costs nothing.\n";

constexpr std::string_view local_account_examples =
    "  tacet local account --epsilon 4\n"
    "  tacet local account --epsilon 4 --shuffled --reports 100000 --delta 1e-6\n"
    "  tacet local account --epsilon 1 --passes 3      three reports of each device\n"
    "\n"
    "A central figure is printed with --shuffled only, for reports that are all alike.\n";

class LocalSimulate : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "local simulate", "Train on private reports, each record being a device",
            local_simulate_examples);
    run_.declare_data(options);
    devices_.declare(options);
    run_.declare(options);
    options.add("--state", state_, "FILE",
                "Write the learner's state too; when it diverges, the last good one");
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto terms = run_.terms(console, cancel);
    refuse_account(terms);
    auto options = devices_.options();
    const auto pool = TrainingRun::threads(console, devices_.thread_values());
    std::optional<base::AtomicFile> state;
    if (!state_.empty()) {
      check_state();
      state.emplace(state_, run_.overwrite());
      options.keep = [&state](const local::Learner& learner) {
        state->write(local::to_bytes(learner));
        state->commit();
      };
    }
    const auto schema = devices_.schema();
    const auto plan = local::plan_local(schema, options);
    auto training = spelled(learn::resolved_training(plan, local::simulate_devices), console);
    training.schema = schema;
    auto promise = promise_of(plan, options, schema);
    promise.unprotected_reason = run_.unprotected_reason();
    run_.run(
        {.command = name(),
         .plan = training,
         .schema_file = devices_.schema_file(),
         .threads = *pool,
         .terms = terms,
         .further = {.text = promise_text(promise),
                     .json = [&](ordered_json& out) { out["local"] = promise_json(promise); }}},
        console, cancel);
  }

 private:
  /// Reports are proved for devices that report something else, and say nothing of their number.
  static void refuse_account(const std::optional<run::AccountTerms>& terms) {
    if (!terms || terms->adjacency == privacy::Adjacency::replace_one) return;
    throw base::UsageError(
        "reports of devices protect under replace_one alone, and the account '{}' counts {} "
        "budgets, to which that does not convert; nothing was booked and no data were read. Take "
        "an account that counts replace_one: {}",
        terms->data_set, privacy::to_string(terms->adjacency),
        other_account("--adjacency replace_one --epsilon 1 --delta 0"));
  }

  void check_state() const {
    run_.refuse_model_at("--state", state_);
    if (run_.unprotected_reason().empty()) return;
    throw base::UsageError(
        "--state writes a learner without a receipt, where nothing could say that its noise "
        "protects nobody; leave --state or --seed out");
  }

  DeviceOptions devices_;
  TrainingRun run_;
  std::string state_;
};

/// What each mechanism would need and give, by the plan's other settings.
struct MechanismRow {
  std::string mechanism;
  std::optional<local::LocalPlan> plan;
  std::string why_not;
};

std::vector<MechanismRow> compare_mechanisms(const data::Schema& schema,
                                             const local::LocalOptions& options,
                                             const Console& console) {
  std::vector<MechanismRow> rows;
  for (const auto& mechanism : mechanism::local_mechanism_names.all) {
    auto other = options;
    other.mechanism = mechanism.value;
    other.delta.reset();
    if (options.mechanism != mechanism.value) other.certificate.reset();
    if (other.mechanism == mechanism::LocalMechanism::gaussian) {
      other.shuffled = false;
      other.delta = options.delta;
      if (other.delta == 0.0) other.delta.reset();
    }
    MechanismRow row{mechanism.text, std::nullopt, {}};
    try {
      row.plan = local::plan_local(schema, other);
    } catch (const base::Error& error) {
      row.why_not = console.spelled(error.what());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

const local::Certificate* certificate_of(const local::LocalPlan& plan) {
  const auto* banco = std::get_if<local::BancoSettings>(&plan.learner);
  return banco == nullptr ? nullptr : &banco->certificate;
}

ordered_json row_json(const MechanismRow& row) {
  ordered_json out{{"mechanism", row.mechanism}};
  if (!row.plan) {
    out["refused"] = row.why_not;
    return out;
  }
  const auto& randomizer = *row.plan->randomizer;
  const auto& noise = randomizer.noise();
  out["variance"] = noise.variance;
  if (const auto* certificate = certificate_of(*row.plan)) {
    out["certificate"] = local::name_of(certificate->kind);
    out["range"] = certificate->range;
    out["certificate_constant"] = certificate->constant;
  }
  out["report_norm"] = noise.norm ? ordered_json(*noise.norm) : ordered_json(nullptr);
  out["report_bytes"] = randomizer.report_bytes();
  out["expected_candidates"] = randomizer.expected_candidates();
  out["predicted_excess_loss"] = row.plan->predicted_excess;
  out["rounds"] = row.plan->rounds;
  return out;
}

std::string rows_text(const std::vector<MechanismRow>& rows) {
  TextTable table({"  mechanism", "variance", "a", "c", "report norm", "bytes", "candidates",
                   "predicted excess", "rounds"});
  std::string refused;
  for (const auto& row : rows) {
    if (!row.plan) {
      refused += paragraph(fmt::format("{}: {}", row.mechanism, row.why_not));
      continue;
    }
    const auto& randomizer = *row.plan->randomizer;
    const auto& noise = randomizer.noise();
    const auto* certificate = certificate_of(*row.plan);
    const auto number = [](double value) { return fmt::format("{:.4g}", value); };
    table.add({"  " + row.mechanism, number(noise.variance),
               certificate ? number(certificate->range) : "-",
               certificate ? number(certificate->constant) : "-",
               noise.norm ? number(*noise.norm) : "unbounded",
               fmt::format("{}", randomizer.report_bytes()),
               number(randomizer.expected_candidates()), number(row.plan->predicted_excess),
               fmt::format("{}", row.plan->rounds)});
  }
  return table.text() + refused;
}

class LocalPlanCommand : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "local plan", "Print what devices and server would do and cost; reads no data",
            local_plan_examples);
    options.add_records("data", data_, "Not opened; only there so that simulate's line fits",
                        Reading::not_opened, Form::optional);
    devices_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto options = devices_.options();
    const auto schema = devices_.schema();
    const auto plan = local::plan_local(schema, options);
    const auto rows = options.paper() ? std::vector<MechanismRow>{}
                                      : compare_mechanisms(schema, options, console);
    auto training = spelled(learn::resolved_training(plan, local::simulate_devices), console);
    const auto promise = promise_of(plan, options, schema);
    if (console.json()) {
      auto out = plan_json(training);
      for (const auto& row : rows) out["mechanisms"].push_back(row_json(row));
      if (plan.passes == 1) out["expected_seconds"] = local::expected_seconds(plan, {});
      out["local"] = promise_json(promise);
      console.result(json_text(out));
      return;
    }
    auto text = plan_text(training) + "\n" + promise_text(promise);
    if (plan.passes == 1) text += "\n" + duration_text(plan, {});
    if (!rows.empty()) text += "\nMechanisms by these settings\n" + rows_text(rows);
    console.result(text);
  }

 private:
  DeviceOptions devices_;
  std::string data_;
};

class LocalAccount : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "local account", "What reports promise: locally and, if shuffled, to others",
            local_account_examples);
    options.add("--epsilon", epsilons_, "NUMBER,...", "Of one report; several: of several devices",
                Form::list);
    options.add(
        "--mechanism", mechanism_, "NAME",
        "privunit, privunitg, djw, l2_laplace, coordinate_laplace or gaussian [default: privunit]");
    options.offer("--mechanism",
                  {"privunit", "privunitg", "djw", "l2_laplace", "coordinate_laplace", "gaussian"});
    options.add("--passes", passes_, "COUNT", "Reports of each device [default: 1]");
    options.add("--delta", delta_, "NUMBER",
                "Of gaussian, for one report; with --shuffled the central one");
    options.add("--reports", reports_, "COUNT", "Reports collected, for --shuffled");
    options.add("--bound", bound_, "NAME", "Headline of --shuffled: clones21 (proved) or clones22");
    options.offer("--bound", {"clones21", "clones22"});
    declare_shuffling(options, shuffled_, honest_fraction_);
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto promise = asked();
    console.result(console.json() ? json_text(promise_json(promise)) : promise_text(promise));
  }

 private:
  /// The smallest and the largest epsilon that a device has for one report.
  [[nodiscard]] std::pair<double, double> epsilon_range() const {
    if (epsilons_.empty()) throw base::UsageError("--epsilon is missing: what one report promises");
    double min = std::numeric_limits<double>::infinity();
    double largest = 0;
    for (const auto& text : epsilons_) {
      const double value = number_option("--epsilon", text, "a number above 0");
      if (!(value > 0) || std::isinf(value)) {
        throw base::UsageError(
            "--epsilon must be above 0 and finite, got {}; a report without noise promises nothing",
            text);
      }
      min = std::min(min, value);
      largest = std::max(largest, value);
    }
    if (shuffled_ && min != largest) {
      throw base::GuaranteeError(
          "--shuffled needs devices with one and the same epsilon: a report at another one is no "
          "clone of yours, and the theorem does not cover the mixture; account each class of "
          "devices by itself, or leave --shuffled out");
    }
    return {min, largest};
  }

  [[nodiscard]] double resolve_delta(mechanism::LocalMechanism mechanism) const {
    const bool gaussian = mechanism == mechanism::LocalMechanism::gaussian;
    if (delta_.empty()) {
      if (!gaussian && !shuffled_) return 0;
      throw base::UsageError(shuffled_
                                 ? "--delta is missing: the central guarantee needs one above 0"
                                 : "--delta is missing: mechanism gaussian has one above 0");
    }
    const double delta = number_option("--delta", delta_, "a number from 0 to below 1");
    if (!(delta >= 0 && delta < 1)) {
      throw base::UsageError("--delta must be at least 0 and below 1, got {}", delta);
    }
    if (gaussian && delta == 0) {
      throw base::GuaranteeError(
          "mechanism gaussian has a delta above 0: at delta 0 its reports promise nothing; give "
          "one above 0, or take privunit, which is pure");
    }
    if (!gaussian && !shuffled_ && delta > 0) {
      throw base::UsageError(
          "mechanism {} is pure: its delta is 0; leave --delta out, or give --shuffled for a "
          "central guarantee at {}",
          mechanism::local_mechanism_names.of(mechanism), delta);
    }
    return delta;
  }

  [[nodiscard]] DevicePromise asked() const {
    const auto mechanism =
        mechanism::local_mechanism_names.find(mechanism_.empty() ? "privunit" : mechanism_);
    if (!mechanism) throw base::UsageError("--mechanism: there is no '{}'", mechanism_);
    if (!shuffled_ && bound_ != "clones21") {
      throw base::UsageError("--bound is about --shuffled reports; give both");
    }
    if (bound_ != "clones21" && bound_ != "clones22") {
      throw base::UsageError("--bound must be clones21 or clones22, got '{}'", bound_);
    }
    const auto [min, each] = epsilon_range();
    const auto passes = passes_.empty() ? 1 : count_option("--passes", passes_, 1);
    const double share = honest_fraction(shuffled_, honest_fraction_);
    if (shuffled_) local::refuse_shuffling(*mechanism, passes);
    const double delta = resolve_delta(*mechanism);
    const double local_delta = shuffled_ ? 0 : delta;
    const auto count = static_cast<double>(passes);
    DevicePromise promise{
        .mechanism = mechanism::local_mechanism_names.of(*mechanism),
        .epsilon = each,
        .delta = local_delta,
        .contributions = passes,
        .total_epsilon = passes == 1 ? each : std::nextafter(count * each, 1e308),
        .total_delta = passes == 1 ? local_delta : std::nextafter(count * local_delta, 1.0),
        .clones22 = bound_ == "clones22"};
    if (local_delta == 0) promise.total_delta = 0;
    if (min != each) promise.min_epsilon = min;
    if (!shuffled_) {
      if (reports_.empty()) return promise;
      throw base::UsageError("--reports is about --shuffled reports; give both");
    }
    if (reports_.empty()) {
      throw base::UsageError("--reports is missing: how many reports were collected");
    }
    promise.shuffled = {.reports = count_option("--reports", reports_, 1),
                        .local_epsilon = each,
                        .honest_fraction = share,
                        .delta = delta};
    return promise;
  }

  std::vector<std::string> epsilons_;
  std::string mechanism_;
  std::string passes_;
  std::string delta_;
  std::string reports_;
  std::string bound_ = "clones21";
  std::string honest_fraction_;
  bool shuffled_ = false;
};

}  // namespace

std::unique_ptr<Command> make_local_simulate() { return std::make_unique<LocalSimulate>(); }
std::unique_ptr<Command> make_local_plan() { return std::make_unique<LocalPlanCommand>(); }
std::unique_ptr<Command> make_local_account() { return std::make_unique<LocalAccount>(); }

}  // namespace tacet::apps
