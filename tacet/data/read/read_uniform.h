#pragma once

#include <cstddef>

#include "tacet/data/read/read_dataset.h"
#include "tacet/data/read/text_blocks.h"
#include "tacet/data/read/uniform_records.h"

namespace tacet::data::internal {

/// Encodes all records of a file whose features have no names. Labels are read unless the target is
/// absent. There may be no records. On several threads a file of lines is cut into blocks, and the
/// records of others are read by one and encoded by all.
[[nodiscard]] Dataset read_uniform(UniformRecords& records, const Schema& schema,
                                   const ReadOptions& options,
                                   std::size_t block = TextBlocks::usual_size);

}  // namespace tacet::data::internal
