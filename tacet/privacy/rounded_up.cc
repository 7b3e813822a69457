#include "tacet/privacy/rounded_up.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace tacet::privacy {

std::string rounded_up(double value, int digits) {
  auto text = fmt::format("{:.{}g}", value, digits);
  if (!std::isfinite(value) || std::strtod(text.c_str(), nullptr) >= value) return text;
  // One more in the last place: all digits as a whole number, and its power of ten.
  const auto full = fmt::format("{:.{}e}", value, digits - 1);
  const auto mark = full.find('e');
  auto whole = full.substr(0, mark);
  std::erase(whole, '.');
  const long power = std::strtol(full.c_str() + mark + 1, nullptr, 10) - (digits - 1);
  const auto next = fmt::format("{}e{}", std::strtoll(whole.c_str(), nullptr, 10) + 1, power);
  return fmt::format("{:.{}g}", std::strtod(next.c_str(), nullptr), digits);
}

}  // namespace tacet::privacy
