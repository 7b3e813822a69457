#include "tacet/privacy/receipt_notes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/base/text.h"

namespace tacet::privacy {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_note = 1000;

struct Field {
  std::string_view name;
  std::string ReceiptNotes::*text;
};
constexpr std::array fields{Field{"data_set", &ReceiptNotes::data_set},
                            Field{"purpose", &ReceiptNotes::purpose},
                            Field{"contact", &ReceiptNotes::contact},
                            Field{"date", &ReceiptNotes::date},
                            Field{"schema_sha256", &ReceiptNotes::schema_sha256},
                            Field{"condition", &ReceiptNotes::condition}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int number_at(std::string_view text, std::size_t first, std::size_t size) {
  int value = 0;
  std::from_chars(text.data() + first, text.data() + first + size, value);
  return value;
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t place : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 9U}) {
    if (!is_digit(text[place])) return false;
  }
  const int year = number_at(text, 0, 4);
  const int month = number_at(text, 5, 2);
  const int day = number_at(text, 8, 2);
  if (month < 1 || month > 12 || day < 1) return false;
  constexpr std::array days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= days[static_cast<std::size_t>(month - 1)] + (leap && month == 2 ? 1 : 0);
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

}  // namespace

void check_notes(const ReceiptNotes& notes) {
  for (const auto& field : fields) {
    const auto& text = notes.*field.text;
    if (text.size() > longest_note) {
      throw base::UsageError("{} of a receipt may have {} bytes, got {}", field.name, longest_note,
                             text.size());
    }
    if (base::printable(text) != text) {
      throw base::UsageError("{} of a receipt must be one line of UTF-8 without control characters",
                             field.name);
    }
  }
  if (!notes.date.empty() && !is_date(notes.date)) {
    throw base::UsageError("date must be a day of the calendar as YYYY-MM-DD, got '{}'",
                           notes.date);
  }
  if (!notes.schema_sha256.empty() && !is_sha256(notes.schema_sha256)) {
    throw base::UsageError("schema_sha256 must be 64 hexadecimal digits");
  }
}

Json notes_to_json(const ReceiptNotes& notes) {
  auto json = Json::object();
  for (const auto& field : fields) {
    const auto& text = notes.*field.text;
    if (!text.empty()) json[std::string(field.name)] = text;
  }
  return json;
}

ReceiptNotes notes_from_json(const Json& json) {
  if (!json.is_object()) throw base::DataError("receipt: 'notes' must be an object");
  ReceiptNotes notes;
  for (const auto& [key, value] : json.items()) {
    const auto found = std::ranges::find(fields, key, &Field::name);
    if (found == fields.end() || !value.is_string()) {
      throw base::DataError("receipt: unknown note '{}', or no text", key);
    }
    notes.*found->text = value.get<std::string>();
    if ((notes.*found->text).empty()) throw base::DataError("receipt: the note '{}' is empty", key);
  }
  return notes;
}

}  // namespace tacet::privacy
