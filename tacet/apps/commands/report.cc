#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/plan_report.h"
#include "tacet/apps/recorded_cost.h"
#include "tacet/apps/shared_options.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/report/json.h"
#include "tacet/report/page/page.h"
#include "tacet/report/record/gather.h"
#include "tacet/report/text/numbers.h"
#include "tacet/report/text/text.h"

namespace tacet::apps {
namespace {

constexpr std::string_view report_examples =
    "  tacet report model.json                             report.html: one page with pictures\n"
    "  tacet report model.json metrics.json --ledger budget.ledger --data-set survey -o page.html\n"
    "  tacet report --ledger budget.ledger --data-set survey --text\n"
    "  tacet report --plan --schema s.toml --epsilon 0.1,0.5,1,2,4      before anything is spent\n"
    "\n"
    "The page loads nothing and runs no script. It is made of result files and the ledger alone;\n"
    "no file of records is opened but that of --rehearse, which has to be declared public. Every\n"
    "guarantee is computed again: where one does not follow, the page says so in its place, and\n"
    "the exit code is 5.\n";

class ReportCommand : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "report", "Write a page about results and what they cost", report_examples);
    options.add(
        "results", results_, "FILE",
        "Models, noisy metrics, summaries, quantiles, fitted schemas and other results with a "
        "receipt");
    options.add("--ledger", ledger_, "FILE", "Ledger with the account of the records");
    options.add("--data-set", data_set_, "NAME",
                "Name of the account [default: the only one of the ledger]");
    options.add("--output,-o", output_, "FILE",
                "File to write [default: report.html, and none with --text or --json]");
    options.add("--numbers", numbers_, "FOLDER",
                "Also write the numbers of each figure as CSV, and report.json");
    options.flag("--text", text_, "Print the same for a terminal");
    options.add("--only", only_, "SECTION,...",
                fmt::format("Only these sections: {} [default: all]", sections()), Form::list);
    options.flag("--force", force_, "Overwrite existing files");
    patience_.declare(options);
    plan_.declare(options);
    options.show_first({"--ledger", "--data-set", "--output", "--numbers", "--text", "--only",
                        "--force", "--plan", "--rehearse", "--public", "--schema", "--epsilon",
                        "--delta", "--method", "--json", "--quiet"});
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    check();
    const auto overwrite = force_ ? base::Overwrite::allow : base::Overwrite::refuse;
    const bool printed = text_ || console.json();
    if (output_.empty() && !printed) output_ = "report.html";
    // Before anything is computed: whether the result can be stored.
    std::optional<base::AtomicFile> page;
    if (!output_.empty()) page.emplace(output_, overwrite);
    auto work = patience_.meter(cancel);
    const auto report = report::gather(request(console, cancel), work);
    if (!report.banner.empty() && report.refuted.empty()) console.warn(report.banner);
    if (!numbers_.empty()) write_numbers(report, overwrite);
    if (page) {
      page->write(report::report_page(report));
      page->commit();
      console.say(fmt::format("report written to {}", output_));
    }
    if (console.json()) {
      console.result(report::json_text(report::report_json(report)));
    } else if (text_) {
      console.result(report::report_text(report));
    }
    if (!report.refuted.empty()) throw base::GuaranteeError("{}", report.refuted);
  }

 private:
  void check() const {
    plan_.check();
    if (plan_.wanted() && (!results_.empty() || !ledger_.empty())) {
      throw base::UsageError(
          "--plan is about what was not spent yet; report results and accounts by themselves");
    }
    if (results_.empty() && ledger_.empty() && !plan_.wanted()) {
      throw base::UsageError("give result files, or --ledger with --data-set, or both");
    }
    if (ledger_.empty() && !data_set_.empty()) {
      throw base::UsageError("--data-set names an account of --ledger; give both");
    }
  }

  static std::string sections() {
    std::string out;
    for (const auto& id : report::section_ids()) out += (out.empty() ? "" : ", ") + id;
    return out;
  }

  [[nodiscard]] report::ReportRequest request(const Console& console,
                                              const base::CancelToken& cancel) const {
    if (plan_.wanted()) {
      auto planned = plan_.request(console, cancel);
      planned.only = only_;
      return planned;
    }
    report::ReportRequest request{.only = only_};
    for (const auto& result : results_) {
      cancel.throw_if_cancelled();
      const auto path = file_with_receipt(result);
      request.results.push_back({path, base::read_file(path, base::limits::model_bytes)});
    }
    if (!ledger_.empty()) request.account = report::account_in(ledger_, data_set_, &cancel);
    add_commands(request);
    return request;
  }

  void add_commands(report::ReportRequest& request) const {
    std::string files;
    for (const auto& result : results_) {
      const auto path = file_with_receipt(result);
      files += " " + shell_word(path);
      request.commands.push_back({"The verdict on one guarantee, computed from its receipt:",
                                  "tacet verify " + shell_word(path)});
    }
    if (!results_.empty()) {
      request.commands.push_back({"Epsilon at every delta:", "tacet account" + files + " --curve"});
    }
    std::string account;
    if (request.account) {
      const auto ledger = shell_word(ledger_);
      account =
          " --ledger " + ledger + " --data-set " + shell_word(request.account->account.name());
      request.commands.push_back(
          {"The account, run by run:", fmt::format("tacet ledger show {} --data-set {}", ledger,
                                                   shell_word(request.account->account.name()))});
      request.commands.push_back({"Whether the ledger is whole:", "tacet ledger verify " + ledger});
    }
    request.commands.push_back({"The numbers of every figure:",
                                "tacet report" + files + account + " --text --numbers numbers"});
  }

  /// All of them or none that was there before.
  void write_numbers(const report::Report& report, base::Overwrite overwrite) const {
    const std::filesystem::path folder(numbers_);
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw base::IoError("cannot make the folder '{}': {}", numbers_, failed.message());
    const auto files = report::numbers_files(report);
    if (overwrite == base::Overwrite::refuse) {
      for (const auto& file : files) {
        if (std::filesystem::exists(folder / file.name)) {
          throw base::IoError("'{}' exists; give --force to overwrite it",
                              (folder / file.name).string());
        }
      }
    }
    for (const auto& file : files) base::write_file(folder / file.name, file.text, overwrite);
  }

  std::vector<std::string> results_;
  std::vector<std::string> only_;
  std::string ledger_;
  std::string data_set_;
  std::string output_;
  std::string numbers_;
  PatienceOption patience_;
  PlanReport plan_;
  bool text_ = false;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<ReportCommand>(); }

}  // namespace tacet::apps
