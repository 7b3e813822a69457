#include "tacet/learn/plan/range.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "tacet/base/parameter_names.h"

namespace tacet::learn {
namespace {

/// Powers such as 2^32 and 10^9 instead of their digits.
std::string integer_text(std::int64_t value) {
  constexpr std::int64_t fewest_digits = 1 << 16;
  if (value < fewest_digits) return fmt::format("{}", value);
  const auto bits = static_cast<std::uint64_t>(value);
  if (std::has_single_bit(bits)) return fmt::format("2^{}", std::countr_zero(bits));
  if (std::has_single_bit(bits + 1)) return fmt::format("2^{} - 1", std::countr_one(bits));
  const double exponent = std::log10(static_cast<double>(value));
  if (exponent == std::floor(exponent)) return fmt::format("10^{}", exponent);
  return fmt::format("{}", value);
}

/// 1e9 and 1e-9 as people write them.
std::string real_text(double value) {
  auto text = fmt::format("{:g}", value);
  const auto exponent = text.find('e');
  if (exponent == text.npos) return text;
  auto digits = exponent + 1;
  if (text[digits] == '-') ++digits;
  while (text[digits] == '+' || text[digits] == '0') text.erase(digits, 1);
  return text;
}

std::string numbers_text(const Integers& numbers) {
  const auto max =
      numbers.max_name.empty() ? integer_text(numbers.max) : base::parameter_name(numbers.max_name);
  return fmt::format("{} to {}", numbers.min, max);
}

std::string numbers_text(const Reals& numbers) {
  const auto min = real_text(numbers.min);
  if (std::isinf(numbers.max)) return (numbers.open_min ? "above " : "at least ") + min;
  const auto max = real_text(numbers.max);
  if (!numbers.open_min && !numbers.open_max) return fmt::format("{} to {}", min, max);
  return fmt::format("{} {} and {} {}", numbers.open_min ? "above" : "at least", min,
                     numbers.open_max ? "below" : "at most", max);
}

std::string numbers_text(std::monostate) { return {}; }

}  // namespace

bool Range::allows(double value) const {
  if (std::isinf(value) && value > 0 && words.has("inf")) return true;
  const auto* reals = std::get_if<Reals>(&numbers);
  if (reals == nullptr) return false;
  return (reals->open_min ? value > reals->min : value >= reals->min) &&
         (reals->open_max ? value < reals->max : value <= reals->max);
}

bool Range::allows(std::int64_t value) const {
  const auto* integers = std::get_if<Integers>(&numbers);
  return integers != nullptr && value >= integers->min && value <= integers->max;
}

std::string Range::text() const {
  return note.empty() ? allowed() : fmt::format("{}; {}", allowed(), note);
}

std::string Range::allowed() const {
  auto number =
      std::visit([](const auto& of_one_kind) { return numbers_text(of_one_kind); }, numbers);
  if (max_items > 1)
    number = fmt::format("up to {} numbers {} with commas between", max_items, number);
  std::vector<std::string> parts(words.all().begin(), words.all().end());
  if (listed != nullptr) {
    const auto more = listed();
    parts.insert(parts.end(), more.begin(), more.end());
  }
  if (!form.empty()) parts.emplace_back(form);
  std::string out;
  if (parts.size() == 1 && !number.empty()) {
    out = fmt::format("{}, or {}", number, parts.front());
  } else {
    if (!number.empty()) parts.push_back(std::move(number));
    out = base::alternatives(parts);
  }
  return out;
}

}  // namespace tacet::learn
