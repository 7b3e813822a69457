#include "tacet/data/schema/float_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace tacet::data {
namespace {

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int no_digit = -1;

constexpr std::array<int, 256> digit_values() {
  std::array<int, 256> values{};
  values.fill(no_digit);
  for (std::size_t k = 0; k < digits.size(); ++k) {
    values[static_cast<unsigned char>(digits[k])] = static_cast<int>(k);
  }
  return values;
}

}  // namespace

std::string text_of_floats(std::span<const float> values) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(4 * values.size() + 2);
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<std::uint8_t>(bits >> shift));
    }
  }
  const std::size_t count = bytes.size();
  bytes.resize((count + 2) / 3 * 3, 0);
  std::string text;
  text.reserve(bytes.size() / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::uint32_t group = static_cast<std::uint32_t>(bytes[k]) << 16U |
                                static_cast<std::uint32_t>(bytes[k + 1]) << 8U | bytes[k + 2];
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[(group >> shift) & 63U];
  }
  for (std::size_t k = count; k < bytes.size(); ++k) text[text.size() - 1 - (k - count)] = '=';
  return text;
}

std::optional<std::vector<float>> floats_of_text(std::string_view text) {
  static constexpr auto values = digit_values();
  if (text.size() % 4 != 0) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (int k = 0; k < 2 && text.ends_with('='); ++k) text.remove_suffix(1);
  std::uint32_t held = 0;
  int bits = 0;
  for (const char c : text) {
    const int value = values[static_cast<unsigned char>(c)];
    if (value == no_digit) return std::nullopt;
    held = held << 6U | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push_back(static_cast<std::uint8_t>(held >> static_cast<unsigned>(bits)));
    held &= (1U << static_cast<unsigned>(bits)) - 1;
  }
  if (bytes.size() % 4 != 0 || held != 0) return std::nullopt;
  std::vector<float> floats;
  floats.reserve(bytes.size() / 4);
  for (std::size_t k = 0; k < bytes.size(); k += 4) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4; ++b) word |= static_cast<std::uint32_t>(bytes[k + b]) << (8 * b);
    floats.push_back(std::bit_cast<float>(word));
  }
  return floats;
}

}  // namespace tacet::data
