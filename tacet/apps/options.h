#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/apps/help_page.h"
#include "tacet/base/parameter_names.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tacet::apps {

/// How an option is given.
enum class Form {
  optional,
  required,
  list,  ///< values apart by commas
};

/// What a command does with the records of a file, of which standard input (`-`) may be one.
enum class Reading {
  once,       ///< as they come
  repeated,   ///< several times, so that what comes through a pipe is kept in memory
  not_opened  ///< never
};

/// What one command may be given. An option fills a variable of the command, which keeps its value
/// where the option is left out, which help shows as the default, and must outlive the command
/// line. Names are "--output,-o", or without dashes for what goes by its place; `kind` is the sort
/// of value that help shows, FILE say.
///
///   options.add("data", data_, "FILE", "File with one record per line", Form::required);
///   options.add("--schema,-s", schema_, "FILE", "Schema of the file");
///   options.flag("--force", force_, "Overwrite the model file");
class Options {
 public:
  /// `typed`: whether it may be the command that was typed; options of others are left out.
  Options(CLI::App& command, HelpPage& page, bool typed)
      : command_(&command), page_(&page), typed_(typed) {}

  void add(const std::string& names, std::string& value, const std::string& kind,
           const std::string& help, Form form = Form::optional);
  /// May be given several times.
  void add(const std::string& names, std::vector<std::string>& values, const std::string& kind,
           const std::string& help, Form form = Form::optional);
  /// For many options of one table: `receive` gets the value.
  void add(const std::string& names, const std::function<void(const std::string&)>& receive,
           const std::string& kind, const std::string& help);
  void flag(const std::string& names, bool& value, const std::string& help);
  /// The words that an option takes, "--format" say: shells complete them.
  void offer(const std::string& name, std::vector<std::string> words) {
    if (typed_) page_->offer(name, std::move(words));
  }
  /// The file of records, and --end-mark for it.
  void add_records(const std::string& name, std::string& file, const std::string& help,
                   Reading reading, Form form = Form::required);
  /// Says what was given as --end-mark, before the records are opened.
  void expect_end_mark() const;
  /// UsageError where a file that the command writes is one that it reads, or writes for another
  /// purpose, however both paths are written: --force is said of an older result, and records may
  /// have no copy.
  void expect_files_apart() const;
  /// Options that follow stand under this heading of the help page. `tacet help COMMAND TOPIC`
  /// shows those of one topic alone.
  void heading(const std::string& title, std::vector<std::string> topics = {});
  /// What `--help` shows where not all is shown: names as "--output".
  void describe(const std::string& topic, std::string text) {
    page_->describe(topic, std::move(text));
  }
  void show_first(std::vector<std::string> names) { page_->show_first(std::move(names)); }
  /// Neither goes with the other.
  void exclude(const std::string& one, const std::string& other);

  /// The command is the one that was typed.
  [[nodiscard]] bool chosen() const;

 private:
  void place(CLI::Option& option);

  CLI::App* command_;
  HelpPage* page_;
  bool typed_;
  std::string heading_ = "Options";
  const std::string* records_ = nullptr;
  std::shared_ptr<std::string> end_mark_ = std::make_shared<std::string>();  // its address stays
  std::vector<std::string> topics_;
};

/// The command line of a program of commands: parses, and prints help.
class CommandLine {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;

  struct About {
    std::string name;
    std::string purpose;
    std::string version;
    std::string examples;
    Texts groups;  ///< of commands with two words: the first one, and what they do
  };

  /// `argv` as main() gets it.
  CommandLine(const About& about, int argc, char** argv);
  ~CommandLine();

  /// A command "show", or "ledger show" of a group, with examples below its help.
  [[nodiscard]] Options command(const std::string& name, const std::string& help,
                                std::string_view examples);

  /// Whether this option is among the words, for a command whose options depend on it.
  [[nodiscard]] bool was_given(const std::string& option) const;

  /// False when help or the version was asked for, as an option or as a command (`tacet help
  /// train`), which it prints. UsageError for what is not allowed.
  [[nodiscard]] bool parse();

  /// `--method gradient` for a parameter of the command that was typed. In backquotes `tacet ledger
  /// cap` for what is done to a ledger or a schema, and `tacet train --method gradient` for a
  /// parameter of training alone. Once parsed, while the line exists.
  [[nodiscard]] base::Spelling spelling() const;

 private:
  /// `tacet help --all --json`, from which manual pages and completions are made.
  [[nodiscard]] bool asks_for_table() const;
  [[nodiscard]] bool typed(const std::string& command) const;
  [[nodiscard]] std::vector<std::string> words();
  void choose_help();

  enum class Help { first, all, topic };

  Texts groups_;
  std::vector<std::string> given_;
  std::unique_ptr<CLI::App> program_;
  std::map<const CLI::App*, HelpPage> pages_;
  Help help_ = Help::first;
  std::string topic_;
};

}  // namespace tacet::apps
