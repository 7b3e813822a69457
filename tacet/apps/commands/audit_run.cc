#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/expect_claim.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/apps/training_options.h"
#include "tacet/apps/training_run.h"
#include "tacet/audit/subjects.h"
#include "tacet/audit/training_audit.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/report/page/audit_page.h"

namespace tacet::apps {
namespace {

constexpr std::string_view list_examples =
    "  tacet audit list\n"
    "  tacet audit list --json\n";

class AuditList : public Command {
 public:
  void declare(CommandLine& line) override {
    add(line, "audit list", "List the attacks that `audit run` knows", list_examples);
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    TextTable table({"name", "what is attacked", "pure under", "with delta under", "runs"});
    for (const auto& one : audit::named_audits()) {
      table.add({std::string(one.name), std::string(one.what), to_string(one.pure),
                 to_string(one.with_delta), std::to_string(one.trials)});
    }
    console.result(console.json() ? json_text({{"audits", report::audits_json()}}) : table.text());
  }
};

/// Options that all attacks have.
class AttackOptions {
 public:
  void declare(Options& options) {
    options.heading("Audit");
    options.add("--trials", trials_, "COUNT",
                "Runs on each of the two data sets [default: as audit list says]");
    options.add("--confidence", confidence_, "NUMBER", "Of the measured bound [default: 0.999999]");
    options.add("--audit-seed", seed_, "NUMBER",
                "Where randomness comes from: one seed, one result [default: 0]");
    options.add(
        "--page", page_, "FILE",
        "Also a page with the claimed trade-off curve and what was measured [default: no page]");
    options.flag("--force", force_, "Overwrite that page");
  }

  /// Attacks the subject that `make` makes.
  template <typename Make>
  void attack(const std::string& name, const Make& make, std::int64_t usual_trials,
              base::ThreadPool& threads, const Console& console, const base::CancelToken& cancel) {
    audit::AuditOptions options{.trials = usual_trials};
    if (!trials_.empty()) options.trials = count_option("--trials", trials_, audit::min_trials);
    if (!confidence_.empty()) {
      options.confidence = number_option("--confidence", confidence_, "a number between 0 and 1");
    }
    if (!seed_.empty()) {
      options.seed = static_cast<std::uint64_t>(count_option("--audit-seed", seed_, 0));
    }
    std::optional<base::AtomicFile> page;
    if (!page_.empty()) {
      page.emplace(page_, force_ ? base::Overwrite::allow : base::Overwrite::refuse);
    }
    check_results();
    ProgressLine progress(console);
    const base::Supervision supervision{.progress = &progress, .cancel = &cancel};
    const auto start = std::chrono::steady_clock::now();
    const auto subject = expect_claim([&] { return make(supervision); });
    const auto finding = audit::audit(subject, options, threads, supervision);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    progress.clear();
    const report::AuditResult result{name, subject, finding, taken.count()};
    console.result(console.json() ? json_text(audit_json(result)) : audit_text(result));
    if (page) {
      page->write(report::audit_page(result));
      page->commit();
    }
    const auto fault = report::refutation(result);
    if (!fault.empty()) throw base::GuaranteeError("{}", fault);
  }

 private:
  std::string trials_;
  std::string confidence_;
  std::string seed_;
  std::string page_;
  bool force_ = false;
};

constexpr std::string_view run_examples =
    "  tacet audit run laplace --epsilon 1\n"
    "  tacet audit run gaussian --epsilon 2 --delta 1e-6 --adjacency replace_one --trials 30000\n"
    "\n"
    "Runs a release on two neighbouring data sets that are made up, and tells them apart. Reads\n"
    "no data. Exit code 5 where the claim is refuted. A bound below the claim proves nothing.\n";

class AuditRun : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "audit run", "Attack one kind of release, to prove its epsilon wrong",
                        run_examples);
    options.add("name", name_, "NAME", "What `tacet audit list` lists", Form::required);
    options.add("--epsilon", epsilon_, "NUMBER", "What the release claims [default: 1]");
    options.add("--delta", delta_, "NUMBER", "The same [default: 0 for what is pure, else 1e-5]");
    options.add("--adjacency", adjacency_, "NAME",
                "Neighbours: add_remove, zero_out or replace_one [default: the first it has]");
    options.offer("--adjacency", {"add_remove", "zero_out", "replace_one"});
    options.add("--threads", threads_, "COUNT", "Threads [default: as many as the machine has]");
    attack_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto& known = audit::find_audit(name_);
    const privacy::Guarantee claim{
        epsilon_.empty() ? 1 : number_option("--epsilon", epsilon_, "a number above 0"),
        delta_.empty() ? audit::usual_delta(known)
                       : number_option("--delta", delta_, "a number from 0 to below 1"),
        adjacency_.empty() ? audit::usual_adjacency(known) : privacy::parse_adjacency(adjacency_)};
    learn::ParameterValues values;
    if (!threads_.empty()) values.set("threads", threads_);
    const auto threads = TrainingRun::threads(console, values);
    const auto checked = privacy::checked(claim);
    const auto subject = [&](const base::Supervision&) {
      return audit::subject_of(known, checked);
    };
    attack_.attack(name_, subject, known.trials, *threads, console, cancel);
  }

 private:
  std::string name_;
  std::string epsilon_;
  std::string delta_;
  std::string adjacency_;
  std::string threads_;
  AttackOptions attack_;
};

constexpr std::string_view train_examples =
    "  tacet audit train --schema s.toml --epsilon 1\n"
    "  tacet audit train --schema s.toml --method output --epsilon 2 --trials 5000\n"
    "\n"
    "Takes the options of `tacet train`. Runs that training on records that are made up, in the\n"
    "shape of the schema, with and without a worst-case record. Reads no data, books nothing.\n"
    "Exit code 5 where the claim is refuted. A bound below the claim proves nothing.\n";

class AuditTrain : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "audit train",
                        "Attack a planned training, to prove its epsilon wrong", train_examples);
    training_.declare(options);
    attack_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto request = training_.request();
    choose::check(request);  // before the schema is looked for
    const auto schema = training_.schema();
    const auto plan = expect_claim([&] { return choose::plan(request, schema); });
    learn::ParameterValues values;
    if (const auto given = request.value("threads")) values.set("threads", *given);
    const auto threads = TrainingRun::threads(console, values);
    const auto subject = [&](const base::Supervision& supervision) {
      return audit::training_subject(plan, 1, supervision);
    };
    attack_.attack(plan.method, subject, audit::usual_training_trials, *threads, console, cancel);
  }

 private:
  TrainingOptions training_;
  AttackOptions attack_;
};

}  // namespace

std::unique_ptr<Command> make_audit_list() { return std::make_unique<AuditList>(); }
std::unique_ptr<Command> make_audit_run() { return std::make_unique<AuditRun>(); }
std::unique_ptr<Command> make_audit_train() { return std::make_unique<AuditTrain>(); }

}  // namespace tacet::apps
