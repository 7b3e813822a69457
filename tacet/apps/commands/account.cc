#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/apps/account_result.h"
#include "tacet/apps/command.h"
#include "tacet/apps/mechanism_options.h"
#include "tacet/apps/plan_search.h"
#include "tacet/apps/recorded_cost.h"
#include "tacet/apps/shared_options.h"
#include "tacet/base/error.h"
#include "tacet/base/progress.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view account_examples =
    "  tacet account --mechanism gaussian --noise-multiplier 1.1 --sampling-rate 0.004 --steps "
    "9000\n"
    "      --delta 1e-5          the epsilon of 9000 minibatch steps\n"
    "  tacet account --mechanism gaussian --target-epsilon 1 --delta 1e-5 --steps 300\n"
    "                            the noise that 300 releases need\n"
    "  tacet account --mechanism gaussian --noise-multiplier 2 --target-epsilon 1 --delta 1e-5\n"
    "      --sampling-rate 0.01 --find steps\n"
    "                            how many steps epsilon 1 allows\n"
    "  tacet account --mechanism laplace --noise-multiplier 10 --steps 5 --delta 0\n"
    "  tacet account first.json second.json --delta 1e-5\n"
    "                            what two models trained on the same records cost together\n"
    "  tacet account event.json --curve > curve.csv\n"
    "\n"
    "Exactly one of --delta (prints epsilon), --epsilon (prints delta) and --curve goes with a "
    "given\n"
    "mechanism. Epsilon at --delta 0 is the pure one, or inf.\n"
    "The PRG slack, which receipts carry, is not part of these numbers; see `tacet verify`.\n";

constexpr std::string_view delta_range = "a number from 0 to below 1";

/// What to account for.
struct Subject {
  privacy::Event event;
  privacy::Adjacency adjacency;
  ordered_json description;
  std::string privacy_unit = "record";
  bool unbounded = false;               ///< something was released without any noise
  std::string unprotected_reason = {};  ///< of a result among the files that protects nobody
};

Unknown parse_unknown(const std::string& name) {
  if (name == "noise") return Unknown::noise;
  if (name == "steps") return Unknown::steps;
  if (name == "sampling-rate") return Unknown::sampling_rate;
  throw base::UsageError("--find must be noise, steps or sampling-rate, got '{}'", name);
}

