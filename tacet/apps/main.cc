#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/console.h"
#include "tacet/apps/descriptors.h"
#include "tacet/apps/interrupt.h"
#include "tacet/apps/text_table.h"
#include "tacet/base/core_dumps.h"
#include "tacet/base/error.h"
#include "tacet/base/printable.h"
#include "tacet/base/version.h"

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

/// Options as `--name VALUE`, without the parser's list of what excludes what.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_items_expected() != 0) text += " " + option->get_type_name();
    if (option->get_required() && !option->get_positional()) text += " (required)";
    return text;
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const auto name = make_option_name(option, is_positional) + make_option_opts(option);
    return described(name, make_option_desc(option));
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return described(command->get_name(), command->get_description());
  }

 private:
  /// Two columns, the right one wrapped; a long name has a line of its own.
  static std::string described(const std::string& name, const std::string& text) {
    constexpr std::size_t name_width = 26;
    constexpr std::size_t line_width = 96;
    const std::string indent(name_width + 2, ' ');
    std::string line = "  " + name;
    if (display_width(line) + 2 > indent.size()) {
      line += "\n" + indent;
    } else {
      line.resize(indent.size(), ' ');
    }
    return line + wrapped(text, line_width - indent.size(), indent) + "\n";
  }
};

int exit_code(base::ErrorKind kind) { return static_cast<int>(kind); }

/// On one line, whatever names and texts of files the message holds.
int report(const std::string& where, const std::string& message, base::ErrorKind kind) {
  const auto text = base::printable(fmt::format("{}: {}", where, message)) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
  return exit_code(kind);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Help and version are no errors; everything else the parser throws is the user's mistake.
int report_parse_result(const CLI::App& program, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    program.exit(error);
    flush_results();
    return 0;
  }
  std::string where = "tacet";
  for (auto chosen = program.get_subcommands(); !chosen.empty();
       chosen = chosen.back()->get_subcommands()) {
    where += " " + chosen.back()->get_name();
  }
  auto what = first_line(error.what());
  if (program.get_subcommands().empty() && !program.remaining().empty()) {
    what = fmt::format("there is no command '{}'", program.remaining().front());
  }
  return report(where, fmt::format("{}; see `{} --help`", what, where), base::ErrorKind::usage);
}

int run_command(Command& command) {
  const auto where = "tacet " + command.name();
  try {
    command.run(Console(command.style()), catch_interrupts());
    flush_results();
    return 0;
  } catch (const base::Error& error) {
    return report(where, error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return report(where, "out of memory: the encoded records and the model must fit into it",
                  base::ErrorKind::internal);
  } catch (const std::exception& error) {
    return report(where, fmt::format("internal error: {}; please report it", error.what()),
                  base::ErrorKind::internal);
  }
}

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;

  commands.push_back(make_train());
  commands.push_back(make_plan());
  commands.push_back(make_predict());
  commands.push_back(make_evaluate());
  commands.push_back(make_show());
  commands.push_back(make_account());
  commands.push_back(make_verify());
  commands.push_back(make_quantile());
  commands.push_back(make_schema_draft());
  commands.push_back(make_schema_fit());
  commands.push_back(make_schema_check());
  commands.push_back(make_ledger_init());
  commands.push_back(make_ledger_show());
  commands.push_back(make_ledger_verify());
  commands.push_back(make_ledger_resolve());
  commands.push_back(make_ledger_cap());
  return commands;
}

int run(int argc, char** argv) {
  CLI::App program{"Trains models on sensitive records with proven differential privacy", "tacet"};
  program.set_version_flag("--version", fmt::format("tacet {}", base::version));
  program.formatter(std::make_shared<HelpFormat>());
  program.require_subcommand(1);
  program.footer(examples);
  auto commands = all_commands();
  for (auto& command : commands) command->declare(program);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_parse_result(program, error);
  }
  for (auto& command : commands) {
    if (command->chosen()) return run_command(*command);
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
    return tacet::apps::run(argc, argv);
  } catch (const tacet::base::Error& error) {
    return tacet::apps::report("tacet", error.what(), error.kind());
  } catch (const std::exception& error) {
    return tacet::apps::report("tacet", error.what(), tacet::base::ErrorKind::internal);
  }
}
