#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/base/progress.h"
#include "tacet/local/http/http_client.h"
#include "tacet/random/source/source.h"

namespace tacet::local {

/// What a device works with.
struct DeviceContext {
  Transport& transport;
  random::Source& source;
  std::function<void(std::chrono::milliseconds)> wait;  ///< sleeps; may throw base::Interrupted
  std::function<void(const std::string&)> say = {};     ///< remarks; nothing of the record
  const base::CancelToken* cancel = nullptr;
};

inline constexpr std::chrono::seconds max_patience{31'536'000};  // a year

/// Asks a server until it has an answer that stays: with backoff and jitter where it does not
/// answer or says that it can't now, and not before the time that it names. Whatever it answers, it
/// is asked once a second at most, but for the few requests that taking part needs. An answer that
/// comes in drops ends with patience too.
class Patience {
 public:
  using Clock = std::chrono::steady_clock;

  /// `step` is the place of its jitter among the device's own numbers, which nobody else has.
  /// UsageError below 0 seconds, and above `max_patience`.
  Patience(const DeviceContext& context, std::chrono::seconds max_time, std::uint64_t step);
  /// IoError when patience is at its end; UntrustedServer at once. Both end with `remains`. An
  /// answer with status 200 that is not `whole` is no answer: a proxy's page, for example.
  [[nodiscard]] HttpReply persist(const HttpRequest& request, const std::string& remains,
                                  bool (*whole)(std::string_view body) = nullptr);
  /// Waits before another attempt, the first of which has number 0: longer each time, a second at
  /// least, and `at_least` so long; but no longer than `left`.
  void pause(int attempt, std::chrono::milliseconds at_least, Clock::duration left);

 private:
  [[nodiscard]] HttpReply ask(const HttpRequest& request, Clock::time_point end);

  const DeviceContext& context_;
  std::chrono::seconds max_;
  std::uint64_t step_;
  std::optional<random::Stream> pauses_;
  std::optional<Clock::time_point> begin_;  // of the first request
  std::int64_t asked_ = 0;
};

}  // namespace tacet::local
