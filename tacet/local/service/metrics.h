#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacet/local/http/http.h"
#include "tacet/local/protocol/reason.h"

namespace tacet::local {

/// A histogram of durations.
class TimeHistogram {
 public:
  void add(std::chrono::nanoseconds time);
  /// In the text format of Prometheus.
  [[nodiscard]] std::string text(std::string_view name, std::string_view help) const;

 private:
  static constexpr std::array bounds{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05,
                                     0.1,    0.2,   0.5,   1.0,   2.0,  5.0};  // seconds
  std::array<std::atomic<std::int64_t>, bounds.size() + 1> counts_{};
  std::atomic<std::int64_t> nanoseconds_{0};
};

/// What a service counts about its messages: neither their contents nor addresses.
struct ServiceCounters {
  std::array<std::atomic<std::int64_t>, reason_count> answers{};
  TimeHistogram requests;  ///< slots and reports, from the body's end to the answer
  TimeHistogram commits;

  void count(Reason reason) { ++answers[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] std::int64_t of(Reason reason) const {
    return answers[static_cast<std::size_t>(reason)];
  }
};

/// What is shown beside them.
struct ServiceSnapshot {
  std::string task;
  std::int64_t round = 0;
  std::int64_t rounds = 0;
  std::int64_t reports = 0;
  std::int64_t batch = 0;
  std::int64_t queued = 0;
  std::int64_t waiting = 0;  ///< for a slot
  std::int64_t lapsed = 0;   ///< slots that ended without a report, since the server began
  bool finished = false;
  std::string closed;  ///< why, before the last round
  bool ready = false;
  bool diverged = false;            ///< see Banco::diverged
  std::int64_t rounds_cut = 0;      ///< with a report longer than honest devices'
  std::int64_t rounds_refused = 0;  ///< whose step would have left the learner's domain
  std::int64_t log_lines_lost = 0;  ///< that could not be written
};

[[nodiscard]] std::string metrics_text(const ServiceSnapshot& snapshot,
                                       const ServiceCounters& counters, const HttpCounters& http);
/// A page without scripts.
[[nodiscard]] std::string status_page(const ServiceSnapshot& snapshot,
                                      const ServiceCounters& counters, const HttpCounters& http);

}  // namespace tacet::local
