#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tacet::local {

enum class LogFormat { text, json };
enum class LogLevel { info, warning, error };

/// What happens to a server, one line per event, for people or as JSON for programs. Callers pass
/// counts and names of the task; never a report, a token or an address of a device. Several threads
/// may write.
class EventLog {
 public:
  /// Takes whole lines, with their end.
  using Sink = std::function<void(LogLevel, std::string_view)>;
  using Field = std::pair<std::string_view, std::variant<std::int64_t, std::string>>;
  using Clock = std::chrono::system_clock;

  EventLog(LogFormat format, Sink sink) : format_(format), sink_(std::move(sink)) {}

  /// `event` is a name that stays the same, `sentence` is for people. Text has both, JSON the
  /// fields too.
  void note(LogLevel level, std::string_view event, std::string_view sentence,
            const std::vector<Field>& fields = {}, Clock::time_point now = Clock::now());

 private:
  LogFormat format_;
  Sink sink_;
  std::mutex mutex_;
};

}  // namespace tacet::local
