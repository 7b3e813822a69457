#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/apps/options.h"
#include "tacet/apps/receipt_notes.h"
#include "tacet/apps/report_option.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/spool_option.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/model_file.h"
#include "tacet/run/forecast.h"

namespace tacet::apps {

/// What a command has to say beside the plan, the guarantee and the coefficients.
struct FurtherResults {
  std::string text;                                         ///< below the guarantee; may be empty
  std::function<void(nlohmann::ordered_json& out)> json{};  ///< adds keys
  bool timed = true;  ///< false: how long it took is kept back, since it tells what stays secret
};

/// What `train` and `local simulate` share: the file with the records, the model file, who pays,
/// where the noise comes from, the run itself and what is printed of it.
class TrainingRun {
 public:
  void declare_data(Options& options);
  void declare(Options& options);

  /// Starts before anything is booked: what the system refuses must cost nothing. UsageError for a
  /// number of threads out of range.
  [[nodiscard]] static std::unique_ptr<base::ThreadPool> threads(
      const Console& console, const learn::ParameterValues& values);

  /// Whether --force was given: for every file that the run writes.
  [[nodiscard]] base::Overwrite overwrite() const {
    return force_ ? base::Overwrite::allow : base::Overwrite::refuse;
  }
  /// UsageError where the file that `option` names is the model file as well: of two results one
  /// would be lost after both were paid for.
  void refuse_model_at(std::string_view option, const std::string& file) const;
  /// The page about the result, for commands that make none but the page.
  [[nodiscard]] const ReportOption& page() const { return page_; }
  /// Why the result will protect nobody, for --seed; else empty.
  [[nodiscard]] std::string unprotected_reason() const { return seed_.unprotected_reason(); }

  /// What this run would leave of the account of --ledger; nothing where that was not given. The
  /// same errors as a run. Nothing is booked.
  [[nodiscard]] std::optional<run::Forecast> forecast(const learn::Training& plan,
                                                      const std::string& schema_file,
                                                      const Console& console,
                                                      const base::CancelToken& cancel) const;

  /// The terms of the account that will pay; nothing where none does.
  [[nodiscard]] std::optional<run::AccountTerms> terms(const Console& console,
                                                       const base::CancelToken& cancel) const {
    return spending_.terms(console, cancel, data_);
  }

  /// Whether --ledger was given.
  [[nodiscard]] bool names_a_ledger() const { return spending_.names_a_ledger(); }

  /// One training: the command that asks for it, its plan, the file of its schema, its threads, and
  /// the terms of the account that pays.
  struct Job {
    const std::string& command;
    const learn::Training& plan;
    const std::string& schema_file;
    base::ThreadPool& threads;
    const std::optional<run::AccountTerms>& terms;
    FurtherResults further = {};
  };
  /// Books, reads, trains, writes the model and prints what was done.
  void run(const Job& job, const Console& console, const base::CancelToken& cancel) const;

 private:
  void warn_before(const Console& console, const learn::Training& plan) const;
  [[nodiscard]] std::unique_ptr<run::Output> open_output(const Console& console) const;
  [[nodiscard]] run::Expense expense_of(const std::string& command, const learn::Training& plan,
                                        const std::string& schema_file) const;
  void report(const Console& console, const Job& job, const model::ModelFile& file,
              double seconds) const;
  [[nodiscard]] nlohmann::ordered_json report_json(const Job& job, const model::ModelFile& file,
                                                   double seconds) const;
  [[nodiscard]] std::string report_text(const Job& job, const model::ModelFile& file,
                                        double seconds, const Console& console) const;

  std::string data_;
  SeedOption seed_;
  std::string output_ = "model.json";
  bool force_ = false;
  bool explain_ = false;
  ReportOption page_;
  SpendingOptions spending_;
  NotesOptions notes_;
  SpoolOption spool_;
};

}  // namespace tacet::apps
