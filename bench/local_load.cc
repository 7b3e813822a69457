// What a report costs the server of local learning, and what asking costs the generator.
//
//     local_load writer|kept|tls|fresh REPORTS [CLIENTS]
//
// d = 100, batch 1,024, a slot asked for before each report, durable answers. The server is a
// process of its own on the first core, the generator's threads share the second one. `writer` has
// no network: frames from memory through the collector, in groups of 256. CPU is user and system
// time of each side over the whole load; the state lies in the folder that TMPDIR names, or /tmp.
// One JSON row a run. The generator says nothing of a record: its reports are random integers.

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/http/http_client.h"
#include "tacet/local/http/http_server.h"
#include "tacet/local/service/service.h"
#include "tests/support/certificates.h"
#include "tests/support/local_task.h"

namespace {

using namespace tacet;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void use_core(unsigned core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

local::Task task_of(std::int64_t reports) {
  std::string schema = "name = \"load\"\n[target]\ncolumn = \"y\"\npositive = \"1\"\n";
  for (int i = 0; i < 99; ++i) {
    schema +=
        fmt::format("[[column]]\nname = \"x{}\"\nkind = \"numeric\"\nlower = 0\nupper = 1\n", i);
  }
  return local::make_task(data::schema_from_toml(schema, "load.toml"),
                          {{"epsilon", "4"},
                           {"public-row-count", std::to_string(reports + 1024)},
                           {"batch-size", "1024"}},
                          {.delay_seconds = 0});
}

struct Server {
  double cpu;
  double megabytes;
};

/// The server's process: says its port, serves until the other end of the pipe is closed, says what
/// it used.
[[noreturn]] void serve(const fs::path& state, const test::Authority::Files& files, int in,
                        int out) {
  use_core(0);
  local::ListenOptions options;
  options.certificate = files.certificate;
  options.key = files.key;
  options.limits.connections_an_address = 100000;
  {
    local::HttpServer server(options);
    local::Service service(state, {.requests_a_second = 1e9});
    server.start(service);
    const double before = cpu_seconds();
    const auto port = server.port();
    if (::write(out, &port, sizeof port) != sizeof port) ::_exit(1);
    char byte = 0;
    while (::read(in, &byte, 1) > 0) {
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const Server used{cpu_seconds() - before, static_cast<double>(usage.ru_maxrss) / 1024};
    if (::write(out, &used, sizeof used) != sizeof used) ::_exit(1);
    server.stop();
  }
  ::_exit(0);
}

void take_part(local::Transport& transport, const local::Task& task, const std::string& token,
               std::uint64_t number, std::vector<double>& milliseconds) {
  const auto begin = Clock::now();
  for (;;) {
    const auto asked = transport.exchange({.method = "POST", .path = "/v1/slot", .token = token});
    if (asked.status == 503) continue;  // the round is full for a moment
    if (asked.status != 200) throw base::IoError("no slot: " + asked.body);
    const auto slot = local::slot_from_json(asked.body);
    const auto sent = transport.exchange({.method = "POST",
                                          .path = "/v1/report",
                                          .token = token,
                                          .body = test::any_report(task, slot, number)});
    if (sent.status != 200) throw base::IoError("not counted: " + sent.body);
    break;
  }
  milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
}

void network(const std::string& mode, std::int64_t reports, std::int64_t clients,
             const fs::path& folder) {
  const auto task = task_of(reports);
  const auto state = folder / "load.state";
  static_cast<void>(local::StateFile::make(state, task));
  const auto tokens = local::StateFile(state, ledger::Access::write).enrol(reports);
  const test::Authority authority;
  const bool secure = mode != "kept";
  const auto files =
      secure ? authority.issue(folder, "server", "IP:127.0.0.1") : test::Authority::Files{};
  const auto ca = authority.file(folder);
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (::pipe(to.data()) != 0 || ::pipe(from.data()) != 0) throw base::IoError("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(to[1]);
    serve(state, files, to[0], from[1]);
  }
  ::close(to[0]);
  use_core(1);
  std::uint16_t port = 0;
  if (::read(from[0], &port, sizeof port) != sizeof port) throw base::IoError("no server");
  const auto fresh = [&] {
    return local::http_client(
        {.server = {"127.0.0.1", std::to_string(port), secure}, .ca = secure ? ca : ""});
  };
  std::atomic<std::int64_t> next{0};
  std::vector<std::vector<double>> times(static_cast<std::size_t>(clients));
  const double cpu = cpu_seconds();
  const auto begin = Clock::now();
  std::vector<std::thread> threads;
  for (auto& mine : times) {
    threads.emplace_back([&] {
      auto transport = fresh();
      for (std::int64_t i = next++; i < reports; i = next++) {
        if (mode == "fresh") transport = fresh();
        take_part(*transport, task, tokens[static_cast<std::size_t>(i)],
                  static_cast<std::uint64_t>(i), mine);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double own = cpu_seconds() - cpu;
  ::close(to[1]);
  Server used{};
  if (::read(from[0], &used, sizeof used) != sizeof used) throw base::IoError("the server ended");
  ::waitpid(child, nullptr, 0);
  std::vector<double> all;
  for (const auto& mine : times) all.insert(all.end(), mine.begin(), mine.end());
  std::ranges::sort(all);
  const double count = static_cast<double>(reports);
  std::cout << fmt::format(
                   "{{\"mode\": \"{}\", \"reports\": {}, \"clients\": {}, \"seconds\": {:.2f}, "
                   "\"reports_a_second\": {:.0f}, \"server_cpu_microseconds\": {:.1f}, "
                   "\"generator_cpu_microseconds\": {:.1f}, \"p50_ms\": {:.2f}, \"p99_ms\": "
                   "{:.2f}, \"server_megabytes\": {:.0f}}}",
                   mode, reports, clients, seconds, count / seconds, 1e6 * used.cpu / count,
                   1e6 * own / count, all[all.size() / 2], all[all.size() * 99 / 100],
                   used.megabytes)
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
                   "\"reports_a_cpu_second\": {:.0f}}}",
                   reports, 1e6 * cpu / static_cast<double>(reports),
                   static_cast<double>(reports) / cpu)
            << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (argc < 3 || (mode != "writer" && mode != "kept" && mode != "tls" && mode != "fresh")) {
    std::cerr << "local_load writer|kept|tls|fresh REPORTS [CLIENTS]\n";
    return 2;
  }
  const auto folder = fs::temp_directory_path() / fmt::format("tacet-load-{}", ::getpid());
  fs::create_directory(folder);
  int code = 0;
  try {
    const std::int64_t reports = std::atoll(argv[2]);
    if (mode == "writer") {
      writer(reports, folder);
    } else {
      network(mode, reports, argc > 3 ? std::atoll(argv[3]) : 64, folder);
    }
  } catch (const base::Error& error) {
    std::cerr << error.what() << "\n";
    code = 1;
  }
  fs::remove_all(folder);
  return code;
}
