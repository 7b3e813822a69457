#include "tacet/data/schema/calendar.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "tacet/data/ascii.h"

namespace tacet::data {
namespace {

/// The number that the digits spell; nothing if a character is not a digit.
std::optional<unsigned> as_digits(std::string_view text) {
  unsigned number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text) {
  text = without_blanks(text);
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const auto year = as_digits(text.substr(0, 4));
  const auto month = as_digits(text.substr(5, 2));
  const auto day = as_digits(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::string date_text(std::int64_t day) {
  const std::chrono::days since(std::clamp(day, first_day, last_day));
  const std::chrono::year_month_day date{std::chrono::sys_days(since)};
  return fmt::format("{:04d}-{:02d}-{:02d}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace tacet::data
