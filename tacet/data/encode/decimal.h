#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/data/ascii.h"

namespace tacet::data {

/// A decimal number exactly as it is written, of any length: 0.DIGITS times 10^point.
struct Decimal {
  bool negative = false;
  std::string digits;      ///< neither the first nor the last is 0; empty for zero
  std::int64_t point = 0;  ///< 0 for zero; cut to +-4 10^18

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

/// The number that fills the text, up to blanks and tabs around it: `12`, `+1.5e3`, `-0`, `.5`.
/// Nothing for every other text, including words for infinity.
[[nodiscard]] std::optional<Decimal> read_decimal(std::string_view text);

/// The canonical spelling of a value: all texts of the same value have the same one. Numbers are
/// spelt by their exact value (7, 7.0, 7e0, +7 and 007 are `7`), however large their exponents.
/// Other texts lose blanks and tabs around them. The spelling of a spelling is itself. `room` holds
/// the result if it is not a part of the text.
[[nodiscard]] std::string_view one_spelling(std::string_view text, std::string& room);

}  // namespace tacet::data
