#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/terminal/console.h"
#include "tacet/apps/terminal/process.h"
#include "tacet/base/error.h"
#include "tacet/base/machine.h"
#include "tacet/base/parameter_names.h"
#include "tacet/base/text.h"
#include "tacet/base/version.h"
#include "tacet/data/read/pipes.h"

namespace tacet::apps {
namespace {

constexpr const char* examples =
    "Examples:\n"
    "  tacet train data.csv --schema s.toml --epsilon 1\n"
    "  tacet predict model.json new.csv > predictions.csv\n"
    "  tacet plan --schema s.toml --epsilon 1          what training would do; reads no data\n"
    "\n"
    "Exit codes: 0 done, 1 internal, 2 usage, 3 structure of a file, 4 budget, 5 no guarantee,\n"
    "6 numeric, 7 input or output, 130 interrupted. Results go to standard output, talk to\n"
    "standard error.\n";

/// On one line, whatever names and texts of files the message holds.
int report(const std::string& message, base::ErrorKind kind) {
  const auto text = base::printable(message) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  return static_cast<int>(kind);
}

int run_command(Command& command, const base::Spelling& spelling) {
  const auto failed = [&](const std::string& why, base::ErrorKind kind) {
    return report(
        fmt::format("tacet {}: {}", command.name(), base::spell_parameters(why, spelling)), kind);
  };
  try {
    const auto& interrupts = catch_interrupts();
    data::keep_pipes(interrupts);  // the process ends with its command
    command.prepare();
    command.run(Console(command.style(), spelling), interrupts);
    flush_results();
    return 0;
  } catch (const base::Error& error) {
    return failed(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return failed(
        "out of memory: the encoded records and the model must fit into it; where the command has "
        "the option, `spool=FOLDER` keeps encoded records in a file there",
        base::ErrorKind::internal);
  } catch (const std::exception& error) {
    return failed(fmt::format("internal error: {}; please report it", error.what()),
                  base::ErrorKind::internal);
  }
}

int run(int argc, char** argv) {
  CommandLine line(
      {.name = "tacet",
       .purpose = "Trains models on sensitive records with proven differential privacy",
       .version = std::string(base::version),
       .examples = examples,
       .groups = {{"local", "Learn from devices that trust nobody"},
                  {"schema", "Draft or check a schema"},
                  {"audit", "Attack claims of privacy"},
                  {"ledger", "Keep account of what was spent on data sets"}}},
      argc, argv);
  std::vector<std::unique_ptr<Command>> commands;
  for (auto* make : {make_train,         make_tune,           make_plan,
                     make_predict,       make_evaluate,       make_show,
                     make_report,        make_export,         make_account,
                     make_verify,        make_quantile,       make_describe,
                     make_split,         make_rates,          make_embed,
                     make_neighbours,    make_local_simulate, make_local_plan,
                     make_local_account, make_serve,          make_join,
                     make_local_task,    make_local_enrol,    make_local_revoke,
                     make_local_status,  make_local_model,    make_local_close,
                     make_local_reopen,  make_local_backup,   make_local_merge,
                     make_local_replay,  make_schema_draft,   make_schema_fit,
                     make_schema_check,  make_ledger_init,    make_ledger_show,
                     make_ledger_verify, make_ledger_resolve, make_ledger_cap,
                     make_audit_list,    make_audit_run,      make_audit_train,
                     make_audit_one_run, make_audit_records,  make_audit_memorisation}) {
    commands.push_back(make());
    commands.back()->declare(line);
  }
  try {
    if (!line.parse()) {
      flush_results();
      return 0;
    }
  } catch (const base::UsageError& error) {
    return report(error.what(), error.kind());
  }
  for (auto& command : commands) {
    if (command->chosen()) return run_command(*command, line.spelling());
  }
  return 0;
}

}  // namespace
}  // namespace tacet::apps

int main(int argc, char** argv) {
  // Before anything is opened, and before anything private is in memory.
  if (!tacet::apps::occupy_standard_descriptors()) {
    return static_cast<int>(tacet::base::ErrorKind::io);
  }
  try {
    tacet::base::forbid_core_dumps();
    tacet::apps::survive_file_size_limit();
    return tacet::apps::run(argc, argv);
  } catch (const tacet::base::Error& error) {
    return tacet::apps::report(fmt::format("tacet: {}", error.what()), error.kind());
  } catch (const std::exception& error) {
    return tacet::apps::report(fmt::format("tacet: {}", error.what()),
                               tacet::base::ErrorKind::internal);
  }
}
