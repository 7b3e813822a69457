// Clients that mean harm, each kind beside fifty honest ones.
//
//     local_hostile ATTACK|all [SECONDS]
//
// A server with the limits of `tacet serve` on the first core, but for those on what one address
// asks for (500 connections per second, a million requests: the honest ones share an address); on
// the second one fifty honest devices, each of which takes part four times a second over a
// connection of its own (its time is that of connection, slot and report), and the attack, as fast
// as it goes, far below their priority. Afterwards the attack alone, a second long, with a look at
// the state's bytes. One JSON row an attack: what the honest ones waited, what the server counted.
// Exit code 1 where their 99th percentile reaches 100 ms, where a reason that belongs to the attack
// was not counted, or where refusals changed the state.

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "bench/local/local_attacks.h"

namespace {

using namespace tacet::bench;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

constexpr int honest_devices = 50;
constexpr auto honest_pause = milliseconds(250);
constexpr double max_milliseconds = 100;
constexpr int min_priority = 19;  // steps below the honest ones

/// Each until the end; what it waited, in milliseconds.
void take_part(Site& site, const std::atomic<bool>& over, std::vector<double>& times) {
  while (!over) {
    const auto begin = Clock::now();
    const auto transport = site.connect();
    const auto& token = site.token();
    const auto report = slot_and_report(site, *transport, token);
    const auto reply = send(*transport, "/v1/report", token, report);
    if (reply.status != 200) throw tacet::base::IoError("not counted: " + reply.body);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    std::this_thread::sleep_until(begin + honest_pause);
  }
}

std::vector<Loot> prepare(Site& site, const Attack& attack) {
  std::vector<Loot> loot;
  const auto transport = site.connect();
  for (int i = 0; i < attack.threads; ++i) {
    const auto& token = site.token();
    loot.push_back({token, slot_and_report(site, *transport, token), site.token()});
    if (!attack.first_counts) continue;
    if (send(*transport, "/v1/report", token, loot.back().report).status != 200) std::abort();
  }
  return loot;
}

std::int64_t fight(Site& site, const Attack& attack, const std::vector<Loot>& loot,
                   milliseconds time, std::vector<std::vector<double>>* honest) {
  std::atomic<bool> over{false};
  std::atomic<std::int64_t> attempts{0};
  std::vector<std::thread> threads;
  for (const auto& own : loot) {
    threads.emplace_back([&] {
      const auto self = static_cast<id_t>(::syscall(SYS_gettid));
      ::setpriority(PRIO_PROCESS, self, ::getpriority(PRIO_PROCESS, self) + min_priority);
      Battle battle{site, own, over, attempts};
      attack.run(battle);
    });
  }
  std::this_thread::sleep_for(milliseconds(200));
  for (std::size_t i = 0; honest != nullptr && i < honest->size(); ++i) {
    threads.emplace_back([&, i] {
      std::this_thread::sleep_for(i * honest_pause / honest->size());
      take_part(site, over, (*honest)[i]);
    });
  }
  std::this_thread::sleep_for(time);
  over = true;
  for (auto& thread : threads) thread.join();
  return attempts;
}

bool run(const Attack& attack, int seconds, const fs::path& folder) {
  Site site(folder, attack.secure);
  const auto loot = prepare(site, attack);
  std::vector<std::vector<double>> honest(honest_devices);
  const auto time = std::chrono::seconds(std::max(seconds, attack.seconds));
  const auto attempts = fight(site, attack, loot, time, &honest);
  std::vector<double> all;
  for (const auto& mine : honest) all.insert(all.end(), mine.begin(), mine.end());
  std::ranges::sort(all);
  bool unchanged = true;
  if (attack.changes_nothing) {
    const auto before = site.content();
    static_cast<void>(fight(site, attack, loot, milliseconds(1000), nullptr));
    unchanged = site.content() == before;
  }
  std::string counters;
  bool counted = true;
  for (const auto& name : attack.counters) {
    const auto count = site.server->metric(name);
    counted = counted && count > 0;
    auto shown = name;
    std::erase(shown, '"');
    counters += fmt::format("{}\"{}\": {}", counters.empty() ? "" : ", ", shown, count);
  }
  const double worst = all[all.size() * 99 / 100];
  std::cout << fmt::format(
                   "{{\"attack\": \"{}\", \"attempts\": {}, \"seconds\": {}, \"honest\": {}, "
                   "\"honest_p50_ms\": {:.2f}, \"honest_p99_ms\": {:.2f}, \"honest_worst_ms\": "
                   "{:.2f}, \"server_megabytes\": {:.0f}, \"state_unchanged\": {}, "
                   "\"counters\": {{{}}}}}",
                   attack.name, attempts, time.count(), all.size(), all[all.size() / 2], worst,
                   all.back(), site.server->stop().megabytes, unchanged, counters)
            << std::endl;
  return worst < max_milliseconds && counted && unchanged;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  const int seconds = argc > 2 ? std::atoi(argv[2]) : 0;
  const auto folder = fs::temp_directory_path() / fmt::format("tacet-hostile-{}", ::getpid());
  fs::create_directory(folder);
  bool found = false;
  bool good = true;
  try {
    for (const auto& attack : attacks()) {
      if (wanted != attack.name && wanted != "all") continue;
      found = true;
      good = run(attack, seconds, folder) && good;
    }
  } catch (const tacet::base::Error& error) {
    std::cerr << error.what() << "\n";
    good = false;
  }
  fs::remove_all(folder);
  if (!found) std::cerr << "local_hostile ATTACK|all [SECONDS]\n";
  return !found ? 2 : good ? 0 : 1;
}
