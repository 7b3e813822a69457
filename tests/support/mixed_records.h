#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/schema/schema.h"

namespace tacet::test {

/// Two numbers, one of them with knots, and a category, with a number as target.
inline data::Schema mixed_schema() {
  return data::schema_from_toml(R"(
    public_row_count = 4
    [target]
    column = "y"
    lower = 0
    upper = 1
    [[column]]
    name = "a"
    kind = "numeric"
    lower = 20
    upper = 100
    knots = 3
    [[column]]
    name = "c"
    kind = "categorical"
    categories = ["u", "v"]
    [[column]]
    name = "f"
    kind = "numeric"
    lower = 0
    upper = 1
  )",
                                "s.toml");
}

using Fields = std::vector<std::string_view>;

inline data::Dataset encode(const data::Schema& schema, const std::vector<Fields>& records,
                            const std::vector<std::string>& names = {"a", "c", "f", "y"}) {
  data::Encoder encoder(schema, names, data::TargetUse::required, "t.csv");
  data::Dataset out(schema.shape());
  data::EncodedRow row;
  for (const auto& fields : records) {
    encoder.encode(fields, row);
    out.append(row);
  }
  return out;
}

/// Units as a data set has them: numbered in the order in which they appear.
class UnitNumbers {
 public:
  std::int64_t of(std::int64_t unit) {
    if (unit == data::Dataset::no_unit) return unit;
    return numbers_.try_emplace(unit, static_cast<std::int64_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::int64_t, std::int64_t> numbers_;
};

/// The same of units: record k belongs to unit units[k].
inline data::Dataset encode_units(const data::Schema& schema, const std::vector<Fields>& records,
                                  const std::vector<std::int64_t>& units) {
  auto without_column = schema;
  without_column.unit.reset();
  const auto single = encode(without_column, records);
  data::Dataset out(schema.shape());
  out.declare_units();
  UnitNumbers numbers;
  for (std::int64_t row = 0; row < single.rows(); ++row) {
    out.append_dense(single.dense_row(row), single.label(row),
                     numbers.of(units[static_cast<std::size_t>(row)]));
  }
  return out;
}

/// What a record can be: the ends, the middle, nonsense, what is missing.
inline std::vector<Fields> all_records() {
  std::vector<Fields> records;
  for (const auto* a : {"20", "100", "60", "43.7", "-1e300", "1e300", "", "nan", "x"}) {
    for (const auto* c : {"u", "w"}) {
      for (const auto* f : {"0", "1", "0.3", "", "7"}) records.push_back({a, c, f, "0.5"});
    }
  }
  return records;
}

}  // namespace tacet::test
