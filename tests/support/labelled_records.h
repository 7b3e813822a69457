#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tacet/data/read/read_dataset.h"
#include "tacet/model/linear_model.h"
#include "tests/support/data_sets.h"

namespace tacet::test {

struct LabelledRecords {
  data::Schema schema;
  data::Dataset train;
};

/// The table of the tutorial, which is in the tree.
inline LabelledRecords berkeley() {
  auto schema = data::load_schema(source_file("data/schemas/berkeley1973.toml"));
  auto train = data::read_dataset(source_file("data/berkeley1973.csv"), schema);
  return {std::move(schema), std::move(train)};
}

/// The share of records of two classes that a model puts into the right one.
inline double accuracy(const model::LinearModel& model, const data::Dataset& test) {
  std::int64_t right = 0;
  std::vector<double> margin(1);
  for (std::int64_t i = 0; i < test.rows(); ++i) {
    model::margins(model, test, i, margin);
    right += (margin[0] > 0) == (test.label(i) > 0) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(test.rows());
}

}  // namespace tacet::test
