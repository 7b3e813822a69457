#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"

/// Numbers and texts as bytes of a request or an answer, least significant byte first.
namespace tacet::optimize::internal {

// All machines that tacet is built for keep numbers in this order.
static_assert(std::endian::native == std::endian::little);

class ByteWriter {
 public:
  void text(std::string_view text) { bytes_.append(text); }
  template <typename Number>
  void number(Number value) {
    std::array<char, sizeof(Number)> raw{};
    std::memcpy(raw.data(), &value, raw.size());
    bytes_.append(raw.data(), raw.size());
  }
  void sized_text(std::string_view text) {
    number(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }
  template <typename Number>
  void numbers(std::span<const Number> values) {
    number(static_cast<std::uint64_t>(values.size()));
    if (values.empty()) return;
    const auto before = bytes_.size();
    bytes_.resize(before + values.size_bytes());
    std::memcpy(bytes_.data() + before, values.data(), values.size_bytes());
  }
  [[nodiscard]] std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter wrote. DataError, which says no content, where the bytes end too early
/// or too late.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string_view what) : bytes_(bytes), what_(what) {}

  void expect(std::string_view text) {
    if (take(text.size()) != text) throw base::DataError("this is no {}", what_);
  }
  template <typename Number>
  [[nodiscard]] Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof(Number)).data(), sizeof(Number));
    return value;
  }
  [[nodiscard]] std::string_view text(std::size_t size) { return take(size); }
  [[nodiscard]] std::string_view sized_text() { return take(size_of(1)); }
  template <typename Number>
  [[nodiscard]] std::vector<Number> numbers() {
    const auto raw = take(size_of(sizeof(Number)));
    std::vector<Number> values(raw.size() / sizeof(Number));
    if (!values.empty()) std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
  void expect_end() const {
    if (!bytes_.empty()) throw base::DataError("the {} goes on behind its end", what_);
  }

 private:
  [[nodiscard]] std::size_t size_of(std::size_t each) {
    const auto count = number<std::uint64_t>();
    if (count > bytes_.size() / each) throw base::DataError("the {} ends too early", what_);
    return static_cast<std::size_t>(count) * each;
  }
  [[nodiscard]] std::string_view take(std::size_t size) {
    if (size > bytes_.size()) throw base::DataError("the {} ends too early", what_);
    const auto taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
  std::string_view what_;
};

}  // namespace tacet::optimize::internal
