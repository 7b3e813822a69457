#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/device_options.h"
#include "tacet/apps/task_duration.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/local/local_plan.h"
#include "tacet/local/local_sgd.h"
#include "tacet/local/protocol/task.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

/// Whether the model after the only round is the point before it: of the learners only the last
/// iterate of local-sgd has taken a step by then.
bool learns_nothing(const local::LocalPlan& plan) {
  const auto* sgd = std::get_if<local::LocalSgdSettings>(&plan.learner);
  return plan.rounds == 1 && (sgd == nullptr || sgd->average != local::SgdAverage::last);
}

constexpr std::string_view local_task_examples =
    "  tacet local task --schema s.toml --epsilon 4 --public-row-count 30000 --output task.json\n"
    "  tacet local task --schema s.toml --epsilon 4 --batch-size 2 --delay 0    for a trial\n"
    "\n"
    "The file says all that server and devices agree on; its SHA-256, which is printed, is its\n"
    "name. Give devices the file or the digest by another way than the server.\n";

class LocalTaskCommand : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "local task", "Write the file that server and devices agree on",
                        local_task_examples);
    devices_.declare(options);
    options.heading("Terms");
    options.add("--largest-norm", largest_norm_, "NUMBER",
                "Devices compute at no model with longer weights [default: 10000]");
    options.add("--staleness", staleness_, "ROUNDS",
                "A report counts so many rounds later [default: 8]");
    options.add("--slot", slot_, "SECONDS", "How long a slot is kept for a device [default: 20]");
    options.add("--slots", slots_, "COUNT",
                "Devices at work at one time; reports beyond a round count in the next ones "
                "[default: 1 + staleness/2 rounds, at least 64 or a hundredth of all]");
    options.add(
        "--delay", delay_, "SECONDS",
        "Devices wait up to this long, at random, before they send [default: 5, at most slot/2]");
    options.add("--min-reports", min_reports_, "COUNT",
                "No model is written before complete rounds have so many reports [default: 0]");
    options.add("--robust-groups", robust_groups_, "COUNT",
                "Against lying devices: the median of the means of so many groups of a round, in a "
                "secret order [default: 0, the mean]");
    options.add("--trim", trim_, "SHARE",
                "Instead of the median the mean of the groups without this share at each end "
                "[default: 0.5, the median]");
    options.add("--contact", contact_, "TEXT", "Whom to ask about the task");
    options.heading("Options");
    options.add("--output,-o", output_, "FILE", "The task file");
    options.flag("--force", force_, "Overwrite the task file");
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto options = devices_.options();
    const auto task = local::make_task(devices_.schema(), devices_.values(), terms());
    base::write_file(output_, task.text, force_ ? base::Overwrite::allow : base::Overwrite::refuse);
    const auto promise = promise_of(task.plan, options, task.schema);
    if (learns_nothing(task.plan)) {
      console.warn(
          "after its only round the model is where it began, all weights 0; give "
          "--learner local-sgd --averaging last, or a smaller --batch-size for more rounds");
    }
    if (console.json()) {
      console.result(
          json_text({{"task", task.digest},
                     {"file", output_},
                     {"rounds", task.plan.rounds},
                     {"batch_size", task.plan.batch},
                     {"report_bytes", task.layout.bytes()},
                     {"slots", task.terms.slots},
                     {"expected_seconds", local::expected_seconds(task.plan, task.terms)},
                     {"local", promise_json(promise)}}));
      return;
    }
    console.say(fmt::format("Task {}: {} rounds of {} reports of {} bytes\n", task.digest,
                            task.plan.rounds, task.plan.batch, task.layout.bytes()) +
                duration_text(task.plan, task.terms) + promise_text(promise) +
                fmt::format("Written to {}", output_));
    console.result(task.digest + "\n");
  }

 private:
  [[nodiscard]] local::TaskTerms terms() const {
    local::TaskTerms terms;
    const auto number = [](const char* name, const std::string& text, double usual) {
      return text.empty() ? usual : number_option(name, text, "a number");
    };
    const auto count = [](const char* name, const std::string& text, std::int64_t usual) {
      return text.empty() ? usual : integer_option(name, text, "a whole number");
    };
    terms.largest_norm = number("--largest-norm", largest_norm_, terms.largest_norm);
    terms.staleness = count("--staleness", staleness_, terms.staleness);
    terms.slot_seconds = count("--slot", slot_, terms.slot_seconds);
    const double usual = std::min(terms.delay_seconds, static_cast<double>(terms.slot_seconds) / 2);
    terms.delay_seconds = number("--delay", delay_, usual);
    terms.slots = slots_.empty() ? 0 : count_option("--slots", slots_, 1);
    terms.min_reports = count("--min-reports", min_reports_, terms.min_reports);
    terms.robust_groups = count("--robust-groups", robust_groups_, terms.robust_groups);
    terms.trim = number("--trim", trim_, terms.trim);
    if (!trim_.empty() && terms.robust_groups == 0) {
      throw base::UsageError("--trim is about --robust-groups; give both");
    }
    terms.contact = contact_;
    return terms;
  }

  DeviceOptions devices_;
  std::string largest_norm_;
  std::string staleness_;
  std::string slot_;
  std::string slots_;
  std::string min_reports_;
  std::string delay_;
  std::string robust_groups_;
  std::string trim_;
  std::string contact_;
  std::string output_ = "task.json";
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_local_task() { return std::make_unique<LocalTaskCommand>(); }

}  // namespace tacet::apps
