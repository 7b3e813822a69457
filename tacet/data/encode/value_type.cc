#include "tacet/data/encode/value_type.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/data/encode/value_index.h"

namespace tacet::data {
namespace {

using Kind = ValueType::Kind;

/// Whether an index of this single text finds the value; labels are found in this way.
bool found_as(std::string_view text, const Value& value) {
  const std::array listed{std::string(text)};
  return ValueIndex(listed).find_value(value).has_value();
}

bool is_whole_of(double number, const ValueType& type) {
  const int digits = type.is_signed ? type.bits - 1 : type.bits;
  const double end = std::ldexp(1.0, digits);
  // Doubles near the end of 64 bits stand for several integers, one of which may be below that end.
  const bool below = number < end || (type.bits == 64 && number == end);
  return std::trunc(number) == number && below && number >= (type.is_signed ? -end : 0.0);
}

/// IEEE 754 binary16: 11 bits of significand, steps of 2^-24 at least, 65504 at most.
bool is_half(double number) {
  constexpr int significand = 11;
  constexpr int min = -24;
  constexpr double max = 65504;
  int exponent = 0;
  std::frexp(number, &exponent);
  const double steps = std::ldexp(number, -std::max(exponent - significand, min));
  return std::trunc(steps) == steps && std::fabs(number) <= max;
}

bool is_real_of(double number, const ValueType& type) {
  if (type.bits == 16) return is_half(number);
  if (type.bits != 32) return true;
  return std::fabs(number) <= double{std::numeric_limits<float>::max()} &&
         static_cast<double>(static_cast<float>(number)) == number;
}

/// Whether no value of the type can be one of the categories. Floats are never excluded: pandas
/// uses them for any column whose values are all missing.
bool finds_no_category(const CategoricalColumn& column, const ValueType& type) {
  return (type.kind == Kind::integer || type.kind == Kind::boolean) &&
         column.other == OtherRule::zero &&
         std::ranges::none_of(column.categories,
                              [&](const auto& text) { return can_be(text, type); });
}

/// Why no value of the type fits the column; empty if some may.
std::string unreadable_because(const Column& column, const ValueType& type) {
  if (type.kind == Kind::unreadable) {
    return "which holds no single number, text or date; ignore the column, or give it as one";
  }
  if (type.kind == Kind::list && !std::holds_alternative<IdsColumn>(column.rule)) {
    return "which only a column of kind \"ids\" takes; declare it as one, or give single values";
  }
  const auto* categorical = std::get_if<CategoricalColumn>(&column.rule);
  if (categorical != nullptr && finds_no_category(*categorical, type)) {
    return "of which no value can be one of the schema's categories; give texts as the schema "
           "lists them, or list the values as they are";
  }
  const auto* numeric = std::get_if<NumericColumn>(&column.rule);
  const bool date = numeric != nullptr && numeric->date;
  if (type.kind == Kind::day && !date) {
    return "which only a column of kind \"date\" takes; declare it as one, or give numbers or "
           "texts";
  }
  const bool number =
      type.kind == Kind::boolean || type.kind == Kind::integer || type.kind == Kind::real;
  if (number && date) {
    return "but its kind is \"date\"; give dates, timestamps or texts YYYY-MM-DD";
  }
  return {};
}

std::string no_label_because(const Target& target, const ValueType& type) {
  const auto why = unreadable_because({target.column, HashedColumn{}}, type);
  if (!why.empty() || target.regression()) return why;
  const auto count_of = [&](std::span<const std::string> texts) {
    return std::ranges::count_if(texts, [&](const auto& text) { return can_be(text, type); });
  };
  std::ptrdiff_t possible = 0;
  if (const auto* binary = std::get_if<BinaryTarget>(&target.rule)) {
    possible = (count_of(binary->positive) > 0 ? 1 : 0) +
               (binary->negative.empty() || count_of(binary->negative) > 0 ? 1 : 0);
  } else {
    possible = count_of(std::get<MultiClassTarget>(target.rule).classes);
  }
  if (possible >= 2) return {};
  return "of which fewer than two of the schema's classes can be values; give labels of another "
         "type, or declare the classes as they are";
}

}  // namespace

bool can_be(std::string_view text, const ValueType& type) {
  const auto number = parse_number(text);
  switch (type.kind) {
    case Kind::any:
    case Kind::text:
      return true;
    case Kind::boolean:
      return found_as(text, true) || found_as(text, false);
    case Kind::integer:
      return number && is_whole_of(*number, type);
    case Kind::real:
      return number && is_real_of(*number, type) && found_as(text, *number);
    case Kind::day:
    case Kind::list:
    case Kind::unreadable:
      break;
  }
  return false;
}

void check_type(const Schema& schema, TargetUse target, const std::string& name,
                const ValueType& type) {
  std::string why;
  for (const Column& column : schema.columns) {
    if (column.name == name && column.of_file()) why = unreadable_because(column, type);
    const bool crossed = !column.of_file() && why.empty() &&
                         std::ranges::find(column.sources(), name) != column.sources().end();
    if (crossed) why = unreadable_because({name, HashedColumn{}}, type);
  }
  if (target == TargetUse::required && why.empty()) {
    if (schema.unit == name) why = unreadable_because({name, HashedColumn{}}, type);
    if (schema.target && schema.target->column == name) {
      why = no_label_because(*schema.target, type);
    }
  }
  if (why.empty()) return;
  throw base::DataError("the records in memory: column '{}' has the type {}, {}", name, type.name,
                        why);
}

void check_label_type(const Target& target, const ValueType& type) {
  const auto why = no_label_because(target, type);
  if (!why.empty()) {
    throw base::DataError("the labels in memory have the type {}, {}", type.name, why);
  }
}

}  // namespace tacet::data
