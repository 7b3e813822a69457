#include "tacet/data/encode/curve_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/curve_directions.h"
#include "tacet/data/encode/curve_records.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/data/schema/number_text.h"

namespace tacet::data {
namespace curve_rows_test {

Schema plain_schema() {
  return schema_from_toml(R"(
    public_row_count = 100
    [target]
    column = "y"
    lower = 0
    upper = 10
    [[column]]
    name = "a"
    kind = "numeric"
    lower = 20
    upper = 100
    missing_indicator = true
    [[column]]
    name = "c"
    kind = "categorical"
    categories = ["u", "v", "w"]
    [[column]]
    name = "b"
    kind = "numeric"
    lower = 0
    upper = 1
    [[column]]
    name = "s"
    kind = "categorical"
    categories = ["no", "yes"]
    coding = "sign"
  )",
                          "s.toml");
}

/// With what training adds, here of public numbers.
Schema curved_schema() {
  auto schema = plain_schema();
  for (auto& column : schema.columns) {
    if (auto* rule = std::get_if<NumericColumn>(&column.rule)) {
      rule->standard = Standard{.mean = 0.1, .stddev = 0.5};
    }
  }
  schema.curves.emplace();
  schema.curves->share = 0.4;
  schema.curves->directions = 12;
  schema.curves->frequencies = 40;
  schema.curves->target = {.mean = -0.25, .stddev = 0.5};
  schema.curves->whitening = {1.2, -0.3, -0.3, 0.9};
  base::ThreadPool threads(1);
  schema.curves = with_directions(*schema.curves, curve_shape(schema), threads);
  schema.constant = std::sqrt(curve_scales(curve_shape(schema), 0.4).constant);
  return schema;
}

using Fields = std::vector<std::string_view>;
const std::vector<std::string> names{"a", "c", "b", "s", "y"};

std::vector<Fields> some_records() {
  std::vector<Fields> records;
  for (const auto* a : {"20", "100", "60", "43.7", "-1e300", "1e300", "", "nan", "x"}) {
    for (const auto* c : {"u", "w", "?"}) {
      for (const auto* b : {"0", "1", "0.3", ""}) {
        for (const auto* s : {"yes", "no", ""}) records.push_back({a, c, b, s, "5"});
      }
    }
  }
  return records;
}

Dataset encoded(const Schema& schema, const std::vector<Fields>& records) {
  Encoder encoder(schema, names, TargetUse::required, "t.csv");
  Dataset out(schema.shape());
  EncodedRow row;
  for (const auto& fields : records) {
    encoder.encode(fields, row);
    out.append(row);
  }
  return out;
}

TEST(CurveRows, AreNoLongerThanTheirBoundAndMostFillIt) {
  const auto schema = curved_schema();
  const auto rows = encoded(schema, some_records());  // append certifies each norm in integers
  EXPECT_EQ(rows.columns(), schema.encoded_column_count());
  EXPECT_EQ(rows.columns(), 2 + 3 + 1 + 1 + 12 + 1);
  const std::int64_t bound = std::int64_t{2048} * 2048;
  std::int64_t most = 0;
  for (std::int64_t k = 0; k < rows.rows(); ++k) {
    EXPECT_LE(rows.squared_norm(k), bound);
    most = std::max(most, rows.squared_norm(k));
  }
  EXPECT_GT(static_cast<double>(most), 0.99 * static_cast<double>(bound));
}

// Curves of several records are made at once, also of the last ones, which are fewer.
TEST(CurveRows, AreTheSameOneByOneAndAppended) {
  auto schema = curved_schema();
  schema.unit = "c";
  auto records = some_records();
  records[5][4] = "";  // no target
  constexpr auto at_once = static_cast<std::int64_t>(CurveMap::points_at_once);
  records.resize(records.size() / CurveMap::points_at_once * CurveMap::points_at_once - 1);
  Encoder one(schema, names, TargetUse::required, "t.csv");
  Encoder many(schema, names, TargetUse::required, "t.csv");
  Dataset rows(schema.shape());
  Dataset appended(schema.shape());
  for (auto* data : {&rows, &appended}) data->declare_units();
  EncodedRow row;
  for (const auto& fields : records) {
    one.encode(fields, row);
    rows.append(row);
    many.append(fields, appended);
    EXPECT_LE(rows.rows() - appended.rows(), at_once - 1);
  }
  many.flush(appended);
  many.flush(appended);  // nothing waits any more
  ASSERT_EQ(appended.rows(), rows.rows());
  for (std::int64_t k = 0; k < rows.rows(); ++k) {
    EXPECT_TRUE(std::ranges::equal(rows.dense_row(k), appended.dense_row(k)));
    EXPECT_EQ(rows.label(k), appended.label(k));
    EXPECT_EQ(rows.labelled(k), appended.labelled(k));
    EXPECT_EQ(rows.unit_of(k), appended.unit_of(k));
  }
  EXPECT_EQ(many.take_units(), one.take_units());
}

// Whatever stands in a model file: the bound does not rest on the numbers of the map.
TEST(CurveRows, AreCertifiedForEveryMap) {
  auto schema = curved_schema();
  std::mt19937_64 random(5);
  std::uniform_real_distribution<float> wild(-1e15F, 1e15F);
  for (auto& value : schema.curves->lines) value = wild(random);
  for (auto& value : schema.curves->weights) value = static_cast<std::int16_t>(random());
  schema.curves->energy = 1e-30;
  for (auto& value : schema.curves->whitening) value = 1e200;
  const auto rows = encoded(schema, some_records());
  for (std::int64_t k = 0; k < rows.rows(); ++k) {
    EXPECT_LE(rows.squared_norm(k), std::int64_t{2048} * 2048);
  }
}

TEST(CurveRows, HaveTheSameBitsForAnyNumberOfThreads) {
  const auto schema = curved_schema();
  const auto raw = encoded(raw_schema(schema), some_records());
  base::ThreadPool one(1);
  base::ThreadPool three(3);
  const auto alone = with_curves(raw, schema, CurveLabels::standardised, one);
  const auto together = with_curves(raw, schema, CurveLabels::standardised, three);
  ASSERT_EQ(alone.rows(), raw.rows());
  for (std::int64_t k = 0; k < raw.rows(); ++k) {
    EXPECT_TRUE(std::ranges::equal(alone.dense_row(k), together.dense_row(k)));
    EXPECT_EQ(alone.label(k), (raw.label(k) + 0.25) / 0.5);
  }
}

// Of the raw row's grid, 2 v - 1 in units of 1/2048, every feature moves by little.
TEST(CurveRows, OfRecordsInMemoryAreThoseOfTheEncoder) {
  const auto schema = curved_schema();
  const auto read = encoded(schema, some_records());
  const auto written = transform(encoded(raw_schema(schema), some_records()), schema);
  ASSERT_EQ(read.rows(), written.rows());
  for (std::int64_t k = 0; k < read.rows(); ++k) {
    EXPECT_EQ(read.label(k), written.label(k));
    for (std::size_t j = 0; j < read.dense_row(k).size(); ++j) {
      EXPECT_NEAR(read.dense_row(k)[j], written.dense_row(k)[j], 8);
    }
  }
}

TEST(Curves, AreAPartOfTheSchemaThatModelsKeep) {
  const auto schema = curved_schema();
  const auto copy = schema_from_json(schema_to_json(schema));
  EXPECT_EQ(copy.curves->weights, schema.curves->weights);
  EXPECT_EQ(copy.curves->lines, schema.curves->lines);
  EXPECT_EQ(copy.curves->whitening, schema.curves->whitening);
  EXPECT_EQ(schema_to_json(copy), schema_to_json(schema));
}

TEST(Curves, ThatMakeNoSenseAreRefused) {
  auto too_long = curved_schema().curves->weights;  // sums would leave 32 bits
  std::ranges::fill(too_long, std::int16_t{-32768});
  const auto fault = [](const char* key, const nlohmann::json& value) {
    auto tree = schema_to_json(curved_schema());
    tree["curves"][key] = value;
    EXPECT_THROW(static_cast<void>(schema_from_json(tree)), base::DataError) << key << value;
  };
  fault("share", 0.6);
  fault("share", -0.1);
  fault("directions", 13);
  fault("directions", 1 << 20);
  fault("frequencies", 0);
  fault("even", 1);
  fault("target_mean", 1.5);
  fault("target_standard_deviation", 0);
  fault("whitening", {1, 2, 3});
  fault("lines", "AACAPw==");
  fault("lines", "not base 64");
  fault("weights", "AQD+/w==");
  fault("weights", "not base 64");
  fault("weights", text_of_shorts(too_long));
  fault("energy", -1);
  fault("more", 1);
}

TEST(Curves, AreForNumbersAndListedCategories) {
  EXPECT_EQ(curve_obstacle(plain_schema()), nullptr);
  const auto with = [](Column column) {
    auto schema = plain_schema();
    schema.columns.push_back(std::move(column));
    return curve_obstacle(schema);
  };
  EXPECT_NE(with({"t", TextColumn{}}), nullptr);
  EXPECT_NE(with({"h", HashedColumn{}}), nullptr);
  EXPECT_NE(with({"n", NumericColumn{.knots = 8}}), nullptr);
  EXPECT_NE(with({"n", NumericColumn{.bins = 8}}), nullptr);
  EXPECT_NE(with({"n", NumericColumn{.period = 24}}), nullptr);
  EXPECT_EQ(with({"n", IgnoredColumn{}}), nullptr);
  auto none = plain_schema();
  none.columns.erase(none.columns.begin() + 2);
  none.columns.erase(none.columns.begin());
  EXPECT_NE(curve_obstacle(none), nullptr);
}

TEST(CurveScales, FillARowByOneAndAHalf) {
  const CurveShape shape{.numbers = 4, .levels = {2, 5}, .others = 1};
  for (const double share : {0.0, 0.1, 0.45, 0.5}) {
    const auto scales = curve_scales(shape, share);
    EXPECT_NEAR(scales.constant + 4 * scales.number + 3 * scales.category + scales.curve, 1.5,
                1e-12);
    EXPECT_EQ(scales.category, 8 * scales.number);
  }
}

}  // namespace curve_rows_test
}  // namespace tacet::data
