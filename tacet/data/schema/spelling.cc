#include "tacet/data/schema/spelling.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacet/data/schema/date_format.h"

namespace tacet::data {
namespace {

bool in_a_number(char c) {
  return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == ',';
}

}  // namespace

Spelling merged(const Spelling& file, const Spelling& own) {
  Spelling result = own;
  if (!result.decimal) result.decimal = file.decimal;
  if (!result.thousands) result.thousands = file.thousands;
  if (!result.symbols) result.symbols = file.symbols;
  if (!result.date_format) result.date_format = file.date_format;
  // If a column uses the file's thousands separator as its decimal sign, it has no thousands
  // separator.
  const bool clash = result.decimal && result.thousands == std::string(1, *result.decimal);
  if (clash && !own.thousands) result.thousands.reset();
  if (clash && own.thousands && !own.decimal) result.decimal.reset();
  return result;
}

std::string spelling_fault(const Spelling& spelling) {
  const char decimal = spelling.decimal.value_or('.');
  if (decimal != '.' && decimal != ',') {
    return "'decimal' must be \".\" or \",\", the sign before the digits of a fraction";
  }
  if (spelling.thousands) {
    const auto& sign = *spelling.thousands;
    constexpr std::size_t longest = 4;  // bytes of one character
    const bool digits = std::ranges::any_of(
        sign, [](char c) { return (c >= '0' && c <= '9') || c == '+' || c == '-'; });
    if (sign.size() > longest || digits) {
      return "'thousands' must be one character between groups of digits, such as \",\" or \" \"";
    }
    if (sign == std::string(1, decimal)) {
      return fmt::format("'thousands' and 'decimal' cannot both be \"{}\"", sign);
    }
  }
  for (const auto& symbol : spelling.symbols.value_or(std::vector<std::string>())) {
    const bool points = std::ranges::all_of(symbol, [](char c) { return c == '.'; });
    const auto part = [](char c) { return in_a_number(c) && c != '.'; };  // "kr." is one
    if (points || std::ranges::any_of(symbol, part)) {
      return "'symbols' are texts beside a number without digits, signs and commas, such as \"$\" "
             "or \"EUR\"";
    }
  }
  return spelling.date_format ? date_format_fault(*spelling.date_format) : std::string();
}

const std::vector<std::string>& encoding_names() {
  static const std::vector<std::string> names{"utf-8", "latin-1", "windows-1252", "utf-16"};
  return names;
}

}  // namespace tacet::data
