// What a report costs the server of local learning, and what asking costs the generator.
//
//     local_load writer REPORTS                    frames from memory, in groups of 256
//     local_load kept|tls|fresh REPORTS [CLIENTS]  as fast as it goes, over kept connections, those
//                                                  over TLS, or a TLS connection for each report
//     local_load paced REPORTS [CLIENTS [RATE]]    so many a second, whatever becomes of them
//     local_load one|shards REPORTS [CLIENTS]      a task of one round at one server, or at four
//     local_load held|held-tls CONNECTIONS         connections that ask for the task and stay
//
// d = 100, batch 1,024, a slot asked for before each report, durable answers. The server is a
// process of its own on the first core, the generator's threads share the second one; of `one` and
// `shards`, which are to be compared, all run on any core, over kept connections. CPU is user
// and system time of each side over the whole load; times are those of slot and report together,
// of `paced` from the moment at which they were due; memory is the server's largest. The state
// lies in the folder that TMPDIR names, or /tmp. One JSON row a run. The generator says nothing of
// a record: its reports are random integers. Its clients verify nobody (small_client.h).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/local/local_server.h"
#include "bench/local/small_client.h"
#include "tacet/local/service/shards.h"
#include "tests/support/certificates.h"
#include "tests/support/local_task.h"

namespace {

using namespace tacet;
using bench::cpu_seconds;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// Of rounds of `batch` reports.
local::Task task_of(std::int64_t reports, std::int64_t batch = 1024) {
  std::string schema = "name = \"load\"\n[target]\ncolumn = \"y\"\npositive = \"1\"\n";
  for (int i = 0; i < 99; ++i) {
    schema +=
        fmt::format("[[column]]\nname = \"x{}\"\nkind = \"numeric\"\nlower = 0\nupper = 1\n", i);
  }
  return local::make_task(data::schema_from_toml(schema, "load.toml"),
                          {{"epsilon", "4"},
                           {"public-row-count", std::to_string(reports + batch)},
                           {"batch-size", std::to_string(batch)}},
                          {.delay_seconds = 0});
}

struct Load {
  std::string mode;
  std::int64_t count;
  std::int64_t clients;
  double rate;  ///< of `paced`, a second
};

/// A server with its tokens, and ways to it.
class Site {
 public:
  Site(const fs::path& folder, std::int64_t reports, bool secure) : task(task_of(reports)) {
    const auto state = folder / "load.state";
    static_cast<void>(local::StateFile::make(state, task));
    tokens = local::StateFile(state, ledger::Access::write).enrol(reports);
    local::ListenOptions options;
    if (secure) {
      const auto files = authority_.issue(folder, "server", "IP:127.0.0.1");
      options.certificate = files.certificate;
      options.key = files.key;
    }
    options.limits.connections = options.limits.connections_per_address = 100000;
    options.limits.connections_per_second = options.limits.failed_per_second = 1e6;
    options.limits.idle = std::chrono::minutes(10);
    server.emplace(state, options, local::ServiceOptions{.requests_per_second = 1e9});
    bench::use_core(1);
    if (secure) tls_ = bench::SmallClient::tls();
  }
  [[nodiscard]] std::unique_ptr<local::Transport> connect() const {
    return std::make_unique<bench::SmallClient>(server->port(), tls_);
  }

  local::Task task;
  std::vector<std::string> tokens;
  std::optional<bench::ServerProcess> server;

