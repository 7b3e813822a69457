#include "tacet/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace tacet::base {
namespace {

struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;  ///< 0: the text is not UTF-8
};

/// The first code point of a text that is not empty (RFC 3629: no surrogates, nothing overlong).
CodePoint first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {first, 0};
  std::uint32_t value = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {first, 0};
    value = value << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> min{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < min[bytes] || value > 0x10ffff || surrogate) return {first, 0};
  return {value, bytes};
}

/// C0, DEL, C1; the Arabic letter mark, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool is_control(std::uint32_t c) {
  constexpr std::pair<std::uint32_t, std::uint32_t> ranges[]{{0, 0x1f},        {0x7f, 0x9f},
                                                             {0x61c, 0x61c},   {0x200e, 0x200f},
                                                             {0x2028, 0x202e}, {0x2066, 0x2069}};
  for (const auto& [first, last] : ranges) {
    if (c >= first && c <= last) return true;
  }
  return false;
}

std::string escaped(std::uint32_t c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  return c < 0x80 ? fmt::format("\\x{:02x}", c) : fmt::format("\\u{:04x}", c);
}

std::string shown(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto c = first_of(text);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes == 0) {
      out += fmt::format("\\x{:02x}", c.value);
    } else if (is_control(c.value) && !(keep_lines && c.value == '\n')) {
      out += escaped(c.value);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Levenshtein distance, computed row by row; upper and lower case count as equal.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      const std::size_t replace =
          diagonal + (small_letter(a[i - 1]) == small_letter(b[j - 1]) ? 0 : 1);
      row[j] = std::min({replace, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string printable_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const auto c = first_of(json);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    // Control characters below the blank are only white space between values here: inside of
    // strings JSON has escaped them already.
    if (c.bytes == 0) {
      out += "\\ufffd";
    } else if (c.value >= ' ' && is_control(c.value)) {
      out += fmt::format("\\u{:04x}", c.value);
    } else {
      out += json.substr(0, bytes);
    }
    json.remove_prefix(bytes);
  }
  return out;
}

std::string printable(std::string_view text) { return shown(text, false); }

std::string printable_lines(std::string_view text) { return shown(text, true); }

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t best_distance = word.size() / 2 + 1;  // a word further away is not a misspelling
  for (const std::string& candidate : known) {
    const auto distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const auto near = nearest_word(word, known);
  return near.empty() ? std::string() : fmt::format("; did you mean '{}'?", near);
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string empty_part_fault(std::string_view list) {
  const auto parts = split_at_commas(list);
  if (std::ranges::none_of(parts, &std::string::empty)) return {};
  return fmt::format(
      "a part of '{}' is empty; write one comma between two parts, and none at the ends", list);
}

std::string alternatives(std::span<const std::string> list) {
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += i + 1 == list.size() ? " or " : ", ";
    out += list[i];
  }
  return out;
}

}  // namespace tacet::base
