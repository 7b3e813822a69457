#pragma once

#include <string>
#include <string_view>

#include "tacet/data/owner/column_facts.h"
#include "tacet/data/schema/schema.h"

/// Drafts the target, from the facts about its column. The file must be public.
namespace tacet::data {

/// A drafted target, and what a person has to answer about it; empty: nothing.
struct DraftedTarget {
  Target target;
  std::string remark = {};
  bool doubtful = false;  ///< the values may mean something else than the draft says
};
/// DataError, with file and line, if the column contains neither numbers nor classes.
[[nodiscard]] DraftedTarget draft_target(const std::string& name, const ColumnFacts& facts,
                                         std::string_view file);

}  // namespace tacet::data
