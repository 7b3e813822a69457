#include "tacet/data/owner/written_codes.h"

#include <algorithm>
#include <cstdint>

#include "tacet/data/ascii.h"

namespace tacet::data {
namespace {

constexpr WrittenCode utf_7{"UTF-7",
                            "convert the file: iconv -f UTF-7 -t UTF-8 FILE | tacet ... -"};
constexpr WrittenCode of_html{
    "web pages",
    "convert the file: python3 -c \"import html, sys; "
    "sys.stdout.write(html.unescape(sys.stdin.read()))\" < FILE > FILE.csv"};
constexpr WrittenCode of_json{"JSON", "let the program that wrote the file write UTF-8"};
constexpr WrittenCode of_r{"R", "write the file anew: write.csv(..., fileEncoding = \"UTF-8\")"};
constexpr WrittenCode of_addresses{
    "addresses of web pages",
    "convert the file: python3 -c \"import sys, urllib.parse; "
    "sys.stdout.write(urllib.parse.unquote(sys.stdin.read()))\" < FILE "
    "> FILE.csv"};
constexpr WrittenCode of_mails{"mails", "convert the file: python3 -m quopri -d FILE > FILE.csv"};

bool is_hex(char c) { return is_digit(c) || (lower_case(c) >= 'a' && lower_case(c) <= 'f'); }
bool letter_or_digit(char c) {
  return is_digit(c) || (lower_case(c) >= 'a' && lower_case(c) <= 'z');
}

bool begins_with_hex(std::string_view text, std::size_t count) {
  return text.size() >= count && std::ranges::all_of(text.substr(0, count), is_hex);
}

/// The value of a base64 character, or -1.
int base64_value(char c) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto place = digits.find(c);
  return place == std::string_view::npos ? -1 : static_cast<int>(place);
}

/// Whether a plus sign is followed by whole units of UTF-16 in base64, all beyond ASCII, and a
/// dash.
bool is_utf_7(std::string_view text) {
  constexpr std::uint32_t unit_bits = 16;
  const auto end = text.find('-');
  if (end == std::string_view::npos || end < 3) return false;
  std::uint32_t bits = 0;
  std::uint32_t held = 0;
  std::uint32_t units = 0;
  for (const char c : text.substr(0, end)) {
    const int value = base64_value(c);
    if (value < 0) return false;
    held = (held << 6U) | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < unit_bits) continue;
    bits -= unit_bits;
    if ((held >> bits) < 0x80) return false;
    held &= (1U << bits) - 1;
    ++units;
  }
  return units > 0 && bits < 6 && held == 0;
}

/// Whether a text is &ouml; or &#246; without the ampersand.
bool is_entity(std::string_view text) {
  constexpr std::size_t max = 8;
  const auto end = text.find(';');
  if (end == std::string_view::npos || end < 2 || end > max) return false;
  if (text.front() == '#') text.remove_prefix(1);
  return std::ranges::all_of(text.substr(0, text.find(';')), letter_or_digit);
}

/// The bytes of one UTF-8 character, each as a sign and two hexadecimal digits.
bool is_byte_pair(std::string_view text) {
  const char sign = text.front();
  constexpr std::string_view first = "CcDdEe";
  return text.size() >= 6 && first.find(text[1]) != std::string_view::npos && is_hex(text[2]) &&
         text[3] == sign && std::string_view("89AaBb").find(text[4]) != std::string_view::npos &&
         is_hex(text[5]);
}

}  // namespace

const WrittenCode* written_code(std::string_view text) {
  for (auto k = text.find_first_of("+&\\<%="); k != std::string_view::npos;
       k = text.find_first_of("+&\\<%=", k + 1)) {
    const auto rest = text.substr(k);
    if (rest[0] == '+' && is_utf_7(rest.substr(1))) return &utf_7;
    if (rest[0] == '&' && is_entity(rest.substr(1))) return &of_html;
    if (rest.starts_with("\\u") && begins_with_hex(rest.substr(2), 4)) return &of_json;
    if (rest.starts_with("<U+") && begins_with_hex(rest.substr(3), 4)) return &of_r;
    if (rest[0] == '%' && is_byte_pair(rest)) return &of_addresses;
    if (rest[0] == '=' && is_byte_pair(rest)) return &of_mails;
  }
  return nullptr;
}

bool lost_in_word(std::string_view text) {
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  for (auto k = text.find('?'); k != std::string_view::npos; k = text.find('?', k + 1)) {
    if (k > 0 && k + 1 < text.size() && letter_or_digit(text[k - 1]) && !is_digit(text[k - 1]) &&
        small(text[k + 1])) {
      return true;
    }
  }
  return false;
}

}  // namespace tacet::data
