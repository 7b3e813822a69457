#pragma once

#include <functional>
#include <string>

#include "tacet/report/record/content.h"

namespace tacet::report {

/// A cell as a person reads it: numbers in four digits, counts in all of theirs.
[[nodiscard]] std::string cell_text(const Cell& cell);
/// The same number again when it is read back; infinity is "inf".
[[nodiscard]] std::string exact_text(const Cell& cell);
[[nodiscard]] bool is_number(const Cell& cell);

/// Calls take(picture) for every picture of the blocks, in their order, folded ones too.
void each_picture(const std::vector<Block>& blocks,
                  const std::function<void(const Picture&)>& take);

}  // namespace tacet::report
