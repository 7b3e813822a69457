#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/owner/column_facts.h"

/// Remarks of a draft about values that may mean something else. Each is one or two sentences that
/// end with what to do; empty if nothing is suspicious.
namespace tacet::data {

/// About numbers that are far from all others.
[[nodiscard]] std::string lone_numbers(const ColumnFacts& facts);
/// About the first text that usually means a missing value; `thing` is what it became in the draft.
[[nodiscard]] std::string missing_remark(const std::vector<std::string>& texts,
                                         std::string_view thing);
/// About values that hold several answers, with a separator between them.
[[nodiscard]] std::string several_remark(const std::vector<std::string>& texts);
/// About a line of totals whose name is among the categories.
[[nodiscard]] std::string total_remark(const std::vector<std::string>& texts);

}  // namespace tacet::data
