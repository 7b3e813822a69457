#pragma once

#include <string>

#include "tacet/data/owner/column_facts.h"
#include "tacet/data/schema/schema.h"

/// Drafts a column that is not the target, from the facts about it. The file must be public.
namespace tacet::data {

/// A drafted column, and what a person has to answer about it; empty: nothing.
struct Drafted {
  Column column;
  std::string remark = {};
  bool doubtful = false;  ///< the values may mean something else than the draft says
};
[[nodiscard]] Drafted draft_column(const std::string& name, const ColumnFacts& facts);

}  // namespace tacet::data
