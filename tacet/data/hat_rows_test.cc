#include "tacet/data/hat_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {
namespace hat_rows_test {

constexpr int numbers = 20;

/// Numbers of which some have few knots, some many, some none, and other columns between them.
Schema schema_of(const std::string& top, std::int64_t knots) {
  std::string text = top;
  for (int j = 0; j < numbers; ++j) {
    text += "[[column]]\nname = \"x" + std::to_string(j) + "\"\nkind = \"numeric\"\nlower = " +
            (j % 3 == 0 ? "0\nupper = 1\n" : "-3\nupper = 5\n") +
            (j == 4 ? "missing_indicator = true\n" : "") + (j == 5 ? "log1p = false\n" : "") +
            "knots = " + std::to_string(j == 7 && knots > 8 ? 8 : knots) + "\n";
    if (j == 10) {
      text += "[[column]]\nname = \"c\"\nkind = \"categorical\"\ncategories = [\"a\", \"b\"]\n";
    }
  }
  auto schema = schema_from_toml(text, "s.toml");
  schema.packs_numbers = true;
  return schema;
}

std::vector<std::string> columns() {
  std::vector<std::string> names{"c"};
  for (int j = 0; j < numbers; ++j) names.push_back("x" + std::to_string(j));
  return names;
}

/// Records of numbers within their bounds, outside, on knots and missing ones.
Dataset random_records(const Schema& schema, int count) {
  std::mt19937_64 bits(3);
  Encoder encoder(schema, columns(), TargetUse::absent, "");
  Dataset records(schema.unlabelled_shape());
  for (int i = 0; i < count; ++i) {
    std::vector<Value> values{std::string_view(bits() % 2 == 0 ? "a" : "b")};
    for (int j = 0; j < numbers; ++j) {
      const double any = static_cast<double>(bits() % 100000) / 10000 - 4;
      const auto kind = bits() % 16;
      values.emplace_back(kind == 0   ? Value(Missing())
                          : kind == 1 ? Value(static_cast<std::int64_t>(any))
                                      : Value(i % 5 == 0 ? any / 1000 : any));
    }
    encoder.append(values, records);
  }
  encoder.flush(records);
  return records;
}

Schema unpacked_schema(Schema schema) {
  schema.packs_numbers = false;
  return schema;
}

std::vector<std::int16_t> row_of(const Dataset& records, std::int64_t row) {
  std::vector<std::int16_t> room;
  if (!records.sparse()) {
    const auto dense = records.dense_row(row, room);
    return {dense.begin(), dense.end()};
  }
  room.resize(static_cast<std::size_t>(records.columns()));
  const auto sparse = records.sparse_row(row);
  for (std::size_t k = 0; k < sparse.columns.size(); ++k) {
    room[sparse.columns[k]] = sparse.values[k];
  }
  return room;
}

void expect_near_rows(const Dataset& one, const Dataset& other, int units) {
  ASSERT_EQ(one.rows(), other.rows());
  for (std::int64_t row = 0; row < one.rows(); ++row) {
    const auto first = row_of(one, row);
    const auto second = row_of(other, row);
    for (std::size_t k = 0; k < first.size(); ++k) {
      ASSERT_NEAR(first[k], second[k], units) << row << " " << k;
    }
    ASSERT_EQ(one.labelled(row), other.labelled(row));
  }
}
void expect_same_rows(const Dataset& one, const Dataset& other) { expect_near_rows(one, other, 0); }

TEST(HatRows, EncodedRowsComeOutWithinHalfAStepOfAPosition) {
  for (const std::int64_t knots : {8, 9, 31, 32}) {
    for (const std::string top : {"", "row_scaling = \"const\"\n", "intercept = false\n"}) {
      const auto schema = schema_of(top, knots);
      const auto packed = random_records(schema, 400);
      ASSERT_NE(packed.packing(), nullptr);
      EXPECT_FALSE(packed.has_odd_rows());
      // Half a step of a hat function is 2 units; the rest is rounding.
      expect_near_rows(packed, random_records(unpacked_schema(schema), 400), 3);
    }
  }
}

TEST(HatRows, ANormCountsTheIntegersAndTheirScaleKeepsTheBound) {
  for (const std::string top : {"", "row_scaling = \"const\"\n"}) {
    const auto packed = random_records(schema_of(top, 32), 400);
    std::vector<std::int32_t> integers(static_cast<std::size_t>(packed.columns()));
    for (std::int64_t row = 0; row < packed.rows(); ++row) {
      packed.packing()->integers(packed.packed_row(row), integers);
      std::int64_t square = 0;
      for (const std::int64_t integer : integers) square += integer * integer;
      ASSERT_EQ(packed.squared_norm(row), square);
      const auto bound = static_cast<double>(packed.squared_norm_bound());
      EXPECT_LE(packed.scale(row) * packed.scale(row) * static_cast<double>(square), bound);
      EXPECT_LE(std::sqrt(static_cast<double>(square)), 2048 * packed.packing()->norm_bound());
      std::int64_t rounded = 0;
      for (const std::int64_t integer : row_of(packed, row)) rounded += integer * integer;
      EXPECT_LE(rounded, packed.squared_norm_bound());
    }
  }
}

TEST(HatRows, StandardisedRowsPackToo) {
  const auto schema = schema_of("", 8);
  const auto raw = random_records(raw_schema(schema), 400);
  auto released = schema;
  int j = 0;
  for (Column& column : released.columns) {
    auto* rule = std::get_if<NumericColumn>(&column.rule);
    if (rule == nullptr) continue;
    rule->standard = Standard{.mean = 0.1 * (j % 7 - 3), .stddev = 0.05 * (1 + j % 19)};
    ++j;
  }
  const auto packed = transform(raw, released);
  ASSERT_NE(packed.packing(), nullptr);
  EXPECT_EQ(packed.packing()->numbers().size(), static_cast<std::size_t>(numbers));
  EXPECT_FALSE(packed.has_odd_rows());
  expect_near_rows(packed, transform(raw, unpacked_schema(released)), 8);
  expect_same_rows(unpacked(packed), packed);
  // One so steep does not pack, and would not fit a packed row.
  std::get<NumericColumn>(released.columns[0].rule).standard = Standard{.mean = 0, .stddev = 0.02};
  EXPECT_TRUE(released.shape().hats.empty());
}

TEST(HatRows, RowsThatDoNotPackAreKeptAsTheyAre) {
  const auto shape = schema_of("", 8).unlabelled_shape();
  ASSERT_FALSE(shape.hats.empty());
  auto plain = shape;
  plain.hats.clear();
  Dataset packed(shape);
  Dataset dense(plain);
  std::mt19937_64 bits(9);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int16_t> row(static_cast<std::size_t>(shape.columns), 0);
    for (auto& value : row) {
      if (i % 4 != 0) value = static_cast<std::int16_t>(static_cast<int>(bits() % 201) - 100);
    }
    packed.append_dense(row, 0);
    dense.append_dense(row, 0);
  }
  EXPECT_TRUE(packed.has_odd_rows());
  expect_same_rows(packed, dense);
  const auto other = random_records(schema_of("", 8), 50);
  Dataset both(shape);
  both.append(packed);
  both.append(other);
  both.append(packed);
  Dataset one_by_one(shape);
  for (std::int64_t row = 0; row < 200; ++row) one_by_one.append(packed, row, 0);
  for (std::int64_t row = 0; row < 50; ++row) one_by_one.append(other, row, 0);
  for (std::int64_t row = 0; row < 200; ++row) one_by_one.append(packed, row, 0);
  expect_same_rows(both, one_by_one);
  for (std::int64_t row = 0; row < 200; ++row) {
    ASSERT_EQ(row_of(both, row), row_of(packed, row));
    ASSERT_EQ(row_of(both, 250 + row), row_of(packed, row));
    ASSERT_EQ(both.squared_norm(row), packed.squared_norm(row));
  }
  for (std::int64_t row = 0; row < 50; ++row) {
    ASSERT_EQ(row_of(both, 200 + row), row_of(other, row));
  }
}

