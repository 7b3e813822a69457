#include "tacet/data/encode/narrow_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "tacet/base/error.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/uniform_encoder.h"

namespace tacet::data {
namespace narrow_rows_test {

using Family = ProjectionFamily;

Schema schema_of(std::int64_t count, std::optional<Projection> projection) {
  Schema schema;
  schema.features = UniformFeatures{.count = count, .lower = -1, .upper = 1};
  schema.format.kind = &file_kind("libsvm");
  schema.target = {"", RegressionTarget{0, 10}};
  schema.projection = projection;
  schema.validate();
  return schema;
}

std::int64_t squared(const EncodedRow& row) {
  std::int64_t sum = 0;
  for (const std::int64_t v : row.values) sum += v * v;
  return sum;
}

// A thousand columns that all go to one place with one sign: their image would be 22 times as long
// as the row. Whatever the map and the row, what is stored keeps the bound, and a data set takes
// it.
TEST(NarrowRows, AdversarialRowsKeepTheBound) {
  for (const auto& projection :
       {Projection{Family::countsketch, 16, 7, 1}, Projection{Family::countsketch, 16, 7, 4},
        Projection{Family::srht, 16, 7, 1}, Projection{Family::gaussian, 16, 7, 1},
        Projection{Family::gaussian, 16, 7, 1, 2}}) {
    const auto schema = schema_of(20000, projection);
    const ProjectionMap map(projection, 20000);
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    for (std::uint32_t j = 0; j < 20000 && columns.size() < 500; ++j) {
      const std::vector<double> first{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
      if (map.lift(j, first) * static_cast<double>(projection.room) <= 0.2) continue;
      columns.push_back(j);
      values.push_back(1);
    }
    ASSERT_GT(columns.size(), 200U);
    EncodedRow row;
    UniformEncoder(schema).encode(columns, values, row);
    EXPECT_LE(squared(row), std::int64_t{2048} * 2048);
    EXPECT_GT(squared(row), std::int64_t{2040} * 2000);  // cut to the bound, not below it
    Dataset dataset(schema.shape());
    dataset.append(row);
    EXPECT_EQ(dataset.columns(), 17);
  }
}

// With room for twice the length a row whose image is up to twice the bound is stored as half of
// it; without, it is cut. What the paper assumes of every row is so for these.
TEST(NarrowRows, RoomKeepsImagesUpToTwiceTheBound) {
  std::mt19937_64 bits(31);
  std::uniform_real_distribution<double> some(-1, 1);
  int longer = 0;
  for (std::int64_t trial = 0; trial < 200; ++trial) {
    const Projection narrow{Family::gaussian, 8, trial, 1, 2};
    auto schema = schema_of(64, narrow);
    schema.intercept = false;
    auto plain = schema;
    plain.projection.reset();
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    for (std::uint32_t j = 0; j < 64; ++j) {
      columns.push_back(j);
      values.push_back(some(bits));
    }
    EncodedRow row;
    EncodedRow half;
    UniformEncoder(plain).encode(columns, values, row);
    UniformEncoder(schema).encode(columns, values, half);
    std::vector<double> image(8);
    const std::vector<double> stored(row.values.begin(), row.values.end());
    ProjectionMap({Family::gaussian, 8, trial, 1}, 64).apply(row.columns, stored, image);
    double square = 0;
    for (const double v : image) square += v * v;
    if (square > 4.0 * 2048 * 2048) continue;
    if (square > 2048.0 * 2048) ++longer;
    std::size_t k = 0;
    for (std::size_t i = 0; i < image.size(); ++i) {
      const auto expected = static_cast<std::int16_t>(image[i] / 2);
      if (expected == 0) continue;
      ASSERT_LT(k, half.values.size());
      EXPECT_NEAR(half.values[k++], expected, 1);
    }
  }
  EXPECT_GT(longer, 40);
}

// Rows that are not scaled may be 31 long; a place where hundreds of their columns meet is cut to
// the largest feature that is stored, whatever the values are.
TEST(NarrowRows, PlacesOfLongRowsAreCutToTheLargestFeature) {
  for (const auto family : {Family::countsketch, Family::srht, Family::gaussian}) {
    auto schema = schema_of(1000, Projection{family, 8, 3, 1});
    schema.row_scaling = RowScaling::none;
    const ProjectionMap map(*schema.projection, 1000);
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    for (std::uint32_t j = 0; j < 1000; ++j) {
      const double entry = map.lift(j, std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0});
      if (entry == 0) continue;
      columns.push_back(j);
      values.push_back(entry > 0 ? 1 : -1);
    }
    EncodedRow row;
    UniformEncoder(schema).encode(columns, values, row);
    Dataset dataset(schema.shape());
    EXPECT_NO_THROW(dataset.append(row));
    EXPECT_EQ(row.values.front(), Dataset::feature_scale);
    EXPECT_EQ(dataset.rows(), 1);
  }
}

// One record's values are nothing to the others': infinities, no numbers and denormals count 0.
TEST(NarrowRows, ValuesThatAreNoneAreZero) {
  const auto schema = schema_of(1000, Projection{Family::countsketch, 16, 1, 4});
  UniformEncoder encoder(schema);
  EncodedRow row;
  EncodedRow clean;
  encoder.encode(std::vector<std::uint32_t>{1, 5, 9, 40},
                 std::vector<double>{std::numeric_limits<double>::quiet_NaN(), 0.5,
                                     std::numeric_limits<double>::infinity(), 5e-324},
                 row);
  encoder.encode(std::vector<std::uint32_t>{5}, std::vector<double>{0.5}, clean);
  EXPECT_EQ(row.columns, clean.columns);
  EXPECT_EQ(row.values, clean.values);
  encoder.encode(std::vector<std::uint32_t>{}, std::vector<double>{}, row);
  EXPECT_EQ(row.columns, std::vector<std::uint32_t>{16});  // the intercept alone
}

// Entries 0 and +-1, or +-1/2, in the stored integers: what is not cut is what it should be, to the
// bit, and has at most as many entries as blocks times the row's.
TEST(NarrowRows, CountsketchIsExactInTheStoredIntegersAndSparse) {
  std::mt19937_64 bits(5);
  for (const std::int64_t blocks : {1, 4}) {
    const Projection projection{Family::countsketch, 64, 11, blocks};
    auto schema = schema_of(std::int64_t{1} << 30, projection);
    schema.intercept = false;  // with it every row is as long as it may be, and many images are cut
    const ProjectionMap map(projection, std::int64_t{1} << 30);
    UniformEncoder narrow(schema);
    UniformEncoder wide(schema.unnarrowed());
    EXPECT_EQ(schema.shape().storage, Storage::sparse);
    for (int trial = 0; trial < 100; ++trial) {
      std::vector<std::uint32_t> columns;
      std::uint32_t at = 0;
      for (int k = 0; k < 6; ++k)
        columns.push_back(at += 1 + static_cast<std::uint32_t>(bits() % (1U << 27)));
      const std::vector<double> values{0.01, -0.02, 0.03, 0.011, -0.013, 0.05};
      EncodedRow row;
      EncodedRow full;
      narrow.encode(columns, values, row);
      wide.encode(columns, values, full);
      EXPECT_LE(row.columns.size(), static_cast<std::size_t>(6 * blocks));
      std::vector<double> expected(64, 0.0);
      for (std::size_t k = 0; k < full.columns.size(); ++k) {
        map.sketch(full.columns[k], full.values[k],
                   [&](std::uint32_t place, double part) { expected[place] += part; });
      }
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        EXPECT_EQ(row.values[k], static_cast<std::int16_t>(expected[row.columns[k]]));
        expected[row.columns[k]] = 0;
      }
      for (const double rest : expected) EXPECT_LT(std::fabs(rest), 1);
    }
  }
}

TEST(NarrowRows, KeptColumnsStandInOrder) {
  auto schema = schema_of(1000, std::nullopt);
  schema.selected_columns = {3, 500, 999};
  schema.validate();
  EXPECT_EQ(schema.encoded_column_count(), 4);
  EXPECT_EQ(schema.retained_columns(), (std::vector<std::uint32_t>{3, 500, 999, 1000}));
  const auto features = schema.encoded_columns();
  ASSERT_EQ(features.size(), 4U);
  EXPECT_EQ(features[1].name, "feature 501");
  UniformEncoder encoder(schema);
  UniformEncoder wide(schema.unnarrowed());
  EncodedRow row;
  EncodedRow full;
  const std::vector<std::uint32_t> columns{2, 3, 7, 999};
  const std::vector<double> values{0.5, 0.25, -0.5, -0.125};
  encoder.encode(columns, values, row);
  wide.encode(columns, values, full);
  EXPECT_EQ(row.columns, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(row.values,
            (std::vector<std::int16_t>{full.values[1], full.values[3], full.values[4]}));
  // The same from rows in memory.
  Dataset all(schema.unnarrowed().shape());
  all.append(full);
  const auto kept = keep_columns(all, schema);
  const auto stored = kept.sparse_row(0);
  EXPECT_TRUE(std::ranges::equal(stored.columns, row.columns));
  EXPECT_TRUE(std::ranges::equal(stored.values, row.values));
}

// Words that stay are scaled to the length of all words, whichever stay, and never beyond it; a
// message without any of them has its other features alone.
TEST(NarrowRows, TextsAreTheSetsOfTheirKeptWords) {
  Schema schema;
  schema.columns = {{"t", TextColumn{.bits = 10}}, {"h", HashedColumn{.bits = 4}}};
  schema.target = {"y", RegressionTarget{0, 10}};
  const auto names = std::vector<std::string>{"t", "h"};
  Encoder wide(schema, names, TargetUse::absent, "t.csv");
  std::mt19937_64 bits(9);
  for (int trial = 0; trial < 300; ++trial) {
    std::string text;
    const auto words = bits() % 9;
    for (std::uint64_t k = 0; k < words; ++k) text += "w" + std::to_string(bits() % 500) + " ";
    const std::vector<std::string_view> fields{text, "x"};
    EncodedRow full;
    wide.encode(fields, full);
    auto kept = schema;
    auto& columns = kept.selected_columns.emplace();
    for (std::uint32_t j = 0; j < 1040; ++j) {
      if (bits() % 3 == 0) columns.push_back(j);
    }
    kept.validate();
    EncodedRow row;
    Encoder(kept, names, TargetUse::absent, "t.csv").encode(fields, row);
    const auto length = [](const EncodedRow& of, std::int64_t end) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < of.columns.size() && of.columns[k] < end; ++k) {
        sum += std::int64_t{of.values[k]} * of.values[k];
      }
      return sum;
    };
    const auto of_text = std::ranges::lower_bound(columns, 1024U) - columns.begin();
    const auto now = length(row, of_text);
    const auto before = length(full, 1024);
    EXPECT_LE(now, before);
    EXPECT_TRUE(now == 0 || static_cast<double>(now) > 0.99 * static_cast<double>(before));
    EXPECT_LE(squared(row), squared(full));
    EXPECT_EQ(row.values.back(), full.values.back());  // the intercept
  }
}

TEST(NarrowRows, SchemasRoundTripAndRefuseContradictions) {
  auto schema = schema_of(1000, Projection{Family::countsketch, 64, 9, 4});
  EXPECT_EQ(schema_from_json(schema_to_json(schema)).projection, schema.projection);
  EXPECT_EQ(schema.encoded_column_count(), 65);
  schema.selected_columns = {1};
  EXPECT_THROW(schema.validate(), base::DataError);
  schema.projection.reset();
  EXPECT_EQ(schema_from_json(schema_to_json(schema)).selected_columns, schema.selected_columns);
  for (const std::vector<std::uint32_t>& wrong :
       {std::vector<std::uint32_t>{1000}, {5, 5}, {7, 3}}) {
    schema.selected_columns = wrong;
    EXPECT_THROW(schema.validate(), base::DataError);
  }
  schema.selected_columns.reset();
  schema.projection = Projection{Family::countsketch, 1001, 0, 1};
  EXPECT_THROW(schema.validate(), base::DataError);
}

}  // namespace narrow_rows_test
}  // namespace tacet::data
