#pragma once

#include <string>

#include "tacet/data/owner/column_facts.h"
#include "tacet/data/schema/schema.h"

/// What a draft makes of the facts of a public column that is no target.
namespace tacet::data {

/// A drafted column and what a person has to answer about it; empty: nothing.
struct Drafted {
  Column column;
  std::string remark = {};
  bool doubtful = false;  ///< the values may mean something else than what is drafted
};
[[nodiscard]] Drafted draft_column(const std::string& name, const ColumnFacts& facts);

}  // namespace tacet::data
