#include "tacet/local/service/event_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "tacet/base/text.h"

namespace tacet::local {
namespace {

constexpr std::array level_names{"info", "warning", "error"};

}  // namespace

std::string EventLog::line_of(LogLevel level, std::string_view event, std::string_view sentence,
                              const std::vector<Field>& fields, Clock::time_point now) const {
  const auto time = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(Clock::to_time_t(now)));
  const auto* const name = level_names[static_cast<std::size_t>(level)];
  std::string line;
  if (format_ == LogFormat::text) {
    line = fmt::format("{} {}{}", time,
                       level == LogLevel::info ? std::string() : fmt::format("{}: ", name),
                       base::printable(std::string(sentence)));
  } else {
    nlohmann::ordered_json json{
        {"time", time}, {"level", name}, {"event", event}, {"message", sentence}};
    for (const auto& [key, value] : fields) {
      std::visit([&](const auto& one) { json[std::string(key)] = one; }, value);
    }
    line = json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  }
  line += '\n';
  return line;
}

void EventLog::note(LogLevel level, std::string_view event, std::string_view sentence,
                    const std::vector<Field>& fields, Clock::time_point now) {
  const auto line = line_of(level, event, sentence, fields, now);
  const std::scoped_lock lock(mutex_);
  if (const auto lines = lost_ - lost_said_; lines > 0) {
    const auto gap = line_of(
        LogLevel::warning, "log_lines_lost",
        fmt::format("{} lines of this log could not be written: the disk was full, say", lines),
        {{"lines", lines}}, now);
    if (sink_(LogLevel::warning, gap)) lost_said_ = lost_;
  }
  if (!sink_(level, line)) ++lost_;
}

std::int64_t EventLog::lost() const {
  const std::scoped_lock lock(mutex_);
  return lost_;
}

}  // namespace tacet::local
