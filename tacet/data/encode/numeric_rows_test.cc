#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/standardise.h"

// Rows of columns with bins, indicators, periods and dates: by brute force over every record that a
// list of values allows, none is longer than the bound that sensitivities rest on.
namespace tacet::data {
namespace numeric_rows_test {

const std::string columns =
    "[[column]]\nname='a'\nkind='numeric'\nlower=0\nupper=90\nbins=3\nmissing_indicator=true\n"
    "[[column]]\nname='b'\nkind='numeric'\nlower=-1\nupper=1\nedges=[0, 0.5]\nbins_only=true\n"
    "missing_indicator=true\nfill='upper'\n"
    "[[column]]\nname='m'\nkind='numeric'\nlower=1\nupper=12\nperiod=12\nbins=4\n"
    "[[column]]\nname='d'\nkind='date'\nlower='2000-01-01'\nupper='2000-12-31'\n"
    "missing_indicator=true\nknots=3\n";

std::vector<std::vector<std::string>> all_records() {
  const std::vector<std::string> a{"", "x", "nan", "-5", "30", "29.999", "90", "1e300"};
  const std::vector<std::string> b{"NA", "-1", "0", "0.5", "inf"};
  const std::vector<std::string> m{"", "1", "2", "6.5", "12", "-1e300"};
  const std::vector<std::string> d{"",           "2000-02-29", "2100-02-29", "1999-12-31",
                                   "2000-07-01", "11000",      "9999-12-31"};
  std::vector<std::vector<std::string>> records;
  for (const auto& w : a) {
    for (const auto& x : b) {
      for (const auto& y : m) {
        for (const auto& z : d) records.push_back({w, x, y, z});
      }
    }
  }
  return records;
}

std::vector<EncodedRow> encode(const Schema& schema,
                               const std::vector<std::vector<std::string>>& records) {
  const auto names = schema.required_columns();
  Encoder encoder(schema, names, TargetUse::absent, "t.csv");
  std::vector<EncodedRow> rows;
  for (const auto& record : records) {
    const std::vector<std::string_view> views(record.begin(), record.end());
    rows.emplace_back();
    encoder.encode(views, rows.back());
  }
  return rows;
}

std::int64_t square(const EncodedRow& row) {
  std::int64_t sum = 0;
  for (const std::int64_t value : row.values) sum += value * value;
  return sum;
}

Dataset dataset(const Schema& schema, const std::vector<EncodedRow>& rows) {
  Dataset data(schema.shape());
  for (const auto& row : rows) data.append(row);  // checks order, range and norm
  return data;
}

TEST(NumericRows, NoRecordMovesASumByMoreThanTheBound) {
  const auto records = all_records();
  for (const std::string settings :
       {"", "row_scaling='const'\n", "intercept=false\n", "storage='sparse'\n", "constant=0.7\n"}) {
    const Schema schema = schema_from_toml(settings + columns, "s.toml");
    const auto rows = encode(schema, records);
    std::int64_t longest = 0;
    for (const auto& row : rows) longest = std::max(longest, square(row));
    EXPECT_LE(longest, 2048 * 2048) << settings;
    EXPECT_GT(longest, 2046 * 2046) << settings;  // the bound is met: nothing is given away
    EXPECT_EQ(dataset(schema, rows).rows(), std::ssize(records));
  }
}

// Changing one record leaves the rows of all others as they were.
TEST(NumericRows, ARecordChangesItsOwnRowAlone) {
  const Schema schema = schema_from_toml(columns, "s.toml");
  const auto all = all_records();
  std::vector<std::vector<std::string>> records{all[0], all[777], all[1000]};
  const auto before = encode(schema, records);
  for (const auto& other : all) {
    records[1] = other;
    const auto after = encode(schema, records);
    ASSERT_EQ(after[0].values, before[0].values);
    ASSERT_EQ(after[2].columns, before[2].columns);
    ASSERT_EQ(after[2].values, before[2].values);
  }
}

TEST(NumericRows, ReleasedMeansMoveNumbersAlone) {
  Schema schema = schema_from_toml("constant=0.7\n" + columns, "s.toml");
  for (auto& column : schema.columns) {
    auto& rule = std::get<NumericColumn>(column.rule);
    if (rule.line_count() == 1) rule.standard = Standard{.mean = 0.3, .stddev = 0.2};
  }
  schema.validate();
  const Schema raw = raw_schema(schema);
  raw.validate();
  EXPECT_EQ(numeric_features(schema), (std::vector<std::size_t>{0, 15}));
  EXPECT_EQ(numeric_features(raw), (std::vector<std::size_t>{0, 15}));
  const auto records = all_records();
  const auto moved = transform(dataset(raw, encode(raw, records)), schema);
  const auto direct = dataset(schema, encode(schema, records));
  ASSERT_EQ(moved.rows(), direct.rows());
  ASSERT_FALSE(moved.sparse());
  for (std::int64_t k = 0; k < moved.rows(); ++k) {
    const auto one = moved.dense_row(k);
    const auto other = direct.dense_row(k);
    ASSERT_EQ(one.size(), other.size());
    // A raw number is rounded to 1/2048, which 0.35 / 0.2 makes less than two steps.
    for (std::size_t j = 0; j < one.size(); ++j) ASSERT_NEAR(one[j], other[j], 3) << k << " " << j;
  }
}

}  // namespace numeric_rows_test
}  // namespace tacet::data
