#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"

namespace tacet::test {

/// Records of two classes, or of numbers -1 and 1, with one number each, whose labels follow it but
/// for the first `flipped` ones.
inline data::Dataset following_records(const data::Schema& schema, std::int64_t rows,
                                       std::int64_t flipped = 0) {
  data::Dataset dataset(schema.shape());
  const auto columns = static_cast<std::size_t>(schema.encoded_column_count());
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int16_t> values(columns, 0);
    values.front() = static_cast<std::int16_t>(row % 2 == 0 ? 1400 : 100);
    values.back() = 900;
    dataset.append_dense(values, (row % 2 == 0) == (row >= flipped) ? 1 : -1);
  }
  return dataset;
}

}  // namespace tacet::test
