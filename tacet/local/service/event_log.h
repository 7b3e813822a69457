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
  /// Takes whole lines, with their end. False: the line was lost, on a full disk say.
  using Sink = std::function<bool(LogLevel, std::string_view)>;
  using Field = std::pair<std::string_view, std::variant<std::int64_t, std::string>>;
  using Clock = std::chrono::system_clock;

  EventLog(LogFormat format, Sink sink) : format_(format), sink_(std::move(sink)) {}

  /// `event` is a name that stays the same, `sentence` is for people. Text has both, JSON the
  /// fields too. Where lines were lost before, a line `log_lines_lost` with their number comes
  /// first.
  void note(LogLevel level, std::string_view event, std::string_view sentence,
            const std::vector<Field>& fields = {}, Clock::time_point now = Clock::now());

  /// Lines that the sink did not take, of all that were noted.
  [[nodiscard]] std::int64_t lost() const;

 private:
  [[nodiscard]] std::string line_of(LogLevel level, std::string_view event,
                                    std::string_view sentence, const std::vector<Field>& fields,
                                    Clock::time_point now) const;

  LogFormat format_;
  Sink sink_;
  mutable std::mutex mutex_;
  std::int64_t lost_ = 0;
  std::int64_t lost_said_ = 0;  // of them
};

}  // namespace tacet::local
