#include "tacet/data/encode/uniform_encoder.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::data {
namespace uniform_encoder_test {

using Columns = std::vector<std::uint32_t>;
using Values = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Schema with_target(decltype(Target::rule) rule) {
  Schema schema;
  schema.features = UniformFeatures{.count = 3, .lower = -1, .upper = 1};
  schema.format.kind = &file_kind("libsvm");
  schema.target = {"", std::move(rule)};
  return schema;
}

Schema two_classes() { return with_target(BinaryTarget{.positive = {"1"}, .negative = {"0"}}); }

/// What a label of another program is stored as.
template <typename Label>
double stored(const Schema& schema, Label label) {
  Dataset data(schema.shape());
  EncodedRow row;
  UniformEncoder(schema).encode(Columns{1}, Values{0.5}, label, row);
  data.append(row);
  return data.label(0);
}

bool takes(const Schema& schema, double label) {
  Dataset data(schema.shape());
  try {
    data.append({.label = label});
  } catch (const base::UsageError&) {
    return false;
  }
  return data.rows() == 1;
}

TEST(LabelsOfRows, OfTwoClassesAreSigns) {
  const auto schema = two_classes();
  EXPECT_EQ(stored(schema, 1.0), 1);
  EXPECT_EQ(stored(schema, 0.0), -1);
  EXPECT_EQ(stored(schema, "1"), 1);
  EXPECT_EQ(stored(schema, 7.0), -1);  // unknown: not the positive one
  EXPECT_EQ(stored(schema, not_a_number), -1);
  for (const double label : {-1.0, 1.0}) EXPECT_TRUE(takes(schema, label));
  for (const double label : {0.0, 2.0, 0.5, -5.0, 5.0, infinity, not_a_number}) {
    EXPECT_FALSE(takes(schema, label)) << label;
  }
}

TEST(LabelsOfRows, OfSeveralClassesAreTheirPlaces) {
  const auto schema = with_target(MultiClassTarget{.classes = {"a", "b", "7"}, .unknown = 1});
  EXPECT_EQ(stored(schema, "a"), 0);
  EXPECT_EQ(stored(schema, 7.0), 2);
  EXPECT_EQ(stored(schema, -3.0), 1);
  for (const double label : {0.0, 1.0, 2.0}) EXPECT_TRUE(takes(schema, label));
  for (const double label : {7.0, 3.0, -3.0, -1.0, 0.5, infinity, not_a_number}) {
    EXPECT_FALSE(takes(schema, label)) << label;
  }
}

TEST(LabelsOfRows, OfNumbersLieInTheirInterval) {
  const auto number = with_target(RegressionTarget{.lower = 0, .upper = 10});
  EXPECT_EQ(stored(number, 10.0), 1);
  EXPECT_EQ(stored(number, -100.0), -1);
  EXPECT_EQ(stored(number, 5.0), 0);
  for (const double label : {-1.0, -0.3, 0.0, 1.0}) EXPECT_TRUE(takes(number, label));
  for (const double label : {1.0000001, -5.0, infinity, not_a_number}) {
    EXPECT_FALSE(takes(number, label)) << label;
  }
  for (const auto kind : {NumberKind::probability, NumberKind::count}) {
    const auto share = with_target(RegressionTarget{.lower = 0, .upper = 1, .kind = kind});
    EXPECT_EQ(stored(share, 0.25), 0.25);
    for (const double label : {0.0, 0.3, 1.0}) EXPECT_TRUE(takes(share, label));
    for (const double label : {-0.1, 1.1, -1.0, not_a_number}) EXPECT_FALSE(takes(share, label));
  }
}

// A record without a label, as it is for predictions, is none to train on.
TEST(LabelsOfRows, AreMissingInRowsForPredictions) {
  const auto schema = two_classes();
  EncodedRow row;
  row.label = 1;
  UniformEncoder(schema).encode(Columns{0}, Values{1}, row);
  EXPECT_EQ(row.label, 0);
  Dataset training(schema.shape());
  EXPECT_THROW(training.append(row), base::UsageError);
  Dataset plain(schema.unlabelled_shape());
  plain.append(row);
  EXPECT_THROW(plain.append({.label = 1}), base::UsageError);
  EXPECT_EQ(plain.rows(), 1);
}

TEST(UniformEncoder, RefusesWhatIsNoRecordOfItsSchema) {
  const auto schema = two_classes();
  UniformEncoder encoder(schema);
  EncodedRow row;
  EXPECT_NO_THROW(encoder.encode(Columns{0, 2}, Values{1, 1}, 1.0, row));
  EXPECT_THROW(encoder.encode(Columns{0, 3}, Values{1, 1}, 1.0, row), base::UsageError);
  EXPECT_THROW(encoder.encode(Columns{2, 0}, Values{1, 1}, 1.0, row), base::UsageError);
  EXPECT_THROW(encoder.encode(Columns{1, 1}, Values{1, 1}, 1.0, row), base::UsageError);
  EXPECT_THROW(encoder.encode(Columns{0}, Values{1, 1}, 1.0, row), base::UsageError);
  auto without = schema;
  without.target.reset();
  UniformEncoder unlabelled(without);
  EXPECT_THROW(unlabelled.encode(Columns{0}, Values{1}, 1.0, row), base::UsageError);
  without.features.reset();
  EXPECT_THROW(UniformEncoder{without}, base::UsageError);
}

// Bounds hold whatever is given: clipping is no trust.
TEST(UniformEncoder, EnforcesBoundsOfValues) {
  const auto schema = two_classes();
  UniformEncoder encoder(schema);
  Dataset data(schema.shape());
  EncodedRow row;
  for (const double value : {1e300, -1e300, infinity, -infinity, not_a_number, 1e-320}) {
    encoder.encode(Columns{0, 1, 2}, Values{value, value, -value}, 1.0, row);
    EXPECT_NO_THROW(data.append(row)) << value;
  }
  for (std::int64_t k = 0; k < data.rows(); ++k) {
    EXPECT_LE(data.squared_norm(k), data.squared_norm_bound());
  }
}

// T-0.2: whatever is given becomes a row within its bounds, and that row becomes itself: what is
// bounded once is not moved again.
TEST(UniformEncoder, WhatItMadeOfARowStaysAsItIs) {
  auto schema = two_classes();
  schema.intercept = false;
  schema.row_scaling = RowScaling::clip1;
  UniformEncoder encoder(schema);
  const Values difficult{1e300,  -1e300, infinity, -infinity, not_a_number, 1e-320, -5e-324,
                         1e-310, 0.0,    -0.0,     1,         0.7,          1e-4,   -0.5};
  const auto encoded = [&](const Columns& columns, const Values& values) {
    EncodedRow row;
    EXPECT_NO_THROW(encoder.encode(columns, values, 1.0, row));
    return row;
  };
  const auto check = [&](const Columns& columns, const Values& values) {
    const auto once = encoded(columns, values);
    Values again;
    for (const auto value : once.values) again.push_back(value / double{Dataset::feature_scale});
    const auto twice = encoded(once.columns, again);
    EXPECT_EQ(twice.columns, once.columns);
    EXPECT_EQ(twice.values, once.values);
    Dataset data(schema.shape());
    data.append(once);
    EXPECT_LE(data.squared_norm(0), data.squared_norm_bound());
  };
  check({}, {});
  for (const double a : difficult) {
    check({1}, {a});
    for (const double b : difficult) {
      for (const double c : difficult) check({0, 1, 2}, {a, b, c});
    }
  }
}

}  // namespace uniform_encoder_test
}  // namespace tacet::data
