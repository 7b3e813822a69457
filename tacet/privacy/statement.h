#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tacet/privacy/receipt.h"

namespace tacet::privacy {

/// What is promised of a result that protects somebody.
struct Promise {
  Guarantee guarantee;
  std::string privacy_unit = "record";  ///< or the column whose records are protected together
  double prg_slack = 0;                 ///< the PRG slack
  std::optional<std::int64_t> public_row_count = {};  ///< where it was declared
};

/// The promise in words: what is protected, against whom, how strongly, and on what assumptions.
/// Numbers are rounded up. The delta stated includes what the cipher adds; a pure guarantee is one
/// for ideal noise, and has that beside it. Text from files is escaped.
[[nodiscard]] std::string statement(const Promise& promise);

/// The same in two lines: what is promised, to whom, and how much odds change at most. Against whom
/// it holds, and on what assumptions, only statement() says.
[[nodiscard]] std::string short_statement(const Promise& promise);

}  // namespace tacet::privacy
