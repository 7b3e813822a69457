#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/owner/column_facts.h"

/// What a draft says about values that may mean something else. Each is one or two sentences that
/// end with what to do, or empty where nothing is strange.
namespace tacet::data {

/// A text without capital letters, blanks around it and marks that nobody sees.
[[nodiscard]] std::string folded(std::string_view text);

/// About numbers that stand apart from all others.
[[nodiscard]] std::string lone_numbers(const ColumnFacts& facts);
/// About the first text that is a usual word for a missing value; `thing` is what it is drafted as.
[[nodiscard]] std::string missing_remark(const std::vector<std::string>& texts,
                                         std::string_view thing);
/// About the first two texts that look alike.
[[nodiscard]] std::string alike_remark(const std::vector<std::string>& texts,
                                       std::string_view things);
/// About a line of sums whose name stands among categories.
[[nodiscard]] std::string total_remark(const std::vector<std::string>& texts);

}  // namespace tacet::data
