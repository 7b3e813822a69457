#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/schema/schema.h"

/// Records of two numbers and their product, for trainings with curves and without.
namespace tacet::test {

constexpr std::int64_t product_rows = 4000;  // that the schema declares

inline data::Schema product_schema() {
  return data::schema_from_toml(R"(
    public_row_count = 4000
    [target]
    column = "y"
    lower = -1
    upper = 3
    [[column]]
    name = "a"
    kind = "numeric"
    lower = -1
    upper = 1
    [[column]]
    name = "b"
    kind = "numeric"
    lower = -1
    upper = 1
  )",
                                "s.toml");
}

/// y = 1 + 2 a b (and the mean of y is off the middle's by .1), which no line knows.
inline data::Dataset product_records(const data::Schema& schema, std::int64_t count,
                                     unsigned seed) {
  const std::vector<std::string> names{"a", "b", "y"};
  data::Encoder encoder(schema, names, data::TargetUse::required, "t.csv");
  data::Dataset out(schema.shape());
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  data::EncodedRow row;
  for (std::int64_t k = 0; k < count; ++k) {
    const double a = unit(random);
    const double b = unit(random);
    const std::vector<data::Value> values{a, b, 1.2 + 1.8 * a * b};
    encoder.encode(values, row);
    out.append(row);
  }
  return out;
}

}  // namespace tacet::test
