#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/base/error.h"
#include "tacet/local/service/reopen.h"
#include "tacet/local/service/replay.h"
#include "tacet/local/service/shards.h"

namespace tacet::apps {
namespace {

constexpr std::string_view local_status_examples =
    "  tacet local status task.state      how far it is, also while a server runs\n";
constexpr std::string_view local_model_examples =
    "  tacet local model task.state --output model.json\n"
    "\n"
    "At any time: the model is computed from reports that were private when they left a device.\n";
constexpr std::string_view local_backup_examples =
    "  tacet local backup task.state copy.state   also while a server runs\n"
    "\n"
    "docs/how-to/bring-back.md says what a copy lacks, and how to put one back.\n";
constexpr std::string_view local_merge_examples =
    "  tacet local close task.state.0; tacet local close task.state.1\n"
    "  tacet local merge task.state.0 task.state.1 --output merged.state\n"
    "  tacet local model merged.state --output model.json\n"
    "\n"
    "The states of all shards of one task (`tacet local enrol --shards`), closed or finished.\n";
constexpr std::string_view local_close_examples =
    "  tacet local close task.state       no slot and no report is taken any more\n";
constexpr std::string_view local_replay_examples =
    "  tacet local replay task.state            the last round from the reports, bit for bit\n"
    "  tacet local replay task.state --verify   and every round before it\n"
    "\n"
    "Names the rounds that met a bound, if there are any: `tacet local reopen` drops rounds.\n";

constexpr std::string_view local_reopen_examples =
    "  tacet local reopen task.state --from 120     rounds 120, 121, ... teach nothing any more\n"
    "\n"
    "For a task that liars have spoilt: what was received stays on record, its devices have spent\n"
    "their epsilon, and the task goes on with tokens that were not used. Stop the server first.\n";

std::string snapshot_of(const local::Overview& now, const local::Task& task) {
  if (now.finished(task)) return "finished";
  return now.closed.empty() ? "open" : now.closed;
}

/// What these commands have in common: a state.
class StateCommand : public Command {
 protected:
  Options& add_state(CommandLine& line, const std::string& name, const std::string& what_it_does,
                     std::string_view examples) {
    auto& options = add(line, name, what_it_does, examples);
    options.add("state", state_, "STATE", "The server's state file", Form::required);
    return options;
  }
  [[nodiscard]] local::StateFile open(ledger::Access access) const {
    return local::StateFile(state_, access);
  }
  [[nodiscard]] const std::string& state() const { return state_; }

 private:
  std::string state_;
};

/// A model is not handed out without a word of what was done to it.
void warn_of_bounds(const Console& console, const local::Overview& now) {
  if (now.bounded == local::BoundedRounds{}) return;
  console.warn(fmt::format(
      "{} rounds had reports longer than honest devices send, {} would have left the learner's "
      "domain: devices lied, or the scale is wrong{}",
      now.bounded.cut, now.bounded.refused,
      now.diverged ? ". It diverged: the model says nothing" : ""));
}

class LocalStatus : public StateCommand {
 public:
  void declare(CommandLine& line) override {
    add_state(line, "local status", "Say how far a task is", local_status_examples);
  }
  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    auto file = open(ledger::Access::read);
    const auto now = local::overview(file);
    const auto& task = file.task();
    const auto snapshot = snapshot_of(now, task);
    if (console.json()) {
      console.result(json_text({{"task", task.digest},
                                {"state", snapshot},
                                {"tokens", now.tokens},
                                {"reports", now.reports},
                                {"round", now.round},
                                {"rounds", task.plan.rounds},
                                {"batch_size", task.plan.batch},
                                {"dropped_reports", now.dropped},
                                {"rounds_cut", now.bounded.cut},
                                {"rounds_refused", now.bounded.refused},
                                {"diverged", now.diverged}}));
      return;
    }
    console.result(fmt::format(
        "task      {}\nstate     {}{}\ntokens    {}\nreports   {}{}\nround     {} of {}, {} "
        "reports each\nbounded   {} rounds cut, {} refused\n",
        task.digest, snapshot, now.diverged ? ", diverged" : "", now.tokens, now.reports,
        now.dropped == 0 ? "" : fmt::format(", {} of them dropped", now.dropped), now.round,
        task.plan.rounds, task.plan.batch, now.bounded.cut, now.bounded.refused));
  }
};

class LocalModel : public StateCommand {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add_state(line, "local model", "Write the model as it stands", local_model_examples);
    options.add("--output,-o", output_, "FILE", "The model file");
    options.flag("--force", force_, "Overwrite the model file");
    options.flag("--anyway", anyway_, "Also where the task diverged, or before its first round");
  }
  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    auto file = open(ledger::Access::read);
    const auto now = local::overview(file);
    refuse_early(file.task(), now);
    const auto model = local::model_of(file);
    model::save_model(output_, model, force_ ? base::Overwrite::allow : base::Overwrite::refuse);
    warn_of_bounds(console, now);
    console.say(fmt::format("Model after {} of {} rounds written to {}", now.round,
                            file.task().plan.rounds, output_));
  }

 private:
  void refuse_early(const local::Task& task, const local::Overview& now) const {
    const auto learned = now.round * task.plan.batch;  // those of the round under way teach nothing
    if (learned < task.terms.min_reports) {
      throw base::GuaranteeError(
          "the task says that no model is written before the rounds that are done have {} reports "
          "(--min-reports), and they have {}; wait for more",
          task.terms.min_reports, learned);
    }
    if (anyway_) return;
    if (now.diverged) {
      throw base::GuaranteeError(
          "the task diverged: {} of its {} rounds would have left the learner's domain, so that "
          "the "
          "model says nothing: most devices lie, or the scale is wrong. `tacet local reopen` drops "
          "rounds; --anyway writes the model",
          now.bounded.refused, now.round);
    }
    if (now.round > 0) return;
    throw base::GuaranteeError(
        "no round is complete: {} reports have counted, a round has {}; the model would be the one "
        "before all learning. Wait for more, or give --anyway",
        now.reports - now.dropped, task.plan.batch);
  }

  std::string output_ = "model.json";
  bool force_ = false;
  bool anyway_ = false;
};

