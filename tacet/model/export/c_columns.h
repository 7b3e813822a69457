#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/model/export/c_runtime.h"

namespace tacet::model::internal {

/// Maps a record to its features before row scaling, in C.
struct CColumns {
  std::string members;  ///< members of the structure, one per line
  std::string names;   ///< comment lines about columns whose members have other names; may be empty
  std::string tables;  ///< categories, edges, missing values
  std::string code;    ///< adds the features of `record` to `row`
  CRuntimeParts parts;
  /// largest number of features other than 0 of a record, intercept included
  std::int64_t entries = 0;
};

/// UsageError for columns that have no such form.
[[nodiscard]] CColumns c_columns(const data::Schema& schema);

}  // namespace tacet::model::internal
