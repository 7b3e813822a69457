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

std::optional<std::vector<std::uint8_t>> bytes_of_text(std::string_view text) {
  static constexpr auto values = digit_values();
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t unused = 0;
  for (; unused < 2 && text.ends_with('='); ++unused) text.remove_suffix(1);
  const std::size_t count = (text.size() + unused) / 4 * 3;
  std::vector<std::uint8_t> bytes(count);
  const auto value_at = [&text](std::size_t place) {
    return place < text.size() ? values[static_cast<unsigned char>(text[place])] : 0;
  };
  std::uint32_t faults = 0;  // the sign of a digit that is none
  for (std::size_t k = 0; k < count; k += 3) {
    std::uint32_t group = 0;
    for (std::size_t digit = 0; digit < 4; ++digit) {
      const auto value = static_cast<std::uint32_t>(value_at(k / 3 * 4 + digit));
      faults |= value;
      group = group << 6U | (value & 63U);
    }
    for (std::size_t b = 0; b < 3; ++b) {
      bytes[k + b] = static_cast<std::uint8_t>(group >> (16 - 8 * b));
    }
  }
  if (faults > 63) return std::nullopt;
  for (std::size_t k = count - unused; k < count; ++k) {
    if (bytes[k] != 0) return std::nullopt;
  }
  bytes.resize(count - unused);
  return bytes;
}

/// `Word` is the unsigned integer of a number's bits.
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

template <typename Word, typename Number>
std::optional<std::vector<Number>> numbers_of(std::string_view text) {
  const auto bytes = bytes_of_text(text);
  if (!bytes || bytes->size() % sizeof(Word) != 0) return std::nullopt;
  std::vector<Number> numbers(bytes->size() / sizeof(Word));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < sizeof(Word); ++b) {
      word |= static_cast<std::uint32_t>((*bytes)[k * sizeof(Word) + b]) << (8 * b);
    }
    numbers[k] = std::bit_cast<Number>(static_cast<Word>(word));
  }
  return numbers;
}

}  // namespace

std::string text_of_floats(std::span<const float> values) { return text_of<std::uint32_t>(values); }

std::string text_of_shorts(std::span<const std::int16_t> values) {
  return text_of<std::uint16_t>(values);
}

std::optional<std::vector<float>> floats_of_text(std::string_view text) {
  return numbers_of<std::uint32_t, float>(text);
}

std::optional<std::vector<std::int16_t>> shorts_of_text(std::string_view text) {
  return numbers_of<std::uint16_t, std::int16_t>(text);
}

}  // namespace tacet::data
