#pragma once

#include "tacet/data/read/read_dataset.h"
#include "tacet/data/read/uniform_records.h"

namespace tacet::data::internal {

/// Encodes all records of a file whose features have no names. Labels are read unless the target is
/// absent. There may be no records.
[[nodiscard]] Dataset read_uniform(UniformRecords& records, const Schema& schema,
                                   const ReadOptions& options);

}  // namespace tacet::data::internal
