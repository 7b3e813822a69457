#include "tacet/privacy/rounded_up.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace tacet::privacy {
namespace {

/// A step of one in the last place: all digits as a whole number, and its power of ten.
std::string moved(double value, int digits, long long step) {
  const auto full = fmt::format("{:.{}e}", value, digits - 1);
  const auto mark = full.find('e');
  auto whole = full.substr(0, mark);
  std::erase(whole, '.');
  const long power = std::strtol(full.c_str() + mark + 1, nullptr, 10) - (digits - 1);
  const auto next = fmt::format("{}e{}", std::strtoll(whole.c_str(), nullptr, 10) + step, power);
  return fmt::format("{:.{}g}", std::strtod(next.c_str(), nullptr), digits);
}

}  // namespace

std::string rounded_up(double value, int digits) {
  auto text = fmt::format("{:.{}g}", value, digits);
  if (!std::isfinite(value) || std::strtod(text.c_str(), nullptr) >= value) return text;
  return moved(value, digits, 1);
}

std::string rounded_down(double value, int digits) {
  auto text = fmt::format("{:.{}g}", value, digits);
  if (!std::isfinite(value) || std::strtod(text.c_str(), nullptr) <= value) return text;
  return moved(value, digits, -1);
}

}  // namespace tacet::privacy
