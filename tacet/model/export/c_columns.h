#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/model/export/c_runtime.h"

namespace tacet::model::internal {

/// The way of a record to its features before row scaling, in C.
struct CColumns {
  std::string members;  ///< of the structure, one a line
  std::string names;    ///< lines for a comment that tell columns which have other names; or empty
  std::string tables;   ///< categories, edges, missing values
  std::string code;     ///< that adds the features of `record` to `row`
  CRuntimeParts parts;
  std::int64_t entries = 0;  ///< the most features other than 0 of one record, intercept included
};

/// UsageError for columns that have no such form.
[[nodiscard]] CColumns c_columns(const data::Schema& schema);

}  // namespace tacet::model::internal