class LocalBackup : public StateCommand {
 public:
  void declare(CommandLine& line) override {
    auto& options = add_state(line, "local backup", "Copy a state, also while a server writes it",
                              local_backup_examples);
    options.add("copy", copy_, "COPY", "The file to write, which must not exist", Form::required);
  }
  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    open(ledger::Access::read).back_up(copy_);
    auto copy = local::StateFile(copy_, ledger::Access::read);
    console.say(fmt::format("Copied to {}: {} reports", copy_, local::overview(copy).reports));
  }

 private:
  std::string copy_;
};

class LocalMerge : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "local merge", "Join the states of all shards of a task", local_merge_examples);
    options.add("states", states_, "STATE", "The states, each once", Form::required);
    options.add("--output,-o", output_, "FILE", "The new state", Form::required);
  }
  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto merged = local::merge_shards({states_.begin(), states_.end()}, output_);
    console.say(fmt::format(
        "Merged {} states into {}: {} reports{}", states_.size(), output_, merged.reports,
        merged.left_out == 0
            ? std::string()
            : fmt::format(", {} left out that had come before or too late", merged.left_out)));
  }

 private:
  std::vector<std::string> states_;
  std::string output_;
};

class LocalClose : public StateCommand {
 public:
  void declare(CommandLine& line) override {
    add_state(line, "local close", "End a task before its last round", local_close_examples);
  }
  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    auto file = open(ledger::Access::write);
    file.transaction([&] { file.close("closed"); });
    console.say("The task is closed: no slot and no report is taken any more");
  }
};

class LocalReopen : public StateCommand {
 public:
  void declare(CommandLine& line) override {
    auto& options = add_state(line, "local reopen", "Drop the last rounds of a task and go on",
                              local_reopen_examples);
    options.add("--from", from_, "ROUND", "The first round that is dropped; 0 is the first of all",
                Form::required);
  }
  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto from = count_option("--from", from_, 0);
    auto file = open(ledger::Access::write);
    ProgressLine progress(console);
    const auto now = local::reopen(file, from, {&progress, &cancel});
    progress.clear();
    if (console.json()) {
      console.result(json_text(
          {{"task", file.task().digest}, {"round", now.round}, {"dropped_reports", now.dropped}}));
      return;
    }
    console.say(fmt::format(
        "The task goes on with round {}; {} reports stay on record and teach nothing any more",
        now.round, now.dropped));
  }

 private:
  std::string from_;
};

class LocalReplay : public StateCommand {
 public:
  void declare(CommandLine& line) override {
    auto& options = add_state(line, "local replay", "Compute the model again from the reports",
                              local_replay_examples);
    options.flag("--verify", verify_, "Compare every round that was stored");
  }
  void run(const Console& console, const base::CancelToken& cancel) override {
    auto file = open(ledger::Access::read);
    ProgressLine progress(console);
    const auto again = local::replay(
        file, verify_ ? local::ReplayCheck::every_round : local::ReplayCheck::last_round,
        {&progress, &cancel});
    progress.clear();
    if (console.json()) {
      console.result(json_text({{"task", file.task().digest},
                                {"reports", again.reports},
                                {"rounds", again.rounds},
                                {"learner", again.learner},
                                {"bounded_rounds", again.bounded},
                                {"verified", verify_ ? "every round" : "the last round"}}));
      return;
    }
    const auto& bounded = again.bounded;
    console.result(fmt::format(
        "{} reports, {} rounds: {} as stored, bit for bit (learner {})\n{}", again.reports,
        again.rounds, verify_ ? "every round is" : "the last round is", again.learner,
        bounded.empty() ? std::string()
                        : fmt::format("{} rounds met a bound: the first is {}, the last {}\n",
                                      bounded.size(), bounded.front(), bounded.back())));
  }

 private:
  bool verify_ = false;
};

}  // namespace

std::unique_ptr<Command> make_local_status() { return std::make_unique<LocalStatus>(); }
std::unique_ptr<Command> make_local_model() { return std::make_unique<LocalModel>(); }
std::unique_ptr<Command> make_local_backup() { return std::make_unique<LocalBackup>(); }
std::unique_ptr<Command> make_local_merge() { return std::make_unique<LocalMerge>(); }
std::unique_ptr<Command> make_local_close() { return std::make_unique<LocalClose>(); }
std::unique_ptr<Command> make_local_reopen() { return std::make_unique<LocalReopen>(); }
std::unique_ptr<Command> make_local_replay() { return std::make_unique<LocalReplay>(); }

}  // namespace tacet::apps
