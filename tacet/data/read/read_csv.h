#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/data/read/text_blocks.h"

namespace tacet::data::internal {

/// Encodes all records of a CSV file, on all threads of the options where it is longer than a
/// block.
[[nodiscard]] Dataset read_csv(std::unique_ptr<ByteSource> source, const std::string& file_name,
                               const Schema& schema, const ReadOptions& options,
                               std::size_t block = TextBlocks::usual_size);

}  // namespace tacet::data::internal
