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

namespace tacet::run::internal {
namespace {

/// What schemas and the usual readers of tables take for a missing value.
constexpr std::array missing_words{
    "NA",       "N/A", "NaN",  "nan",  "null", "NULL",  "None",   "n/a",     "<NA>",    "#N/A",
    "#N/A N/A", "#NA", "-NaN", "-nan", "NaT",  "<NaT>", "1.#IND", "1.#QNAN", "-1.#IND", "-1.#QNAN"};

constexpr double most_double = std::numeric_limits<double>::max();

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
  return negative ? -most_double : most_double;
}

void note_text(std::string_view text, std::size_t column, ledger::Fingerprint& fingerprint) {
  text = data::without_blanks(text);
  if (text.empty()) return;
  if (const auto number = data::parse_number(text)) {
    return note_number(*number, column, fingerprint);
  }
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
  const double whole_end = 0x1p53;
  if (std::trunc(number) == number && std::fabs(number) < whole_end) return number;
  if (std::fabs(number) > double{std::numeric_limits<float>::max()}) return number;
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
  fingerprint.add_number(column, in_one_precision(std::clamp(number, -most_double, most_double)));
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
    return note_number(static_cast<double>(*number), column, fingerprint);
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
