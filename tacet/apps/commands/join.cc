#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/error.h"
#include "tacet/data/utf8.h"
#include "tacet/ledger/digest.h"
#include "tacet/local/device/client.h"
#include "tacet/local/service/token.h"

namespace tacet::apps {
namespace {

constexpr std::string_view join_examples =
    "  tacet join https://learn.example.org --task task.json --data record.csv \\\n"
    "      --token-file token.txt --policy policy.toml --state device\n"
    "  tacet join https://learn.example.org --task DIGEST ... --resume\n"
    "\n"
    "One record, one report: private before it leaves, drawn once, and booked in the ledger of "
    "the\n"
    "device's folder. An attempt that was interrupted goes on where it stood, with the same "
    "bytes.\n"
    "A policy says what the device's owner allows:\n"
    "\n"
    "  largest_epsilon = 4          # of one task\n"
    "  all_tasks_epsilon = 8        # of all of them together\n"
    "  mechanisms = [\"privunit\"]\n"
    "\n"
    "and, where it likes, largest_delta and all_tasks_delta (0), largest_clipping_norm, "
    "largest_norm\n"
    "of models (10000), smallest_delay: seconds up to which the task has devices wait (0), and\n"
    "books, the absolute path of a folder for the device's ledger, outside of --state and of the\n"
    "record's folder. Without it, deleting both --state and the record's mark, or renaming the\n"
    "record, begins a new budget.\n";

constexpr std::int64_t max_token_bytes = 4096;

class Join : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options =
        add(line, "join", "Take part in a task as a device that trusts nobody", join_examples);
    options.add("url", url_, "URL", "The server: https://HOST or https://HOST:PORT",
                Form::required);
    options.add("--task", task_, "FILE|DIGEST",
                "The task file, or its SHA-256: from somebody else than the server",
                Form::required);
    options.add("--data", data_, "FILE", "A file with the device's one record, no pipe",
                Form::required);
    options.add("--token-file", token_file_, "FILE", "The token that admits one report");
    options.add("--policy", policy_, "FILE", "What the device's owner allows (TOML)",
                Form::required);
    options.add("--state", state_, "FOLDER", "What the device keeps; made when missing",
                Form::required);
    options.flag("--resume", resume_, "Send the report that was drawn before, and draw none");
    options.add("--ca", ca_, "FILE",
                "PEM: whose certificates are believed [default: the system's]");
    options.add("--certificate", certificate_, "FILE", "PEM: the device's own certificate");
    options.add("--key", key_, "FILE", "PEM: its key");
    options.add("--patience", patience_, "SECONDS",
                "How long a server that does not answer is waited for; each attempt has at least "
                "5 [default: 3600]");
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    const auto policy = local::load_policy(policy_);
    const auto token = read_token();
    const auto transport = local::http_client({.server = local::server_address(url_),
                                               .ca = ca_,
                                               .certificate = certificate_,
                                               .key = key_});
    const auto source = random::SecureSource::create();
    const std::chrono::seconds patience(
        patience_.empty() ? std::int64_t{3600} : count_option("--patience", patience_, 0));
    const local::DeviceContext context{
        .transport = *transport,
        .source = *source,
        .wait = [&](std::chrono::milliseconds time) { wait(time, cancel); },
        .say = [&](const std::string& text) { console.say(text); },
        .cancel = &cancel};
    const auto task = ledger::is_digest(task_) ? local::fetch_task(task_, context, patience)
                                               : local::load_task(task_);
    const auto result = local::take_part({.task = task,
                                          .policy = policy,
                                          .record = data_,
                                          .folder = state_,
                                          .token = token,
                                          .only_resume = resume_,
                                          .patience = patience},
                                         context);
    report(console, task, result);
  }

 private:
  [[nodiscard]] std::string read_token() const {
    if (certificate_.empty() != key_.empty()) {
      throw base::UsageError("--certificate and --key go together; give both or none");
    }
    if (token_file_.empty()) {
      if (!certificate_.empty()) return {};
      throw base::UsageError("--token-file is missing: the token that the server's operator gave");
    }
    const auto read = base::read_file(token_file_, max_token_bytes);
    std::string text(data::without_byte_order_mark(read));
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    if (local::is_token(text)) return text;
    throw base::DataError("'{}' holds no token: one line of 64 hexadecimal digits", token_file_);
  }

  static void wait(std::chrono::milliseconds time, const base::CancelToken& cancel) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      cancel.throw_if_cancelled();
      const auto left = end - std::chrono::steady_clock::now();
      std::this_thread::sleep_for(
          std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(20)));
    }
  }

  static void report(const Console& console, const local::Task& task,
                     const local::ParticipationResult& result) {
    const auto& promised = task.plan.guarantee;
    if (console.json()) {
      console.result(json_text({{"task", task.digest},
                                {"answer", result.answer},
                                {"resumed", result.resumed},
                                {"epsilon", promised.epsilon},
                                {"delta", promised.delta}}));
    } else if (result.answer == "counted") {
      console.result(
          fmt::format("counted: one report, epsilon {}, delta {}, private against "
                      "everybody, the server too\n",
                      promised.epsilon, promised.delta));
    }
    if (result.answer == "counted") return;
    throw base::IoError(
        "the server took no report of this device at last: {}; its epsilon {} stays spent, since "
        "the report was sent",
        result.answer, promised.epsilon);
  }

  std::string url_;
  std::string task_;
  std::string data_;
  std::string token_file_;
  std::string policy_;
  std::string state_;
  bool resume_ = false;
  std::string ca_;
  std::string certificate_;
  std::string key_;
  std::string patience_;
};

}  // namespace

std::unique_ptr<Command> make_join() { return std::make_unique<Join>(); }

}  // namespace tacet::apps
