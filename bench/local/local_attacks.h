#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/local/local_server.h"
#include "tacet/base/atomic_file.h"
#include "tacet/local/http/http_client.h"
#include "tests/support/certificates.h"
#include "tests/support/local_task.h"

/// What clients that mean harm do to a server of local learning.
namespace tacet::bench {

/// The server that is attacked.
class Site {
 public:
  Site(const std::filesystem::path& folder, bool secure)
      : task(test::small_task({.delay_seconds = 0},
                              {{"batch-size", "4096"}, {"public-row-count", "20480"}})),
        state(folder / "hostile.state") {
    std::filesystem::remove(state);
    static_cast<void>(local::StateFile::make(state, task));
    tokens_ = local::StateFile(state, ledger::Access::write).enrol(20480);
    local::ListenOptions options;
    if (secure) {
      const auto files = authority_.issue(folder, "server", "IP:127.0.0.1");
      options.certificate = files.certificate;
      options.key = files.key;
    }
    options.limits.connections_per_second = 500;  // fifty honest devices have one address
    server.emplace(state, options, local::ServiceOptions{.requests_per_second = 1e6});
    use_core(1);
    clients_ = local::http_clients({.server = {"127.0.0.1", std::to_string(server->port()), secure},
                                    .ca = secure ? authority_.file(folder) : ""});
  }
  [[nodiscard]] std::uint16_t port() const { return server->port(); }
  [[nodiscard]] const std::string& token() { return tokens_.at(static_cast<std::size_t>(next_++)); }
  [[nodiscard]] std::unique_ptr<local::Transport> connect() const { return clients_(); }
  /// What the state holds, byte for byte.
  [[nodiscard]] std::string content() const {
    constexpr std::size_t most = std::size_t{1} << 28;
    return base::read_file(state, most) + base::read_file(state.string() + "-wal", most);
  }

  local::Task task;
  std::filesystem::path state;
  std::optional<ServerProcess> server;

 private:
  test::Authority authority_;
  std::function<std::unique_ptr<local::Transport>()> clients_;
  std::vector<std::string> tokens_;
  std::atomic<std::int64_t> next_{0};
};

/// What an attacker has got by honest means before.
struct Loot {
  std::string token;
  std::string report;  ///< right, for a slot of this token
  std::string other;   ///< a token that nothing was done with
};

struct Battle {
  Site& site;
  const Loot& loot;
  const std::atomic<bool>& over;
  std::atomic<std::int64_t>& attempts;
};

struct Attack {
  std::string name;
  void (*run)(Battle&);
  int threads;
  int seconds;                        ///< at least
  std::vector<std::string> counters;  ///< which it moves
  bool secure = false;
  bool changes_nothing = true;
  bool first_counts = false;  ///< its reports count before it begins
};

inline local::HttpReply send(local::Transport& transport, const std::string& path,
                             const std::string& token, const std::string& body) {
  return transport.exchange({.method = "POST", .path = path, .token = token, .body = body});
}

inline std::string slot_and_report(const Site& site, local::Transport& transport,
                                   const std::string& token) {
  const auto asked = send(transport, "/v1/slot", token, "");
  if (asked.status != 200) throw base::IoError("no slot: " + asked.body);
  return test::any_report(site.task, local::slot_from_json(asked.body),
                          std::hash<std::string>()(token));
}

[[nodiscard]] std::vector<Attack> attacks();

}  // namespace tacet::bench
