#include "tacet/apps/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>

#include "tacet/apps/option_table.h"
#include "tacet/apps/report_option.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/base/error.h"
#include "tacet/base/text.h"
#include "tacet/data/read/pipes.h"
#include "tacet/learn/plan/parameters.h"

namespace tacet::apps {
namespace {

constexpr std::size_t line_width = 96;

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

/// An empty text would be as if nothing were given: `--ledger "$L"` without L would book nothing.
std::string refuse_empty(const std::string& value) {
  return value.empty() ? "the value is empty; give one, or leave the option out" : "";
}

void set(CLI::Option& option, const std::string& kind, Form form) {
  option.type_name(kind);
  option.check(refuse_empty);
  option.required(form == Form::required);
  if (form == Form::list) option.check(base::empty_part_fault);
}

/// Lists are cut here: the parser drops empty parts, and takes the next word for a list of nothing
/// else.
CLI::Option& add_lists(CLI::App& command, const std::string& names,
                       std::vector<std::string>& values, const std::string& help) {
  const auto receive = [&values](const std::vector<std::string>& lists) {
    for (const auto& list : lists) {
      const auto parts = base::split_at_commas(list);
      values.insert(values.end(), parts.begin(), parts.end());
    }
  };
  auto& option = *command.add_option_function<std::vector<std::string>>(names, receive, help);
  option.allow_extra_args(false);  // files follow
  return option;
}

/// What the variable holds before the option is read, unless the text already says what holds then.
std::string with_default(const std::string& help, const std::string& value) {
  if (value.empty() || help.find("[default: ") != std::string::npos) return help;
  return fmt::format("{} [default: {}]", help, value);
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

/// The names of commands as they are typed after `program`.
std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const auto* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string no_command(const CLI::App& program, const std::string& before,
                       const std::string& word) {
  return fmt::format("there is no command '{}{}'{}", before, word,
                     base::did_you_mean(word, command_names(program)));
}

/// Options of another command that a user may look for under their name; empty for others.
std::string_view done_otherwise(const CLI::App& command, std::string_view name) {
  if (command.get_name() != "train" && command.get_name() != "plan") return {};
  if (name != "--select-vocabulary" && name != "--vocabulary-epsilon") return {};
  return ": a table's ids and words are hashed into public buckets and need no list; "
         "--feature-selection 0.3 finds privately which of the buckets are worth having (tacet "
         "embed finds lists)";
}

/// What the library names by what it is done to: `ledger.cap`, by the command that does it.
std::optional<std::string> command_of(const CLI::App& program, std::string_view operation) {
  const auto dot = operation.find('.');
  const std::string group(operation.substr(0, dot));
  // An account is made together with its ledger's file here.
  const auto own = operation == "ledger.enrol" ? "init" : std::string(operation.substr(dot + 1));
  for (const auto* parent : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (parent->get_name() != group) continue;
    const auto names = command_names(*parent);
    if (std::ranges::find(names, own) == names.end()) continue;
    return fmt::format("`{} {} {}`", program.get_name(), group, own);
  }
  return std::nullopt;
}

const CLI::App& chosen_command(const CLI::App& program) {
  const CLI::App* command = &program;
  for (auto chosen = program.get_subcommands(); !chosen.empty();
       chosen = command->get_subcommands()) {
    command = chosen.back();
  }
  return *command;
}

/// What was typed and belongs to nothing; empty where everything did.
std::string misplaced(const CLI::App& command) {
  const auto rest = command.remaining(true);
  for (const auto& word : rest) {
    if (word.size() < 2 || word[0] != '-') continue;
    const auto name = word.substr(0, word.find('='));
    const auto otherwise = done_otherwise(command, name);
    if (!otherwise.empty()) return fmt::format("there is no option '{}'{}", name, otherwise);
    return fmt::format("there is no option '{}'{}", name,
                       base::did_you_mean(name, option_names(command)));
  }
  if (rest.empty()) return {};
  const std::string& first = rest.front();
  const bool records = first.ends_with(".csv") || first.ends_with(".tsv") ||
                       first.ends_with(".txt") || first.ends_with(".gz");
  return fmt::format("'{}' is one argument too many{}", first,
                     records ? "; one file of records is read: append the others to it without "
                               "their line of names, or pipe all of them and give -"
                             : "");
}

/// The mistake in the command line, and where help is found.
std::string mistake(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App* command = &program;
  std::string before;
  for (auto chosen = program.get_subcommands(); !chosen.empty();
       chosen = chosen.back()->get_subcommands()) {
    command = chosen.back();
    before += command->get_name() + " ";
  }
  const auto where = before.empty()
                         ? program.get_name()
                         : program.get_name() + " " + before.substr(0, before.size() - 1);
  const auto rest = command->remaining();
  const bool block = command_names(*command).empty();
  std::string what;
  if (!block && !rest.empty() && rest.front()[0] != '-') {
    what = no_command(*command, before, rest.front());
  } else if (what = misplaced(*command); what.empty()) {
    const std::string words = error.what();
    what = words.substr(0, words.find('\n'));
    if (!block) what = "a command is missing";
  }
  return fmt::format("{}: {}; see `{} --help`", where, what, where);
}

/// An option of a command that names files: "--schema", or "model" for what goes by its place.
std::string shown_name(const CLI::Option& option) {
  const auto& names = option.get_lnames();
  return names.empty() ? option.get_name(true) : "--" + names.front();
}

}  // namespace

void Options::heading(const std::string& title, std::vector<std::string> topics) {
  heading_ = title;
  topics_ = std::move(topics);
}

void Options::place(CLI::Option& option) {
  option.group(heading_);
  if (!option.get_lnames().empty()) page_->add("--" + option.get_lnames().front(), topics_);
}

void Options::add(const std::string& names, std::string& value, const std::string& kind,
                  const std::string& help, Form form) {
  if (!typed_) return;
  auto& option = *command_->add_option(names, value, with_default(help, value));
  set(option, kind, form);
  place(option);
}

void Options::add(const std::string& names, std::vector<std::string>& values,
                  const std::string& kind, const std::string& help, Form form) {
  if (!typed_) return;
  auto& option = form == Form::list ? add_lists(*command_, names, values, help)
                                    : *command_->add_option(names, values, help);
  set(option, kind, form);
  place(option);
}

void Options::add(const std::string& names, const std::function<void(const std::string&)>& receive,
                  const std::string& kind, const std::string& help) {
  if (!typed_) return;
  auto& option = *command_->add_option_function(names, receive, help);
  set(option, kind, Form::optional);
  place(option);
}

void Options::add_records(const std::string& name, std::string& file, const std::string& help,
                          Reading reading, Form form) {
  std::string more;
  if (reading == Reading::once) more = "; - is standard input";
  if (reading == Reading::repeated) more = "; - is standard input, which is kept in memory";
  add(name, file, "FILE", help + more, form);
  add("--end-mark", *end_mark_, "TEXT",
      "The last line must be this text, which is not a record. A pipe whose writer died ends "
      "without it");
  records_ = &file;
}

void Options::expect_end_mark() const {
  if (records_ != nullptr && !end_mark_->empty()) data::expect_end_mark(*records_, *end_mark_);
}

void Options::flag(const std::string& names, bool& value, const std::string& help) {
  if (typed_) place(*command_->add_flag(names, value, help));
}

void Options::exclude(const std::string& one, const std::string& other) {
  if (typed_) command_->get_option(one)->excludes(command_->get_option(other));
}

void Options::expect_files_apart() const {
  const std::set<std::string> written{"--output", "--train-output", "--test-output", "--report",
                                      "--page"};
  const std::set<std::string> read{"--schema", "--grid", "--task"};
  const auto files = command_->get_options([](const CLI::Option* option) {
    return option->get_type_name() == "FILE" && option->count() > 0;
  });
  for (const auto* output : files) {
    const auto name = shown_name(*output);
    if (!written.contains(name)) continue;
    const auto& file = output->results().front();
    std::error_code none;
    const bool is_new = !std::filesystem::exists(file, none);
    for (const auto* other : files) {
      // What is not there is nobody's input, and of the records then not even the name is looked
      // up.
      if (other == output || (is_new && !written.contains(shown_name(*other)))) continue;
      if (std::ranges::none_of(other->results(),
                               [&](const auto& one) { return same_place(one, file); })) {
        continue;
      }
      const auto its_name = shown_name(*other);
      if (written.contains(its_name)) {
        throw base::UsageError(
            "{} and {} name one file, '{}': one would overwrite the other; give two names",
            std::max(name, its_name), std::min(name, its_name), file);
      }
      if (!other->get_positional() && !read.contains(its_name)) continue;
      throw base::UsageError("{} would overwrite the {} '{}'; name another file", name,
                             its_name == "data"        ? "records"
                             : other->get_positional() ? its_name
                                                       : "file of " + its_name,
                             file);
    }
  }
}

bool Options::chosen() const { return command_->parsed(); }

CommandLine::CommandLine(const About& about, int argc, char** argv)
    : groups_(about.groups),
      given_(argv + std::min(argc, 1), argv + argc),
      program_(std::make_unique<CLI::App>(about.purpose, about.name)) {
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
  return Options(*command, pages_[command], typed(name));
}

bool CommandLine::was_given(const std::string& option) const {
  return std::ranges::any_of(given_, [&](const std::string& word) {
    return word == option || word.starts_with(option + "=");
  });
}

bool CommandLine::asks_for_table() const {
  return given_ == std::vector<std::string>{"help", "--all", "--json"};
}

/// All words of its name were given, wherever they stand.
bool CommandLine::typed(const std::string& command) const {
  if (asks_for_table()) return true;
  std::istringstream names(command);
  return std::all_of(std::istream_iterator<std::string>(names), {}, [&](const auto& word) {
    return std::ranges::find(given_, word) != given_.end();
  });
}

/// `help` and `version` are commands, too: "help train" is "train --help", and "help train
/// gradient" its page about one topic.
std::vector<std::string> CommandLine::words() {
  auto words = given_;
  for (auto& word : words) {
    if (word == "--") break;
    if (word != "--help-all") continue;
    word = "--help";
    help_ = Help::all;
  }
  if (words.empty()) return words;
  if (words[0] == "version") words[0] = "--version";
  if (words[0] != "help") return words;
  words.erase(words.begin());
  const CLI::App* place = program_.get();
  std::string before;
  for (auto word = words.begin(); word != words.end() && !word->starts_with('-'); ++word) {
    const auto names = command_names(*place);
    if (std::ranges::find(names, *word) == names.end()) {
      const auto page = pages_.find(place);
      if (page == pages_.end() || page->second.topics().empty()) {
        throw base::UsageError("tacet help: {}; see `tacet --help`",
                               no_command(*place, before, *word));
      }
      const auto topics = page->second.topics();
      if (std::ranges::find(topics, *word) == topics.end()) {
        throw base::UsageError("tacet help: there is no method '{}'{}; see `tacet {}--help-all`",
                               *word, base::did_you_mean(*word, topics), before);
      }
      topic_ = *word;
      help_ = Help::topic;
      words.erase(word, words.end());
      break;
    }
    place = place->get_subcommand(*word);
    before += *word + " ";
  }
  words.emplace_back("--help");
  return words;
}

/// What the page that was asked for leaves out.
void CommandLine::choose_help() {
  CLI::App* command = program_.get();
  auto typed = program_->get_name();
  for (auto chosen = program_->get_subcommands(); !chosen.empty();
       chosen = command->get_subcommands()) {
    command = chosen.back();
    typed += " " + command->get_name();
  }
  const auto page = pages_.find(command);
  if (page == pages_.end()) return;
  const auto leave_out = [&](const std::vector<std::string>& names) {
    for (const auto& name : names) command->get_option(name)->group("");
    return !names.empty();
  };
  if (help_ == Help::topic) {
    leave_out(page->second.not_of(topic_));
    command->footer(wrapped(page->second.described(topic_), line_width, ""));
  } else if (help_ == Help::first && leave_out(page->second.not_first())) {
    command->footer(page->second.where_the_rest_is(typed) + "\n\n" + command->get_footer());
  }
}

bool CommandLine::parse() {
  // For the list of commands, at its end; words() takes them before anything is parsed.
  program_->add_subcommand("help", "Print the help page of a command: tacet help train");
  program_->add_subcommand("version", "Print the version");
  if (asks_for_table()) {
    const auto text = option_table(*program_, pages_) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    return false;
  }
  auto given = words();
  std::ranges::reverse(given);  // as the parser takes them
  try {
    program_->parse(std::move(given));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw base::UsageError(mistake(*program_, error));
    choose_help();
    // Help or the version. Not to std::cout, which is flushed there and keeps a failure to itself.
    std::ostringstream page;
    program_->exit(error, page, page);
    const auto text = page.str();
    std::fwrite(text.data(), 1, text.size(), stdout);
    return false;
  }
  return true;
}

base::Spelling CommandLine::spelling() const {
  return [program = program_.get(), command = &chosen_command(*program_)](
             std::string_view name,
             std::optional<std::string_view> value) -> std::optional<std::string> {
    if (name.find('.') != name.npos) return command_of(*program, name);
    auto option = "--" + std::string(name);
    std::ranges::replace(option, '_', '-');
    const auto written = value ? fmt::format("{} {}", option, *value) : option;
    if (command->get_option_no_throw(option) != nullptr) return written;
    // A message may name the method or options with which a model could be trained.
    if (learn::find_parameter(option.substr(2)) == nullptr) return std::nullopt;
    return fmt::format("`{} train {}`", program->get_name(), written);
  };
}

}  // namespace tacet::apps
