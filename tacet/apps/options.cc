#include "tacet/apps/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tacet/apps/terminal/text_table.h"
#include "tacet/base/error.h"

namespace tacet::apps {
namespace {

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

void set(CLI::Option& option, const std::string& kind, Form form) {
  option.type_name(kind);
  option.required(form == Form::required);
  if (form == Form::list) option.delimiter(',');
}

/// The group of commands, added with the first of them.
CLI::App& group(CLI::App& program, const std::string& name, const CommandLine::Texts& groups) {
  for (auto* known : program.get_subcommands([](CLI::App*) { return true; })) {
    if (known->get_name() == name) return *known;
  }
  std::string help;
  for (const auto& [known, text] : groups) {
    if (known == name) help = text;
  }
  auto* created = program.add_subcommand(name, help);
  created->require_subcommand(1);
  created->footer("");  // the program's own is inherited otherwise
  return *created;
}

/// The mistake in the command line, and where help is found.
std::string mistake(const CLI::App& program, const CLI::ParseError& error) {
  std::string where = program.get_name();
  for (auto chosen = program.get_subcommands(); !chosen.empty();
       chosen = chosen.back()->get_subcommands()) {
    where += " " + chosen.back()->get_name();
  }
  const std::string words = error.what();
  auto what = words.substr(0, words.find('\n'));
  if (program.get_subcommands().empty() && !program.remaining().empty()) {
    what = fmt::format("there is no command '{}'", program.remaining().front());
  }
  return fmt::format("{}: {}; see `{} --help`", where, what, where);
}

}  // namespace

void Options::add(const std::string& names, std::string& value, const std::string& kind,
                  const std::string& help, Form form) {
  set(*command_->add_option(names, value, help), kind, form);
}

void Options::add(const std::string& names, std::vector<std::string>& values,
                  const std::string& kind, const std::string& help, Form form) {
  set(*command_->add_option(names, values, help), kind, form);
}

void Options::add(const std::string& names, const std::function<void(const std::string&)>& receive,
                  const std::string& kind, const std::string& help) {
  set(*command_->add_option_function(names, receive, help), kind, Form::optional);
}

void Options::flag(const std::string& names, bool& value, const std::string& help) {
  command_->add_flag(names, value, help);
}

void Options::exclude(const std::string& one, const std::string& other) {
  command_->get_option(one)->excludes(command_->get_option(other));
}

bool Options::chosen() const { return command_->parsed(); }

CommandLine::CommandLine(const About& about)
    : groups_(about.groups), program_(std::make_unique<CLI::App>(about.purpose, about.name)) {
  program_->set_version_flag("--version", fmt::format("{} {}", about.name, about.version));
  program_->formatter(std::make_shared<HelpFormat>());
  program_->require_subcommand(1);
  program_->footer(about.examples);
}

CommandLine::~CommandLine() = default;

Options CommandLine::command(const std::string& name, const std::string& help,
                             std::string_view examples) {
  const auto blank = name.find(' ');
  const bool alone = blank == std::string::npos;
  auto& parent = alone ? *program_ : group(*program_, name.substr(0, blank), groups_);
  auto* command = parent.add_subcommand(alone ? name : name.substr(blank + 1), help);
  command->footer(fmt::format("Examples:\n{}", examples));
  return Options(*command);
}

bool CommandLine::parse(int argc, char** argv) {
  try {
    program_->parse(argc, argv);
    return true;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw base::UsageError(mistake(*program_, error));
    program_->exit(error);  // prints help or the version
    return false;
  }
}

}  // namespace tacet::apps
