#include "tacet/optimize/sums/prediction_cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"

namespace tacet::optimize {
namespace prediction_cells_test {

data::Schema one_number() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = -1, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  return schema;
}

model::LinearModel identity_model() {
  auto model = model::empty_model(one_number(), model::make_loss("logistic"));
  model.coefficients = {1};
  return model;
}

constexpr CellShape two_by_two{.groups = 1, .cells = 4, .scores = 0};
const PredictionCells confusion{.shape = two_by_two, .norm_bits = 20, .matrix = true};

void add(data::Dataset& records, int value, double label, std::int64_t unit = 0) {
  data::EncodedRow row;
  if (value != 0) {
    row.columns = {0};
    row.values = {static_cast<std::int16_t>(value)};
  }
  row.label = label;
  row.unit = unit;
  records.append(row);
}

/// How many records lie in each cell.
std::vector<std::int64_t> counts_of(const data::Dataset& records) {
  const auto found =
      certified_predictions(prediction_integers(records, identity_model(), confusion), confusion);
  std::vector<std::int64_t> counts;
  for (const auto value : found.sum.open(mechanism::AccessKeys::key())) {
    counts.push_back(std::llround(static_cast<double>(value) * found.sum.grid()));
  }
  counts.push_back(found.records);
  return counts;
}

TEST(PredictionCells, CountActualAgainstPredictedClasses) {
  data::Dataset records(one_number().shape());
  add(records, 2000, 1);   // right
  add(records, 2000, -1);  // wrong
  add(records, -5, -1);    // right
  add(records, -5, -1);
  add(records, -2000, 1);  // wrong
  EXPECT_EQ(counts_of(records), (std::vector<std::int64_t>{2, 1, 1, 1, 5}));
}

TEST(PredictionCells, TheFirstRecordOfAUnitStandsForIt) {
  data::Dataset records(one_number().shape());
  records.declare_units();
  add(records, 2000, 1, 0);
  add(records, -2000, 1, 0);
  add(records, 2000, -1, 1);
  add(records, 2000, 1, data::Dataset::no_unit);
  EXPECT_EQ(counts_of(records), (std::vector<std::int64_t>{0, 1, 0, 1, 2}));
}

TEST(PredictionCells, OfPartsAreCertifiedAsOfAllRecords) {
  data::Dataset all(one_number().shape());
  data::Dataset first(one_number().shape());
  data::Dataset second(one_number().shape());
  for (int k = -20; k < 21; ++k) {
    add(all, 100 * k, k % 3 == 0 ? 1 : -1);
    add(k % 2 == 0 ? first : second, 100 * k, k % 3 == 0 ? 1 : -1);
  }
  PredictionCells cells = confusion;
  cells.shape = {.groups = 1, .cells = 4, .scores = 1, .centred = true};
  cells.loss_cap = 2;
  auto joined = prediction_integers(first, identity_model(), cells);
  const auto others = prediction_integers(second, identity_model(), cells);
  for (std::size_t i = 0; i < joined.size(); ++i) joined[i] += others[i];
  EXPECT_EQ(joined, prediction_integers(all, identity_model(), cells));
  joined.pop_back();
  EXPECT_THROW((void)certified_predictions(joined, cells), base::InternalError);
}

}  // namespace prediction_cells_test
}  // namespace tacet::optimize
