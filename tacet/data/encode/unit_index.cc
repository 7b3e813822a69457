#include "tacet/data/encode/unit_index.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/decimal.h"

namespace tacet::data {
namespace {

constexpr double first_gap_of_doubles = 0x1p53;

/// A number that is stored as a float of some size.
std::optional<double> to_double(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<float>(&value)) return static_cast<double>(*number);
  return std::nullopt;
}

}  // namespace

std::string_view UnitName::of(std::string_view field) { return one_spelling(field, room_); }

std::string_view UnitName::of_value(const Value& value) {
  const auto real = to_double(value);
  if (real && std::isfinite(*real) && std::fabs(*real) >= first_gap_of_doubles) {
    // its shortest spelling would belong to another integer
    digits_ = fmt::format("{:.0f}", *real);
    return of(digits_);
  }
  return of(text_.of(value));
}

UnitIndex::UnitIndex(std::span<const std::string> missing) {
  for (const auto& text : missing) missing_.emplace(name_.of(text));
}

std::int64_t UnitIndex::number(std::string_view field) { return number_called(name_.of(field)); }

std::int64_t UnitIndex::number_of(const Value& value) {
  return number_called(name_.of_value(value));
}

std::int64_t UnitIndex::number_called(std::string_view name) {
  if (name.empty()) return Dataset::no_unit;
  std::string key(name);
  if (missing_.contains(key)) return Dataset::no_unit;
  const auto next = static_cast<std::int64_t>(numbers_.size());
  return numbers_.try_emplace(std::move(key), next).first->second;
}

std::vector<std::string> UnitIndex::take_names() {
  std::vector<std::string> names(numbers_.size());
  while (!numbers_.empty()) {
    auto one = numbers_.extract(numbers_.begin());
    names[static_cast<std::size_t>(one.mapped())] = std::move(one.key());
  }
  return names;
}

}  // namespace tacet::data
