#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/local/service/shards.h"
#include "tacet/local/service/state_file.h"

namespace tacet::apps {
namespace {

constexpr std::string_view local_enrol_examples =
    "  tacet local enrol task.json --state task.state --count 1000 > tokens.txt\n"
    "  tacet local enrol task.json --state task.state --count 10 --expire 2030-06-30 > more.txt\n"
    "  tacet local enrol task.json --state task.state --shards 4 --count 1000 > tokens.txt\n"
    "      for four servers, each with a state of its own: task.state.0 to task.state.3\n"
    "\n"
    "Prints that many tokens, one per line, for one report each. They are secrets, and printed "
    "once:\n"
    "the state keeps what recognises them. A server that runs reads new ones on SIGHUP. A token's\n"
    "first digit says which shard takes it: of four, 0 to 3 are the first one's. With shards there "
    "is\n"
    "no model before every token has reported: revoke those that are lost, and enrol others.\n";
constexpr std::string_view local_revoke_examples =
    "  tacet local revoke task.state --token-file lost.txt\n"
    "\n"
    "Takes tokens, one per line, and takes nothing more under them; what counted stays. A server "
    "that\n"
    "runs reads it on SIGHUP.\n";

constexpr std::int64_t max_tokens = std::int64_t{1} << 24;
constexpr std::int64_t max_token_file = std::int64_t{1} << 31;

/// The end of a day "YYYY-MM-DD" in UTC, in milliseconds since 1970.
std::int64_t end_of_day(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  char first = 0;
  char second = 0;
  std::istringstream stream(text);
  const bool read = text.size() == 10 && stream >> year >> first >> month >> second >> day &&
                    first == '-' && second == '-' && stream.peek() == EOF;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!read || !date.ok()) {
    throw base::UsageError("--expire must be a day such as 2030-06-30, got '{}'", text);
  }
  const auto end = std::chrono::sys_days(date) + std::chrono::days(1);
  // In days: nanoseconds of a year such as 2999 do not fit a clock's own duration.
  if (end <= std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())) {
    throw base::UsageError("--expire {} is past: no device could use such a token", text);
  }
  return std::chrono::milliseconds(end.time_since_epoch()).count();
}

class LocalEnrol : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "local enrol", "Print tokens, each of which admits one report",
                        local_enrol_examples);
    options.add("task", task_, "TASK", "The task file", Form::required);
    options.add("--state", state_, "FILE", "The server's state; made when missing", Form::required);
    options.add("--count", count_, "COUNT", "How many [default: 1]");
    options.add("--expire", expire_, "DATE",
                "Nothing is taken under them after this day, in UTC, but for slots given before "
                "[default: never]");
    options.add(
        "--shards", shards_, "COUNT",
        "For so many servers, each with a state of its own: FILE.0, FILE.1, ... [default: 1]");
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto count = count_.empty() ? 1 : count_option("--count", count_, 1);
    if (count > max_tokens) {
      throw base::UsageError("--count must be at most {}, got {}", max_tokens, count);
    }
    const auto expires = expire_.empty() ? 0 : end_of_day(expire_);
    check_results();  // tokens are shown once
    const auto task = local::load_task(task_);
    const auto tokens =
        shards_.empty() ? enrol(task, count, expires) : enrol_in_shards(task, count, expires);
    if (console.json()) {
      console.result(json_text({{"task", task.digest}, {"tokens", tokens}}));
      return;
    }
    std::string text;
    for (const auto& token : tokens) text += token + "\n";
    console.result(text);
  }

 private:
  [[nodiscard]] std::vector<std::string> enrol(const local::Task& task, std::int64_t count,
                                               std::int64_t expires) const {
    static_cast<void>(local::StateFile::make(state_, task));
    local::StateFile file(state_, ledger::Access::write);
    file.expect(task);
    if (const auto shard = file.shard(); shard.count > 1) {
      throw base::UsageError(
          "the state '{}' is one of {} shards, which together have no more tokens than places: "
          "give "
          "--shards {} and the name without its number",
          state_, shard.count, shard.count);
    }
    return file.enrol(count, expires);
  }

  [[nodiscard]] std::vector<std::string> enrol_in_shards(const local::Task& task,
                                                         std::int64_t count,
                                                         std::int64_t expires) const {
    const auto shards = count_option("--shards", shards_, 2);
    local::make_shards(state_, task, shards);
    return local::enrol_in_shards(state_, shards, count, expires);
  }

  std::string task_;
  std::string state_;
  std::string count_;
  std::string expire_;
  std::string shards_;
};

class LocalRevoke : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "local revoke", "Take nothing more under tokens", local_revoke_examples);
    options.add("state", state_, "STATE", "The server's state file", Form::required);
    options.add("--token-file", tokens_, "FILE", "The tokens, one per line", Form::required);
  }

  void run(const Console& console, const base::CancelToken& /*cancel*/) override {
    const auto tokens = read_tokens();
    local::StateFile(state_, ledger::Access::write).revoke(tokens);
    console.say(fmt::format(
        "Revoked {} tokens. A server that runs takes nothing more under them after its next SIGHUP",
        tokens.size()));
  }

 private:
  [[nodiscard]] std::vector<std::string> read_tokens() const {
    std::istringstream lines(base::read_file(tokens_, max_token_file));
    std::vector<std::string> tokens;
    std::int64_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (line.ends_with('\r')) line.pop_back();
      if (!local::is_token(line)) {
        throw base::DataError("line {} of '{}' holds no token, which has 64 hexadecimal digits",
                              number, tokens_);
      }
      tokens.push_back(line);
    }
    if (tokens.empty()) throw base::DataError("'{}' holds no token", tokens_);
    return tokens;
  }

  std::string state_;
  std::string tokens_;
};

}  // namespace

std::unique_ptr<Command> make_local_enrol() { return std::make_unique<LocalEnrol>(); }
std::unique_ptr<Command> make_local_revoke() { return std::make_unique<LocalRevoke>(); }

}  // namespace tacet::apps
