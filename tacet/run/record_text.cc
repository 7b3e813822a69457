#include "tacet/run/record_text.h"

#include <fmt/format.h>

#include <cmath>

namespace tacet::run::internal {
namespace {

/// Numbers are one kind: 7 and 7.0 are the same.
char kind_of(const data::Value& value) {
  if (std::holds_alternative<bool>(value)) return 'b';
  if (std::holds_alternative<data::Day>(value)) return 'd';
  if (std::holds_alternative<std::string_view>(value)) return 't';
  const auto* number = std::get_if<double>(&value);
  const auto* single = std::get_if<float>(&value);
  const bool missing = number != nullptr   ? std::isnan(*number)
                       : single != nullptr ? std::isnan(*single)
                                           : std::holds_alternative<data::Missing>(value);
  return missing ? 'm' : 'n';
}

template <typename T>
void append_bytes(const T& value, std::string& record) {
  record.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

void append_text(const data::Value& value, std::string& record) {
  if (const auto* list = std::get_if<data::List>(&value)) {
    fmt::format_to(std::back_inserter(record), "l{}:", list->count);
    for (const auto& item : list->entries()) append_text(item.value, record);
    return;
  }
  data::SpellingRoom room;
  const auto* day = std::get_if<data::Day>(&value);
  const auto text = spelling(day == nullptr ? value : data::Value(day->number), room);
  fmt::format_to(std::back_inserter(record), "{}{}:{}", kind_of(value), text.size(), text);
}

void append_text(std::span<const std::uint32_t> places, std::span<const double> values,
                 std::string& record) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (values[k] == 0) continue;
    append_bytes(places[k], record);
    append_bytes(values[k], record);
  }
  record += '|';
}

}  // namespace tacet::run::internal
