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
  std::string digits;      ///< the first and the last are not 0; none for zero
  std::int64_t point = 0;  ///< 0 for zero; beyond +-4 10^18 it stays there

  friend bool operator==(const Decimal&, const Decimal&) = default;
};

/// The number that fills the text, up to blanks and tabs around it: `12`, `+1.5e3`, `-0`, `.5`.
/// Nothing for every other text, words for infinity among them.
[[nodiscard]] std::optional<Decimal> read_decimal(std::string_view text);

/// The one spelling of all texts that are the same value: of numbers by their exact value (7, 7.0,
/// 7e0, +7 and 007 are `7`), however far their exponents, of other texts without blanks and tabs
/// around them. The spelling of a spelling is itself. `room` is for one that the text does not
/// hold.
[[nodiscard]] std::string_view one_spelling(std::string_view text, std::string& room);

}  // namespace tacet::data
