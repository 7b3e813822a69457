#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/export/export.h"

namespace tacet::model::internal {

/// Features of a record of which at most one differs from 0.
struct SqlSlot {
  std::string value;  ///< its value, before row scaling
  std::string index;  ///< its index from 0; below 0: no feature; empty: there is only one
  std::int64_t first;
  std::int64_t count;
};

/// Maps a record to its features before row scaling, as steps of one query. Each step is a list of
/// `expression AS name`, which may use names of earlier steps.
struct SqlColumns {
  static constexpr std::size_t step_count = 7;
  std::array<std::vector<std::string>, step_count> steps;
  std::vector<SqlSlot> slots;        ///< ascending
  std::vector<std::string> indexes;  ///< names of the steps that compute the slots' indexes
};

/// UsageError for columns that have no such form.
[[nodiscard]] SqlColumns sql_columns(const data::Schema& schema, SqlDialect dialect);

}  // namespace tacet::model::internal
