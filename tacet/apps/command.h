#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/apps/options.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/base/progress.h"

namespace tacet::apps {

/// A command: declares its options, then runs with what was given.
class Command {
 public:
  virtual ~Command() = default;
  /// Adds the command to the command line. Called once, before parsing.
  virtual void declare(CommandLine& line) = 0;
  virtual void run(const Console& console, const base::CancelToken& cancel) = 0;

  [[nodiscard]] bool chosen() const { return options_ && options_->chosen(); }
  /// What has to hold before files are opened: they differ, and records end with their end mark.
  void prepare() const {
    if (!options_) return;
    options_->expect_files_apart();
    options_->expect_end_mark();
  }
  /// The name as it is typed, for example "schema draft".
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] OutputStyle style() const { return style_; }

 protected:
  /// The command with the options that all have, and with examples below its help.
  Options& add(CommandLine& line, const std::string& name, const std::string& what_it_does,
               std::string_view examples);

 private:
  std::optional<Options> options_;
  std::string name_;
  OutputStyle style_;
};

/// Makers of commands, one each; main.cc has their order on the help page.
using Make = std::unique_ptr<Command>();
Make make_train, make_tune, make_plan, make_predict, make_evaluate, make_show, make_report,
    make_export, make_account, make_verify, make_quantile, make_describe, make_split, make_rates,
    make_embed, make_neighbours, make_local_simulate, make_local_plan, make_local_account,
    make_serve, make_join, make_local_task, make_local_enrol, make_local_revoke, make_local_backup,
    make_local_merge, make_local_status, make_local_model, make_local_close, make_local_replay,
    make_local_reopen, make_schema_draft, make_schema_fit, make_schema_check, make_ledger_init,
    make_ledger_show, make_ledger_verify, make_ledger_resolve, make_ledger_cap, make_audit_list,
    make_audit_run, make_audit_train, make_audit_one_run, make_audit_records,
    make_audit_memorisation;

/// A number given as the value of an option; anything else is a UsageError with what is `allowed`.
/// "inf" is read as infinity.
[[nodiscard]] double number_option(std::string_view option, std::string_view text,
                                   std::string_view allowed);
/// The same for a whole number.
[[nodiscard]] std::int64_t integer_option(std::string_view option, std::string_view text,
                                          std::string_view allowed);
/// The same for a whole number of at least `min`.
[[nodiscard]] std::int64_t count_option(std::string_view option, std::string_view text,
                                        std::int64_t min);

}  // namespace tacet::apps
