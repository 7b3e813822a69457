#include "tacet/data/read/read_dataset.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tacet/base/error.h"
#include "tests/support/data_sets.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace read_dataset_test {

using test::TemporaryFile;

Schema schema_of(const std::string& name) {
  return load_schema(test::source_file("data/schemas/" + name + ".toml"));
}

Schema small_schema(const std::string& more = "") {
  return schema_from_toml(more +
                              "[target]\ncolumn='y'\npositive='1'\n"
                              "[[column]]\nname='x'\nkind='numeric'\nlower=0\nupper=1\n",
                          "s.toml");
}

TEST(ReadDataset, ReadsTheBerkeleyAdmissions) {
  const Dataset data =
      read_dataset(test::source_file("data/berkeley1973.csv"), schema_of("berkeley1973"));
  EXPECT_EQ(data.rows(), 4526);
  EXPECT_EQ(data.columns(), 7);
  std::int64_t admitted = 0;
  std::int64_t women = 0;
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    admitted += data.label(row) > 0 ? 1 : 0;
    women += data.dense_row(row)[0] > 0 ? 1 : 0;
    // sex, intercept and, except for department A, a department, each 1 / sqrt 3
    const auto norm = data.squared_norm(row);
    ASSERT_TRUE(norm == 2 * 1182 * 1182 || norm == 3 * 1182 * 1182);
  }
  // Sums of the published table.
  EXPECT_EQ(admitted, 1755);
  EXPECT_EQ(women, 1835);
}

TEST(ReadDataset, FaultsOfTheFileAreClearErrors) {
  const Schema schema = small_schema();
  const auto error = [&](const std::string& content) -> std::string {
    const TemporaryFile file(content);
    try {
      static_cast<void>(read_dataset(file.path(), schema));
    } catch (const base::DataError& fault) {
      return std::string(fault.what()).substr(file.path().string().size());
    }
    return "no error";
  };
  EXPECT_EQ(error(""), ":1: the file is empty; a line of column names is expected");
  EXPECT_EQ(error("x,y\n"), "no error");  // under add_remove even that there are none is secret
  EXPECT_EQ(error("x,z\n1,1\n"),
            ":1: the schema's column 'y' is not in the first line; a file without a header needs "
            "`header = false` and `names` under [format]");
  EXPECT_EQ(error("x,y\n1,1\n1\n"),
            ":3:1: the record has 1 columns; the file begins with 2. A note or a sum? Take that "
            "line out");
  EXPECT_EQ(error("x,y\n1,1\ngarbage,nan\n"), "no error");
  EXPECT_THROW(static_cast<void>(read_dataset("/nonexistent.csv", schema)), base::IoError);
}

TEST(ReadDataset, PredictionReadsFeaturesWithoutTheTarget) {
  const TemporaryFile file("x\n0.5\n1\n");
  const Dataset data = read_dataset(file.path(), small_schema(), {.target = TargetUse::absent});
  EXPECT_EQ(data.rows(), 2);
  EXPECT_EQ(data.label(0), 0);
}

TEST(ReadDataset, AUnitColumnIsRefusedWhereUnitsAreNotBounded) {
  const Schema schema = small_schema("unit='u'\n");
  const TemporaryFile file("x,y,u\n0.5,1,ann\n1,0,bob\n0,1,ann\n");
  EXPECT_THROW(static_cast<void>(read_dataset(file.path(), schema)), base::UsageError);
  const Dataset data = read_dataset(file.path(), schema, {.units = UnitUse::index});
  EXPECT_EQ(data.unit_count(), 2);
  EXPECT_EQ(data.unit_of(2), 0);
}

TEST(ReadDataset, DenseAndSparseHoldTheSameNumbers) {
  const TemporaryFile file("x,y\n0.5,1\n0,0\n1,1\n");
  const Dataset dense = read_dataset(file.path(), small_schema("storage='dense'\n"));
  const Dataset sparse = read_dataset(file.path(), small_schema("storage='sparse'\n"));
  ASSERT_TRUE(sparse.sparse());
  for (std::int64_t row = 0; row < 3; ++row) {
    std::vector<std::int16_t> values(2, 0);
    const SparseRow stored = sparse.sparse_row(row);
    for (std::size_t k = 0; k < stored.columns.size(); ++k) {
      values[stored.columns[k]] = stored.values[k];
    }
    const auto expected = dense.dense_row(row);
    EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin(), expected.end()));
  }
}

TEST(ReadDataset, CancellingStopsTheReading) {
  std::string content = "x,y\n";
  for (int k = 0; k < 10000; ++k) content += "1,1\n";
  const TemporaryFile file(content);
  base::CancelToken cancel;
  cancel.cancel();
  EXPECT_THROW(static_cast<void>(read_dataset(file.path(), small_schema(), {.cancel = &cancel})),
               base::Interrupted);
}

TEST(ReadDataset, AdultMatchesItsPublishedCounts) {
  TACET_SKIP_WITHOUT_DATA(train, "adult/adult.train.csv.gz");
  const Dataset data = read_dataset(train, schema_of("adult"));
  EXPECT_EQ(data.rows(), 32561);
  EXPECT_EQ(data.columns(), 109);
  EXPECT_TRUE(data.sparse());
  std::int64_t positive = 0;
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    positive += data.label(row) > 0 ? 1 : 0;
    // Every category is known: eight ones and the intercept at least.
    ASSERT_GE(data.sparse_row(row).values.size(), 9U);
  }
  EXPECT_EQ(positive, 7841);  // 24.08 percent, the codebook's share
}

