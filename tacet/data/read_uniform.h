#pragma once

#include <string>

#include "tacet/data/read_dataset.h"
#include "tacet/data/uniform_records.h"

namespace tacet::data::internal {

/// Encodes all records of a file whose features have no names. Labels are read unless the target is
/// absent. A file without records is a DataError that names it.
[[nodiscard]] Dataset read_uniform(UniformRecords& records, const std::string& file_name,
                                   const Schema& schema, const ReadOptions& options);

}  // namespace tacet::data::internal
