#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tacet/privacy/receipt.h"

namespace tacet::privacy {

/// The promise of a protected result.
struct Promise {
  Guarantee guarantee;
  std::string privacy_unit = "record";  ///< or the column whose records are protected together
  double prg_slack = 0;                 ///< the PRG slack
  std::optional<std::int64_t> public_row_count = {};  ///< where it was declared
};

/// The promise in words: what is protected, against whom, how strongly, and on what assumptions.
/// Numbers are rounded up. The delta stated includes what the cipher adds; a pure guarantee is
/// stated for ideal noise, with the cipher's share beside it. Text from files is escaped.
[[nodiscard]] std::string statement(const Promise& promise);

/// The promise in two lines: what is promised, to whom, and by how much odds change at most. Only
/// statement() says against whom it holds and on which assumptions.
[[nodiscard]] std::string short_statement(const Promise& promise);

}  // namespace tacet::privacy