struct PublishedSet {
  const char* schema;
  const char* file;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t positive;  // labels above 0
};

// Counts as the sets' own descriptions give them, or counted from the files by other means.
TEST(ReadDataset, ShippedSchemasReadTheirSets) {
  const PublishedSet sets[] = {
      {"covtype", "covtype93k/covtype93k.csv.gz", 92962, 55, 45328},
      {"california_housing", "california_housing/housing.csv.gz", 20640, 14, 0},
      {"bike_hour", "bike_hour/hour.csv.gz", 17379, 59, 0},
      {"wine_quality", "wine_quality/winequality-red.csv.gz", 1599, 12, 0},
      {"medical_cost", "medical_cost/insurance.csv.gz", 1338, 12, 0},
      {"pima_diabetes", "pima_diabetes/pima-indians-diabetes.csv.gz", 768, 9, 268},
      {"german_credit", "german_credit/german.csv.gz", 1000, 64, 300},
      {"sms_spam", "sms_spam/SMSSpamCollection.tsv.gz", 5575, 262145, 747}};
  for (const PublishedSet& set : sets) {
    TACET_SKIP_WITHOUT_DATA(file, set.file);
    const Schema schema = schema_of(set.schema);
    const Dataset data = read_dataset(file, schema);
    EXPECT_EQ(data.rows(), set.rows) << set.schema;
    EXPECT_EQ(data.columns(), set.columns) << set.schema;
    if (schema.target->regression()) continue;
    std::int64_t positive = 0;
    for (std::int64_t row = 0; row < data.rows(); ++row) positive += data.label(row) > 0 ? 1 : 0;
    EXPECT_EQ(positive, set.positive) << set.schema;
  }
}

TEST(ReadDatasetLong, AMillionCategoriesAreRead) {
  constexpr int count = 1000000;
  Schema schema = small_schema();
  CategoricalColumn rule;
  for (int k = 0; k < count; ++k) rule.categories.push_back("c" + std::to_string(k));
  schema.columns.push_back({"c", std::move(rule)});
  schema = schema_from_toml(schema_to_toml(schema), "s.toml");
  std::string content = "x,c,y\n";
  for (const int k : {0, 999999, 123456}) content += "0,c" + std::to_string(k) + ",1\n";
  const TemporaryFile file(content + "0,c1000000,0\n");
  const Dataset data = read_dataset(file.path(), schema);
  ASSERT_TRUE(data.sparse());
  EXPECT_EQ(data.columns(), count + 2);
  EXPECT_EQ(data.sparse_row(1).columns[0], 1000000U);
  EXPECT_EQ(data.sparse_row(2).columns[0], 123457U);
  EXPECT_EQ(data.sparse_row(3).columns.size(), 1U);  // the intercept alone
}

TEST(ReadDatasetLong, ReadsTheKddCup) {
  TACET_SKIP_WITHOUT_DATA(file, "kddcup99/kddcup99_10pct.train.csv.gz");
  const Dataset data = read_dataset(file, schema_of("kddcup99"));
  EXPECT_EQ(data.rows(), 494021);
  EXPECT_EQ(data.columns(), 124);
  std::int64_t normal = 0;
  for (std::int64_t row = 0; row < data.rows(); ++row) normal += data.label(row) < 0 ? 1 : 0;
  EXPECT_EQ(normal, 97278);
}

TEST(ReadDataset, BankMarketingMatchesItsPublishedCounts) {
  TACET_SKIP_WITHOUT_DATA(file, "bank_marketing/bank-additional-full.csv.gz");
  const Dataset data = read_dataset(file, schema_of("bank_marketing"));
  EXPECT_EQ(data.rows(), 41188);
  EXPECT_EQ(data.columns(), 65);
  std::int64_t positive = 0;
  for (std::int64_t row = 0; row < data.rows(); ++row) positive += data.label(row) > 0 ? 1 : 0;
  EXPECT_EQ(positive, 4640);
}

TEST(ReadDataset, OfAnOpenFileReadsThatFileFromItsBeginning) {
  const TemporaryFile csv("x,y\n0.5,1\n");
  const int opened = ::open(csv.path().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(opened, 0);
  const OpenFile file{opened, "record"};
  std::filesystem::remove(csv.path());
  std::ofstream(csv.path()) << "x,y\n0.5,1\n0.5,1\n";
  EXPECT_EQ(read_dataset(file, small_schema()).rows(), 1);
  EXPECT_EQ(read_dataset(file, small_schema()).rows(), 1);
  auto other = small_schema();
  other.target->column = "z";
  try {
    static_cast<void>(read_dataset(file, other));
    ADD_FAILURE() << "read";
  } catch (const base::DataError& error) {
    EXPECT_NE(std::string(error.what()).find("record"), std::string::npos) << error.what();
  }
  ::close(opened);
}

TEST(ReadDataset, AnOpenFileMayBeLibsvmAndNoArray) {
  const TemporaryFile lines("1 1:0.5 2:0.25\n");
  const int opened = ::open(lines.path().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(opened, 0);
  const auto schema = [](const std::string& kind) {
    return schema_from_toml(
        "[target]\npositive='1'\n[features]\ncount=2\nlower=0\nupper=1\n[format]\nkind='" + kind +
            "'\n",
        "s.toml");
  };
  EXPECT_EQ(read_dataset(OpenFile{opened, "record"}, schema("libsvm")).rows(), 1);
  EXPECT_THROW(static_cast<void>(read_dataset(OpenFile{opened, "record"}, schema("npy"))),
               base::UsageError);
  ::close(opened);
}

}  // namespace read_dataset_test
}  // namespace tacet::data