 private:
  test::Authority authority_;
  bench::SmallClient::Context tls_;
};

void take_part(local::Transport& transport, const local::Task& task,
               const std::vector<std::string>& tokens, std::int64_t device) {
  const auto& token = tokens[static_cast<std::size_t>(device)];
  for (;;) {
    const auto asked = transport.exchange({.method = "POST", .path = "/v1/slot", .token = token});
    if (asked.status == 503) continue;  // the round is full for a moment
    if (asked.status != 200) throw base::IoError("no slot: " + asked.body);
    const auto slot = local::slot_from_json(asked.body);
    const auto sent = transport.exchange(
        {.method = "POST",
         .path = "/v1/report",
         .token = token,
         .body = test::any_report(task, slot, static_cast<std::uint64_t>(device))});
    if (sent.status != 200) throw base::IoError("not counted: " + sent.body);
    return;
  }
}

void network(const Load& load, const fs::path& folder) {
  Site site(folder, load.count, load.mode == "tls" || load.mode == "fresh");
  const bool paced = load.mode == "paced";
  std::atomic<std::int64_t> next{0};
  std::vector<std::vector<double>> times(static_cast<std::size_t>(load.clients));
  const double cpu = cpu_seconds();
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  for (auto& mine : times) {
    threads.emplace_back([&] {
      auto transport = load.mode == "fresh" ? nullptr : site.connect();
      for (std::int64_t i = next++; i < load.count; i = next++) {
        if (load.mode == "fresh") transport = site.connect();
        auto due = Clock::now();
        if (paced) {
          due = begin + std::chrono::nanoseconds(
                            static_cast<std::int64_t>(1e9 * static_cast<double>(i) / load.rate));
          std::this_thread::sleep_until(due);
        }
        take_part(*transport, site.task, site.tokens, i);
        mine.push_back(std::chrono::duration<double, std::milli>(Clock::now() - due).count());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double own = cpu_seconds() - cpu;
  const auto used = site.server->stop();
  std::vector<double> all;
  for (const auto& mine : times) all.insert(all.end(), mine.begin(), mine.end());
  std::ranges::sort(all);
  const double count = static_cast<double>(load.count);
  std::cout << fmt::format(
                   "{{\"mode\": \"{}\", \"reports\": {}, \"clients\": {}, \"seconds\": {:.2f}, "
                   "\"reports_per_second\": {:.0f}, \"server_cpu_microseconds\": {:.1f}, "
                   "\"generator_cpu_microseconds\": {:.1f}, \"p50_ms\": {:.2f}, \"p99_ms\": "
                   "{:.2f}, \"server_megabytes\": {:.0f}}}",
                   load.mode, load.count, load.clients, seconds, count / seconds,
                   1e6 * used.cpu / count, 1e6 * own / count, all[all.size() / 2],
                   all[all.size() * 99 / 100], used.megabytes)
            << "\n";
}

/// A task of one round: its shards' servers, each with a share of the devices and of the clients.
void one_round(const Load& load, const fs::path& folder) {
  const std::size_t shards = load.mode == "one" ? 1 : 4;
  const auto task = task_of(0, load.count);
  const auto state = folder / "load.state";
  std::vector<fs::path> states{state};
  std::vector<std::string> tokens;
  if (shards == 1) {
    static_cast<void>(local::StateFile::make(state, task));
    tokens = local::StateFile(state, ledger::Access::write).enrol(load.count);
  } else {
    states = local::shard_paths(state, 4);
    local::make_shards(state, task, 4);
    tokens = local::enrol_in_shards(state, 4, load.count, 0);
  }
  local::ListenOptions options;
  options.limits.connections_per_second = options.limits.failed_per_second = 1e6;
  std::vector<std::unique_ptr<bench::ServerProcess>> servers;
  for (const auto& path : states) {
    servers.push_back(std::make_unique<bench::ServerProcess>(
        path, options, local::ServiceOptions{.requests_per_second = 1e9}, -1));
  }
  std::vector<std::atomic<std::int64_t>> next(shards);
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  for (std::int64_t client = 0; client < load.clients; ++client) {
    threads.emplace_back([&, shard = static_cast<std::size_t>(client) % shards] {
      bench::SmallClient transport(servers[shard]->port(), nullptr);
      const auto share = load.count / static_cast<std::int64_t>(shards);
      for (std::int64_t i = next[shard]++; i < share; i = next[shard]++) {
        take_part(transport, task, tokens, static_cast<std::int64_t>(shard) * share + i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  double cpu = 0;
  double megabytes = 0;
  for (const auto& server : servers) {
    const auto used = server->stop();
    cpu += used.cpu;
    megabytes += used.megabytes;
  }
  servers.clear();
  const auto merging = Clock::now();
  if (shards > 1) {
    for (const auto& path : states) local::StateFile(path, ledger::Access::write).close("closed");
    const auto merged = local::merge_shards(states, folder / "merged.state");
    if (merged.reports != load.count) throw base::IoError("the merged state lacks reports");
  }
  const double merged = std::chrono::duration<double>(Clock::now() - merging).count();
  const auto count = static_cast<double>(load.count);
  std::cout << fmt::format(
                   "{{\"mode\": \"{}\", \"reports\": {}, \"clients\": {}, \"seconds\": {:.2f}, "
                   "\"reports_per_second\": {:.0f}, \"server_cpu_microseconds\": {:.1f}, "
                   "\"server_megabytes\": {:.0f}, \"merge_seconds\": {:.2f}}}",
                   load.mode, load.count, load.clients, seconds, count / seconds, 1e6 * cpu / count,
                   megabytes, merged)
            << "\n";
}

void held(const Load& load, const fs::path& folder) {
  Site site(folder, 1, load.mode == "held-tls");
  const auto begin = Clock::now();
  std::vector<std::unique_ptr<local::Transport>> connections;
  for (std::int64_t i = 0; i < load.count; ++i) {
    connections.push_back(site.connect());
    if (connections.back()->exchange({.path = "/v1/task"}).status != 200) {
      throw base::IoError("a connection is refused");
    }
  }
  if (site.server->metric("connections") < load.count) throw base::IoError("some were ended");
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto used = site.server->stop();
  std::cout << fmt::format(
                   "{{\"mode\": \"{}\", \"connections\": {}, \"seconds\": {:.2f}, "
                   "\"server_megabytes\": {:.0f}, \"server_kilobytes_per_connection\": {:.1f}}}",
                   load.mode, load.count, seconds, used.megabytes,
                   1024 * used.megabytes / static_cast<double>(load.count))
            << "\n";
}

void writer(std::int64_t reports, const fs::path& folder) {
  const auto task = task_of(reports);
  const auto state = folder / "load.state";
  static_cast<void>(local::StateFile::make(state, task));
  std::vector<local::TokenMac> macs;
  {
    local::StateFile file(state, ledger::Access::write);
    for (const auto& token : file.enrol(reports)) macs.push_back(file.mac_of(token));
  }
  local::Collector collector(state);
  local::Application asked = test::slot_of(macs[0]);
  if (test::handle_one(collector, asked, 1) != local::Reason::slot) throw base::IoError("no slot");
  double cpu = 0;
  for (std::int64_t done = 0; done < reports;) {
    std::vector<local::Application> group;
    const auto round = static_cast<std::uint64_t>(collector.published()->round);
    // A report of the round under way; its model's digest is the newest one.
    if (round != asked.slot->round) {
      asked = test::slot_of(macs[static_cast<std::size_t>(done)]);
      if (test::handle_one(collector, asked, 1) != local::Reason::slot) throw base::IoError("full");
    }
    for (int i = 0; i < 256 && done < reports; ++i, ++done) {
      const auto number = static_cast<std::uint64_t>(done);
      group.push_back(
          test::report_of(task, macs[number], test::any_report(task, *asked.slot, number)));
    }
    std::vector<local::Application*> pointers;
    for (auto& one : group) pointers.push_back(&one);
    const double before = cpu_seconds();
    if (!collector.handle(pointers, 1)) throw base::IoError("not stored");
    cpu += cpu_seconds() - before;
    for (const auto& one : group) {
      if (one.reason != local::Reason::counted) throw base::IoError("not counted");
    }
  }
  std::cout << fmt::format(
                   "{{\"mode\": \"writer\", \"reports\": {}, \"writer_cpu_microseconds\": {:.1f}, "
                   "\"reports_per_cpu_second\": {:.0f}}}",
                   reports, 1e6 * cpu / static_cast<double>(reports),
                   static_cast<double>(reports) / cpu)
            << "\n";
}

void run(const Load& load, const fs::path& folder) {
  if (load.mode == "writer") return writer(load.count, folder);
  if (load.mode.starts_with("held")) return held(load, folder);
  if (load.mode == "one" || load.mode == "shards") return one_round(load, folder);
  network(load, folder);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  constexpr std::array modes{"writer", "kept",   "tls",  "fresh",   "paced",
                             "one",    "shards", "held", "held-tls"};
  if (argc < 3 || std::ranges::find(modes, mode) == modes.end()) {
    std::cerr << "local_load writer|kept|tls|fresh|paced|one|shards|held|held-tls COUNT "
                 "[CLIENTS [RATE]]\n";
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // a server that ends a connection is an error with words
  const auto folder = fs::temp_directory_path() / fmt::format("tacet-load-{}", ::getpid());
  fs::create_directory(folder);
  int code = 0;
  try {
    run({mode, std::atoll(argv[2]), argc > 3 ? std::atoll(argv[3]) : 256,
         argc > 4 ? std::atof(argv[4]) : 5000},
        folder);
  } catch (const base::Error& error) {
    std::cerr << error.what() << "\n";
    code = 1;
  }
  fs::remove_all(folder);
  return code;
}
