#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/owner/column_facts.h"

/// What a draft says about values that may mean something else. Each is one or two sentences that
/// end with what to do, or empty where nothing is strange.
namespace tacet::data {

/// About numbers that stand apart from all others.
[[nodiscard]] std::string lone_numbers(const ColumnFacts& facts);
/// About the first text that is a usual word for a missing value; `thing` is what it is drafted as.
[[nodiscard]] std::string missing_remark(const std::vector<std::string>& texts,
                                         std::string_view thing);
/// About values that hold several answers, with a separator between them.
[[nodiscard]] std::string several_remark(const std::vector<std::string>& texts);
/// About a line of sums whose name stands among categories.
[[nodiscard]] std::string total_remark(const std::vector<std::string>& texts);

}  // namespace tacet::data
