#include "tacet/data/schema/number_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

namespace tacet::data {
namespace {

constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr int not_base64 = -1;

constexpr std::array<int, 256> digit_values() {
  std::array<int, 256> values{};
  values.fill(not_base64);
  for (std::size_t k = 0; k < base64_digits.size(); ++k) {
    values[static_cast<unsigned char>(base64_digits[k])] = static_cast<int>(k);
  }
  return values;
}

std::string text_of_bytes(std::vector<std::uint8_t> bytes) {
  const std::size_t count = bytes.size();
  bytes.resize((count + 2) / 3 * 3, 0);
  std::string text;
  text.reserve(bytes.size() / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::uint32_t group = static_cast<std::uint32_t>(bytes[k]) << 16U |
                                static_cast<std::uint32_t>(bytes[k + 1]) << 8U | bytes[k + 2];
    for (int shift = 18; shift >= 0; shift -= 6) text += base64_digits[(group >> shift) & 63U];
  }
  for (std::size_t k = count; k < bytes.size(); ++k) text[text.size() - 1 - (k - count)] = '=';
  return text;
}

/// The number of bytes that a text encodes; nothing if it is not valid.
std::optional<std::size_t> byte_count(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t unused = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  return text.size() / 4 * 3 - unused;
}

/// Whether all digits are valid and no bits are left over. `bytes` must have room for
/// byte_count(text) bytes.
bool read_bytes(std::string_view text, std::span<std::uint8_t> bytes) {
  static constexpr auto values = digit_values();
  int faults = 0;  // becomes negative if a digit is invalid
  const auto group_of = [&](std::string_view digits) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const int value = values[static_cast<unsigned char>(digits[k])];
      faults |= value;
      group = group << 6U | (static_cast<std::uint32_t>(value) & 63U);
    }
    return group;
  };
  const std::size_t whole = bytes.size() / 3;
  for (std::size_t k = 0; k < whole; ++k) {
    const std::uint32_t group = group_of(text.substr(4 * k, 4));
    for (std::size_t b = 0; b < 3; ++b) {
      bytes[3 * k + b] = static_cast<std::uint8_t>(group >> (16 - 8 * b));
    }
  }
  if (const auto left = bytes.size() % 3; left > 0) {
    std::string last(text.substr(4 * whole, left + 1));
    last.resize(4, 'A');  // zeros
    const std::uint32_t group = group_of(last);
    for (std::size_t b = 0; b < left; ++b) {
      bytes[3 * whole + b] = static_cast<std::uint8_t>(group >> (16 - 8 * b));
    }
    if ((group & ((1U << (24 - 8 * left)) - 1)) != 0) return false;
  }
  return faults >= 0;
}

/// `Word` is the unsigned integer with the bits of a number.
template <typename Word, typename Number>
std::string text_of(std::span<const Number> numbers) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(sizeof(Word) * numbers.size() + 2);
  for (const Number number : numbers) {
    const auto word = std::bit_cast<Word>(number);
    for (std::size_t b = 0; b < sizeof(Word); ++b) {
      bytes.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
    }
  }
  return text_of_bytes(std::move(bytes));
}

template <typename Number>
std::optional<std::vector<Number>> numbers_of(std::string_view text) {
  const auto count = byte_count(text);
  if (!count || *count % sizeof(Number) != 0) return std::nullopt;
  std::vector<Number> numbers(*count / sizeof(Number));
  const std::span bytes(reinterpret_cast<std::uint8_t*>(numbers.data()), *count);
  if (!read_bytes(text, bytes)) return std::nullopt;
  if constexpr (std::endian::native == std::endian::big) {
    for (std::size_t k = 0; k < bytes.size(); k += sizeof(Number)) {
      std::ranges::reverse(bytes.subspan(k, sizeof(Number)));
    }
  }
  return numbers;
}

}  // namespace

std::string text_of_floats(std::span<const float> values) { return text_of<std::uint32_t>(values); }

std::string text_of_shorts(std::span<const std::int16_t> values) {
  return text_of<std::uint16_t>(values);
}

std::optional<std::vector<float>> floats_of_text(std::string_view text) {
  return numbers_of<float>(text);
}

std::optional<std::vector<std::int16_t>> shorts_of_text(std::string_view text) {
  return numbers_of<std::int16_t>(text);
}

}  // namespace tacet::data
