#include "tacet/data/value_index.h"

#include <charconv>
#include <cmath>

namespace tacet::data {
namespace {

std::string_view without_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// For text that is a number outside of the doubles: whether it is too small rather than too large.
bool underflows(std::string_view text) {
  const auto exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    return exponent + 1 < text.size() && text[exponent + 1] == '-';
  }
  return text.starts_with("0.") || text.starts_with("-0.") || text.starts_with(".") ||
         text.starts_with("-.");
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  text = without_blanks(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    return underflows(text) ? std::optional<double>(0.0) : std::nullopt;
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

ValueIndex::ValueIndex(std::span<const std::string> values) {
  texts_.reserve(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto index = static_cast<std::uint32_t>(k);
    texts_.emplace(values[k], index);
    // The first of several spellings of a number in the list speaks for it.
    if (const auto number = parse_number(values[k])) numbers_.emplace(*number, index);
  }
}

std::optional<std::uint32_t> ValueIndex::find(std::string_view text) const {
  const auto found = texts_.find(text);
  if (found != texts_.end()) return found->second;
  if (numbers_.empty()) return std::nullopt;
  const auto number = parse_number(text);
  return number ? find_number(*number) : std::nullopt;
}

std::optional<std::uint32_t> ValueIndex::find_number(double number) const {
  const auto found = numbers_.find(number);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tacet::data
