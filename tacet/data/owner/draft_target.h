#pragma once

#include <string>
#include <string_view>

#include "tacet/data/owner/column_facts.h"
#include "tacet/data/schema/schema.h"

/// What a draft makes of the facts of a public column that is to be predicted.
namespace tacet::data {

/// A drafted target and what a person has to answer about it; empty: nothing.
struct DraftedTarget {
  Target target;
  std::string remark = {};
  bool doubtful = false;  ///< the values may mean something else than what is drafted
};
/// DataError with file and line where the column is neither a number nor a class.
[[nodiscard]] DraftedTarget draft_target(const std::string& name, const ColumnFacts& facts,
                                         std::string_view file);

}  // namespace tacet::data
