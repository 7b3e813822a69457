#include "tacet/data/encode/value.h"

#include <fmt/format.h>

#include <cmath>

#include "tacet/data/schema/calendar.h"

namespace tacet::data {
namespace {

struct Spell {
  SpellingRoom& room;

  std::string_view operator()(Missing) const { return {}; }
  std::string_view operator()(Day) const { return {}; }
  std::string_view operator()(List) const { return {}; }
  std::string_view operator()(bool value) const { return value ? "true" : "false"; }
  std::string_view operator()(std::string_view text) const { return text; }
  std::string_view operator()(std::int64_t value) const { return write(value); }
  std::string_view operator()(double value) const { return number(value); }
  std::string_view operator()(float value) const { return number(value); }

  template <typename Real>
  std::string_view number(Real value) const {
    if (std::isnan(value)) return {};
    // Equal numbers have the same spelling, whatever their type: 0 and -0, 10^16 and 1e16.
    const bool whole = std::fabs(value) < Real{0x1p63} && std::trunc(value) == value;
    return whole ? write(static_cast<std::int64_t>(value)) : write(value);
  }

  template <typename Number>
  std::string_view write(Number value) const {
    const auto* end = fmt::format_to(room.data(), "{}", value);
    return {room.data(), static_cast<std::size_t>(end - room.data())};
  }
};

}  // namespace

std::string_view spelling(const Value& value, SpellingRoom& room) {
  return std::visit(Spell{room}, value);
}

std::string_view FileText::of(const Value& value) {
  if (const auto* list = std::get_if<List>(&value)) {
    text_.clear();
    for (const ListItem& item : list->entries()) {
      if (!text_.empty()) text_ += ' ';
      text_ += spelling(item.value, room_);
    }
    return text_;
  }
  const auto* day = std::get_if<Day>(&value);
  if (day == nullptr) return spelling(value, room_);
  text_ = date_text(day->number);
  return text_;
}

}  // namespace tacet::data