class AccountCommand : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "account", "Compute what releases cost, or the noise a cost needs",
                        account_examples);
    options.add("files", files_, "FILE",
                "Models, other results, receipts or events (JSON) to add up instead");
    mechanism_.declare(options);
    options.add("--adjacency", adjacency_, "NAME",
                "Neighbours: add_remove, zero_out or replace_one [default: that of the files, or "
                "add_remove]");
    options.offer("--adjacency", {"add_remove", "zero_out", "replace_one"});
    options.add("--delta", delta_, "NUMBER", "Find epsilon at this delta, 0 for pure privacy");
    options.add("--epsilon", epsilon_, "NUMBER", "Find delta at this epsilon");
    options.add("--target-epsilon", target_epsilon_, "NUMBER",
                "Find what keeps this epsilon at --delta; --find says what");
    options.add("--find", find_, "NAME",
                "What --target-epsilon finds: noise, steps or sampling-rate [default: noise]");
    options.offer("--find", {"noise", "steps", "sampling-rate"});
    options.flag("--curve", curve_, "Print epsilon at many deltas, as CSV (or --json)");
    options.add("--deltas", deltas_, "NUMBER,...",
                "Those of --curve [default: 0 and 1e-12 to 1e-2 by tens]", Form::list);
    patience_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    check_question();
    auto work = patience_.meter(cancel);
    if (!target_epsilon_.empty()) {
      print_solution(console, work);
      return;
    }
    const auto subject = files_.empty() ? from_options() : from_files(console);
    if (curve_) {
      print_curve(console, subject, work);
    } else {
      print_result(console, answer(subject, work));
    }
  }

 private:
  /// One question at a time.
  void check_question() const {
    if (!files_.empty() && !(mechanism_.first_given() + target_epsilon_).empty()) {
      throw base::UsageError(
          "files go with --delta, --epsilon, --curve and --adjacency, not with {}",
          mechanism_.first_given().empty() ? "--target-epsilon" : mechanism_.first_given());
    }
    if (!find_.empty() && target_epsilon_.empty()) {
      throw base::UsageError("--find says what --target-epsilon finds; give both");
    }
    if (!deltas_.empty() && !curve_) {
      throw base::UsageError("--deltas are those of --curve; give both");
    }
    if (!target_epsilon_.empty() && (curve_ || !epsilon_.empty())) {
      throw base::UsageError("--target-epsilon goes with --delta, not with --epsilon or --curve");
    }
    if (curve_ && !(delta_ + epsilon_).empty()) {
      throw base::UsageError("--curve has its own --deltas; leave out --delta and --epsilon");
    }
  }

  [[nodiscard]] privacy::Adjacency adjacency_or(privacy::Adjacency fallback) const {
    return adjacency_.empty() ? fallback : privacy::parse_adjacency(adjacency_);
  }

  [[nodiscard]] Subject from_options() const {
    const auto adjacency = adjacency_or(privacy::Adjacency::add_remove);
    const auto plan = mechanism_.plan(Unknown::none, adjacency);
    if (!curve_ && epsilon_.empty() == delta_.empty()) {
      throw base::UsageError(
          "give one of --delta (to find epsilon), --epsilon (to find delta) and --curve");
    }
    return {.event = plan.event(), .adjacency = adjacency, .description = plan.description()};
  }

  /// Everything in the files together, accounted as one composition.
  [[nodiscard]] Subject from_files(const Console& console) {
    auto cost = read_costs(files_);
    if (!cost.unprotected_reason.empty()) {
      console.warn(fmt::format("PRIVACY: NONE ({}){}", cost.unprotected_reason,
                               cost.unbounded ? ""
                                              : "; what follows is what the noise would cost if it "
                                                "were secret"));
    }
    if (!epsilon_.empty() && !delta_.empty()) {
      throw base::UsageError("give one of --delta (to find epsilon) and --epsilon (to find delta)");
    }
    if (delta_.empty() && epsilon_.empty() && !curve_) {
      if (!cost.delta) {
        throw base::UsageError("--delta is missing: events do not say at which delta to account");
      }
      delta_ = fmt::format("{}", *cost.delta);
    }
    Subject subject{
        .event = std::move(cost.event),
        .adjacency = adjacency_or(cost.adjacency.value_or(privacy::Adjacency::add_remove)),
        .unbounded = cost.unbounded,
        .unprotected_reason = cost.unprotected_reason};
    subject.description["files"] = files_;
    if (!cost.privacy_unit.empty()) {
      subject.privacy_unit = cost.privacy_unit;
      subject.description["privacy_unit"] = cost.privacy_unit;
    }
    return subject;
  }

  [[nodiscard]] AccountResult answer(const Subject& subject, base::WorkMeter& work) const {
    AccountResult result{.subject = subject.description,
                         .found = epsilon_.empty() ? "epsilon" : "delta",
                         .guarantee = {0, 0, subject.adjacency},
                         .interval = {},
                         .privacy_unit = subject.privacy_unit,
                         .unprotected_reason = subject.unprotected_reason};
    auto& guarantee = result.guarantee;
    if (epsilon_.empty()) {
      const privacy::Delta delta(number_option("--delta", delta_, delta_range));
      result.interval = epsilon_at(subject, delta, work);
      guarantee.delta = delta.value();
      guarantee.epsilon = result.interval.upper;
      return result;
    }
    const privacy::Epsilon epsilon(number_option("--epsilon", epsilon_, "a number of at least 0"));
    result.interval = subject.unbounded
                          ? accounting::PrivacyInterval{1, 1, true, "no noise", 1}
                          : accounting::delta_interval(subject.event, subject.adjacency, epsilon,
                                                       {.attained = true, .work = &work});
    guarantee.epsilon = epsilon.value();
    guarantee.delta = result.interval.upper;
    return result;
  }

  [[nodiscard]] static accounting::PrivacyInterval epsilon_at(const Subject& subject,
                                                              privacy::Delta delta,
                                                              base::WorkMeter& work) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (subject.unbounded) return {infinity, infinity, true, "no noise", infinity};
    return accounting::epsilon_interval(subject.event, subject.adjacency, delta,
                                        {.attained = true, .work = &work});
  }

  void print_curve(const Console& console, const Subject& subject, base::WorkMeter& work) const {
    std::vector<EpsilonAtDelta> points;
    for (const double delta : curve_deltas()) {
      points.push_back({delta, epsilon_at(subject, privacy::Delta(delta), work)});
    }
    apps::print_curve(console, subject.description, subject.adjacency, points);
  }

  [[nodiscard]] std::vector<double> curve_deltas() const {
    if (deltas_.empty()) {
      return {0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
    }
    std::vector<double> deltas;
    for (const auto& text : deltas_) {
      deltas.push_back(privacy::Delta(number_option("--deltas", text, delta_range)).value());
    }
    return deltas;
  }

  void print_solution(const Console& console, base::WorkMeter& work) const {
    if (delta_.empty()) throw base::UsageError("--target-epsilon needs --delta");
    const auto unknown = find_.empty() ? Unknown::noise : parse_unknown(find_);
    const auto adjacency = adjacency_or(privacy::Adjacency::add_remove);
    const auto open = mechanism_.plan(unknown, adjacency);
    const privacy::Epsilon target(
        number_option("--target-epsilon", target_epsilon_, "a number above 0"));
    if (std::isinf(target.value())) {
      throw base::UsageError("--target-epsilon must be finite; inf needs no noise");
    }
    const privacy::Delta delta(number_option("--delta", delta_, delta_range));
    const auto plan = solved(open, unknown, {target, delta, adjacency, &work});
    const auto interval = accounting::epsilon_interval(plan.event(), adjacency, delta,
                                                       {.attained = true, .work = &work});
    if (unknown == Unknown::steps && plan.steps == accounting::max_steps_sought) {
      console.warn(
          fmt::format("the search for steps ends at 2^40 = {}; more may keep epsilon {} as well",
                      plan.steps, target.value()));
    }
    const auto found = unknown == Unknown::noise   ? plan.noise_name
                       : unknown == Unknown::steps ? std::string("steps")
                                                   : std::string("sampling_rate");
    print_result(console, {.subject = plan.description(),
                           .found = found,
                           .guarantee = {interval.upper, delta.value(), adjacency},
                           .interval = interval});
  }

  MechanismOptions mechanism_;
  PatienceOption patience_;
  std::vector<std::string> files_;
  std::vector<std::string> deltas_;
  std::string adjacency_;
  std::string target_epsilon_;
  std::string find_;
  std::string epsilon_;
  std::string delta_;
  bool curve_ = false;
};

}  // namespace

std::unique_ptr<Command> make_account() { return std::make_unique<AccountCommand>(); }

}  // namespace tacet::apps
