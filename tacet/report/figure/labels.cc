#include "tacet/report/figure/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tacet/base/text.h"

namespace tacet::report {
namespace {

constexpr std::string_view cut_mark = "...";

/// Bytes of the code point at the front of a text that is UTF-8.
std::size_t code_point_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80U) {
    ++bytes;
  }
  return bytes;
}

/// The width of a code point: that of the widest letters of Arial, Helvetica, DejaVu Sans,
/// Liberation Sans and Roboto. What is written in squares takes a whole size.
double width_of(std::string_view code_point) {
  if (code_point.size() > 1) return code_point.size() > 2 ? 1.1 : 0.85;
  const char c = code_point[0];
  if (c == 'm' || c == 'w' || c == 'M' || c == 'W' || c == '@' || c == '%') return 1.0;
  if (c >= 'A' && c <= 'Z') return 0.78;
  if (c == 'i' || c == 'l' || c == 'j' || c == '.' || c == ',' || c == ' ') return 0.36;
  if (c == '+' || c == '<' || c == '>' || c == '=' || c == '~' || c == '#') return 0.84;
  return 0.65;
}

}  // namespace

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "-";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // Whole thousands are read more easily than powers of ten.
  constexpr double max_written_out = 1e7;
  const double size = std::abs(value);
  if (size >= 1 && size < max_written_out) {
    digits = std::max(digits, static_cast<int>(std::floor(std::log10(size))) + 1);
  }
  auto text = fmt::format("{:.{}g}", value == 0 ? 0.0 : value, digits);
  const auto exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  auto first = exponent + 1;
  if (text[first] == '+') {
    text.erase(first, 1);
  } else {
    ++first;
  }
  while (first + 1 < text.size() && text[first] == '0') text.erase(first, 1);
  return text;
}

double text_width(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const auto bytes = code_point_bytes(text);
    width += width_of(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return width;
}

std::string fitted(std::string_view text, double width) {
  // No width holds more letters: a name of any length is looked at up to there.
  constexpr std::size_t max = 400;
  const auto shown = base::printable(text.substr(0, max));
  if (text.size() <= max && text_width(shown) <= width) return shown;
  const double room = width - text_width(cut_mark);
  std::size_t end = 0;
  double used = 0;
  while (end < shown.size()) {
    const auto bytes = code_point_bytes(std::string_view(shown).substr(end));
    used += width_of(std::string_view(shown).substr(end, bytes));
    if (used > room) break;
    end += bytes;
  }
  return shown.substr(0, end) + std::string(cut_mark);
}

std::string shortened(std::string_view text, std::size_t max) {
  std::size_t end = 0;
  for (std::size_t letters = 0; letters < max && end < text.size(); ++letters) {
    end += code_point_bytes(text.substr(end));
  }
  if (end >= text.size()) return std::string(text);
  return std::string(text.substr(0, end)) + std::string(cut_mark);
}

}  // namespace tacet::report
