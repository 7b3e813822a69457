#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/uniform_encoder.h"
#include "tacet/data/schema/schema.h"

namespace tacet::test {

/// 50,000 columns of 0 or 1, of which few are worth having.
inline data::Schema wide_schema(std::int64_t records) {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = 50000, .lower = 0, .upper = 1};
  schema.format.kind = &data::file_kind("libsvm");
  schema.target = {"", data::BinaryTarget{.positive = {"1"}}};
  schema.public_row_count = records;
  return schema;
}

/// Column 7 for the positive, 11 for the negative, 13 now and then, one of 40,000 others in each.
inline data::Dataset wide_records(const data::Schema& schema, std::int64_t count) {
  std::mt19937_64 bits(3);
  data::Dataset dataset(schema.shape());
  data::UniformEncoder encoder(schema);
  data::EncodedRow row;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool positive = bits() % 2 == 0;
    std::vector<std::uint32_t> columns{positive ? 7U : 11U};
    if (bits() % 4 == 0) columns.push_back(13);
    columns.push_back(1000 + static_cast<std::uint32_t>(bits() % 40000));
    encoder.encode(columns, std::vector<double>(columns.size(), 1.0), row);
    row.label = positive ? 1 : -1;
    dataset.append(row);
  }
  return dataset;
}

}  // namespace tacet::test
