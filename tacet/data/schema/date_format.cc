#include "tacet/data/schema/date_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include "tacet/data/ascii.h"

namespace tacet::data {
namespace {

constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};
constexpr std::size_t short_month = 3;
constexpr int minutes_of_day = 24 * 60;

/// Takes fields off the front of a text.
class DateParser {
 public:
  explicit DateParser(std::string_view text) : text_(text) {}

  /// Removes from the front what the format's letter stands for; false if it is not there.
  bool take(char letter) {
    switch (letter) {
      case 'Y':
        return number(4, 4, year_);
      case 'y': {
        if (!number(2, 2, year_)) return false;
        constexpr int pivot = 69;  // as POSIX strptime
        year_ += year_ >= pivot ? 1900 : 2000;
        return true;
      }
      case 'm':
        return number(1, 2, month_);
      case 'd':
        return number(1, 2, day_);
      case 'H':
        return number(1, 2, hour_) && hour_ < 24;
      case 'I':
        return number(1, 2, hour_) && hour_ >= 1 && hour_ <= 12;
      case 'p':
        return half_of_day();
      case 'M':
        return number(1, 2, minute_) && minute_ < 60;
      case 'S':
        return number(1, 2, second_) && second_ <= 60;  // a leap second
      case 'f':
        return number(1, 9, fraction_);
      case 'b':
        return month(false);
      case 'B':
        return month(true);
      case 'z':
        return zone();
      case '%':
        return take_character('%');
      default:
        return false;
    }
  }
  bool take_character(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool done() const { return text_.empty(); }

  [[nodiscard]] std::optional<std::int64_t> day() const {
    const std::chrono::year_month_day date{std::chrono::year(year_),
                                           std::chrono::month(static_cast<unsigned>(month_)),
                                           std::chrono::day(static_cast<unsigned>(day_))};
    if (!date.ok()) return std::nullopt;
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const int hour = half_ == Half::none ? hour_ : hour_ % 12 + (half_ == Half::second ? 12 : 0);
    const int minutes = 60 * hour + minute_ - offset_;
    return days + (minutes < 0 ? -1 : minutes >= minutes_of_day ? 1 : 0);
  }

 private:
  enum class Half { none, first, second };

  bool half_of_day() {
    if (text_.size() < 2 || lower_case(text_[1]) != 'm') return false;
    const char letter = lower_case(text_[0]);
    if (letter != 'a' && letter != 'p') return false;
    half_ = letter == 'a' ? Half::first : Half::second;
    text_.remove_prefix(2);
    return true;
  }
  bool number(std::size_t fewest, std::size_t max, int& value) {
    std::size_t count = 0;
    int found = 0;
    while (count < max && count < text_.size() && is_digit(text_[count])) {
      found = 10 * found + (text_[count] - '0');
      ++count;
    }
    if (count < fewest) return false;
    text_.remove_prefix(count);
    value = found;
    return true;
  }
  bool month(bool whole) {
    for (std::size_t k = 0; k < months.size(); ++k) {
      const auto name = whole ? months[k] : months[k].substr(0, short_month);
      if (text_.size() < name.size()) continue;
      const bool same = std::ranges::equal(name, text_.substr(0, name.size()),
                                           [](char a, char b) { return a == lower_case(b); });
      if (!same) continue;
      text_.remove_prefix(name.size());
      month_ = static_cast<int>(k) + 1;
      return true;
    }
    return false;
  }
  bool zone() {
    for (const std::string_view universal : {"Z", "z", "UTC", "GMT"}) {
      if (!text_.starts_with(universal)) continue;
      text_.remove_prefix(universal.size());
      return true;
    }
    const int sign = text_.starts_with('+') ? 1 : text_.starts_with('-') ? -1 : 0;
    if (sign == 0) return false;
    text_.remove_prefix(1);
    int hours = 0;
    int minutes = 0;
    if (!number(2, 2, hours) || hours >= 24) return false;
    static_cast<void>(take_character(':'));
    if (!text_.empty() && (!number(2, 2, minutes) || minutes >= 60)) return false;
    offset_ = sign * (60 * hours + minutes);
    return true;
  }

  std::string_view text_;
  int year_ = 0;
  int month_ = 0;
  int day_ = 0;
  int hour_ = 0;
  int minute_ = 0;
  int second_ = 0;
  int fraction_ = 0;
  int offset_ = 0;  // minutes before UTC
  Half half_ = Half::none;
};

std::optional<std::int64_t> parse_iso(std::string_view text) {
  DateParser parser(text);
  const auto take = [&](std::string_view letters) {
    return std::ranges::all_of(letters, [&](char c) {
      return c == '-' || c == ':' ? parser.take_character(c) : parser.take(c);
    });
  };
  // The standard has two digits each for month and day.
  const bool digits = text.size() >= 10 && text[7] == '-' && is_digit(text[8]) && is_digit(text[9]);
  if (!digits || !take("Y-m-d")) return std::nullopt;
  if (parser.done()) return parser.day();
  if (!parser.take_character('T') && !parser.take_character(' ')) return std::nullopt;
  if (!take("H:M")) return std::nullopt;
  if (parser.take_character(':')) {
    if (!parser.take('S')) return std::nullopt;
    const bool fraction = parser.take_character('.') || parser.take_character(',');
    if (fraction && !parser.take('f')) return std::nullopt;
  }
  if (!parser.done()) {
    static_cast<void>(parser.take_character(' '));
    if (!parser.take('z') || !parser.done()) return std::nullopt;
  }
  return parser.day();
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text, std::string_view format) {
  text = without_blanks(text);
  if (format.empty()) return parse_iso(text);
  DateParser parser(text);
  for (std::size_t k = 0; k < format.size(); ++k) {
    const bool letter = format[k] == '%' && k + 1 < format.size();
    if (!(letter ? parser.take(format[++k]) : parser.take_character(format[k]))) {
      return std::nullopt;
    }
  }
  return parser.done() ? parser.day() : std::nullopt;
}

std::string date_format_fault(std::string_view format) {
  if (format.empty()) return {};
  bool year = false;
  bool month = false;
  bool day = false;
  for (std::size_t k = 0; k < format.size(); ++k) {
    if (format[k] != '%') continue;
    const char letter = ++k < format.size() ? format[k] : ' ';
    if (std::string_view("YymdHIpMSfbBz%").find(letter) == std::string_view::npos) {
      return fmt::format(
          "'date_format' knows %Y %y %m %d %b %B %H %I %p %M %S %f %z and %%, not '%{}', in \"{}\"",
          letter, format);
    }
    year = year || letter == 'Y' || letter == 'y';
    month = month || letter == 'm' || letter == 'b' || letter == 'B';
    day = day || letter == 'd';
  }
  if (year && month && day) return {};
  return fmt::format(
      "'date_format' needs a year (%Y or %y), a month (%m, %b or %B) and a day (%d), as in "
      "\"%d.%m.%Y\"; got \"{}\"",
      format);
}

}  // namespace tacet::data
