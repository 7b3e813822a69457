#include "tacet/run/record_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/data/encode/decimal.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/transcode.h"
#include "tacet/data/utf8.h"

namespace tacet::run::internal {
namespace {

/// What schemas and the usual readers of tables take for a missing value.
constexpr std::array missing_words{
    "NA",       "N/A", "NaN",  "nan",  "null", "NULL",  "None",   "n/a",     "<NA>",    "#N/A",
    "#N/A N/A", "#NA", "-NaN", "-nan", "NaT",  "<NaT>", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"};

constexpr double max_double = std::numeric_limits<double>::max();

char in_lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// true, false and infinity, in any case.
std::optional<double> number_called(std::string_view word) {
  constexpr std::size_t longest = 9;
  if (word.size() > longest) return std::nullopt;
  std::string text(word);
  std::ranges::transform(text, text.begin(), in_lower_case);
  if (text == "true") return 1;
  if (text == "false") return 0;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  if (text != "inf" && text != "infinity") return std::nullopt;
  return negative ? -max_double : max_double;
}

constexpr double integers_share_doubles = 0x1p53;

/// A whole number that no double is, as its digits. An exponent stands for the double that is
/// nearest, as programs write doubles with one.
std::optional<std::string> exact_whole(std::string_view text, double number) {
  if (std::fabs(number) < integers_share_doubles || std::fabs(number) == max_double) {
    return std::nullopt;
  }
  if (text.find_first_of("eE") != std::string_view::npos) return std::nullopt;
  std::string room;
  const auto digits = data::one_spelling(text, room);
  std::string of_double;
  if (digits == data::one_spelling(fmt::format("{:.0f}", number), of_double)) return std::nullopt;
  return std::string(digits);
}

/// A number whose point is a comma.
std::optional<double> number_with_comma(std::string_view text) {
  constexpr std::size_t longest = 60;
  const auto comma = text.find(',');
  if (comma == std::string_view::npos || text.size() > longest) return std::nullopt;
  std::string with_point(text);
  with_point[comma] = '.';
  return data::parse_number(with_point);
}

void note_text(std::string_view text, std::size_t column, ledger::Fingerprint& fingerprint) {
  if (!data::valid_utf8(text)) return note_text(data::utf8_text(text), column, fingerprint);
  text = data::without_blanks(text);
  if (text.empty()) return;
  if (const auto number = data::parse_number(text)) {
    if (const auto whole = exact_whole(text, *number)) return fingerprint.add_text(column, *whole);
    return note_number(*number, column, fingerprint);
  }
  if (const auto number = number_with_comma(text)) return note_number(*number, column, fingerprint);
  if (std::ranges::find(missing_words, text) != missing_words.end()) return;
  if (const auto number = number_called(text)) return note_number(*number, column, fingerprint);
  constexpr std::size_t day_size = 10;
  constexpr std::string_view midnight = "00:00:00";
  if (text.size() == day_size + 1 + midnight.size() && text.ends_with(midnight) &&
      (text[day_size] == ' ' || text[day_size] == 'T')) {
    text = text.substr(0, day_size);
  }
  if (text.find('\r') == std::string_view::npos) return fingerprint.add_text(column, text);
  std::string unix_text;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '\r' || k + 1 == text.size() || text[k + 1] != '\n') unix_text += text[k];
  }
  fingerprint.add_text(column, unix_text);
}

/// The double that is nearest to the shortest spelling of what may be a float of single precision.
double in_one_precision(double number) {
  if (std::trunc(number) == number) return number;
  const auto single = static_cast<float>(number);
  if (static_cast<double>(single) != number) return number;
  std::array<char, 40> room{};
  const auto* end = fmt::format_to(room.data(), "{}", single);
  double spelt = number;
  std::from_chars(room.data(), end, spelt);
  return spelt;
}

}  // namespace

void note_number(double number, std::size_t column, ledger::Fingerprint& fingerprint) {
  if (std::isnan(number)) return;
  fingerprint.add_number(column, in_one_precision(std::clamp(number, -max_double, max_double)));
}

void note(const data::Value& value, std::size_t column, ledger::Fingerprint& fingerprint) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return note_text(*text, column, fingerprint);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return note_number(*number, column, fingerprint);
  }
  if (const auto* number = std::get_if<float>(&value)) {
    return note_number(static_cast<double>(*number), column, fingerprint);
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    const auto rounded = static_cast<double>(*number);
    if (std::fabs(rounded) < integers_share_doubles) {
      return note_number(rounded, column, fingerprint);
    }
    return note_text(std::to_string(*number), column, fingerprint);
  }
  if (const auto* truth = std::get_if<bool>(&value)) {
    return note_number(*truth ? 1 : 0, column, fingerprint);
  }
  data::FileText text;
  note_text(text.of(value), column, fingerprint);
}

void note(const data::internal::UniformRecord& record, ledger::Fingerprint& fingerprint) {
  if (record.number_label) {
    note_number(*record.number_label, 0, fingerprint);
  } else {
    note_text(record.text_label, 0, fingerprint);
  }
  for (std::size_t k = 0; k < record.columns.size(); ++k) {
    note_number(record.values[k], std::size_t{record.columns[k]} + 1, fingerprint);
  }
  fingerprint.end_record();
}

}  // namespace tacet::run::internal