TEST(HatRows, ANumberTakesTwoBytesWhateverItsKnots) {
  for (const std::int64_t knots : {8, 32}) {
    const auto records = random_records(schema_of("", knots), 2000);
    // A number with 2 bytes, the rest (missing, categories, the constant) with 8, the row with 4
    // beside label and norm; the last block grows by doubling.
    EXPECT_LE(records.memory_bytes(), 2 * 2048 * (20 * 2 + 3 * 8 + 8 + 4 + 16));
  }
}

TEST(HatRows, FewNumbersAndOtherStorageStayAsTheyAre) {
  auto schema = schema_of("", 8);
  schema.storage = StorageChoice::dense;
  EXPECT_TRUE(schema.shape().hats.empty());
  schema = schema_of("", 8);
  EXPECT_EQ(schema.shape().hats.size(), static_cast<std::size_t>(numbers));
  EXPECT_TRUE(schema_of("", 7).shape().hats.empty());
  schema.columns.resize(10);
  EXPECT_TRUE(schema.shape().hats.empty());
  EXPECT_TRUE(schema_of("", 64).shape().hats.empty());
  EXPECT_TRUE(unpacked_schema(schema_of("", 8)).shape().hats.empty());
}

}  // namespace hat_rows_test
}  // namespace tacet::data
