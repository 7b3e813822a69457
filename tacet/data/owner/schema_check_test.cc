#include "tacet/data/owner/schema_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>

#include "tacet/base/error.h"
#include "tests/support/npy_file.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace schema_check_test {

Schema schema_of(const std::string& kind, const std::string& target) {
  return schema_from_toml("[format]\nkind='" + kind + "'\n[target]\n" + target +
                              "\n[features]\ncount=3\nlower=-2\nupper=4\n",
                          "s.toml");
}

void expect_faults(const ColumnFaults& found, const ColumnFaults& expected) {
  EXPECT_EQ(found.column, expected.column);
  EXPECT_EQ(found.missing, 0);
  EXPECT_EQ(found.unreadable, expected.unreadable) << found.column;
  EXPECT_EQ(found.below, expected.below) << found.column;
  EXPECT_EQ(found.above, expected.above) << found.column;
  EXPECT_EQ(found.unknown, expected.unknown) << found.column;
  EXPECT_EQ(found.outside, expected.outside) << found.column;
  EXPECT_EQ(found.first_line, expected.first_line) << found.column;
}

ColumnFaults faults(const std::string& column) {
  ColumnFaults result;
  result.column = column;
  return result;
}

TEST(SchemaCheckUniform, CountsTheFaultsOfALibsvmFile) {
  const test::TemporaryFile file(
      "# nothing\n1 1:4 2:-2\n0 1:5\n\nmaybe 1:nan 2:what 3:-3\n+1 2:1e999 4:1 900000000:7\n");
  const SchemaCheck found =
      check_values(file.path(), schema_of("libsvm", "positive='1'\nnegative='0'"));
  EXPECT_EQ(found.rows, 4);
  EXPECT_TRUE(found.lines);
  ASSERT_EQ(found.columns.size(), 2U);
  ColumnFaults features = faults("features");
  features.unreadable = 2;
  features.below = 1;
  features.above = 2;
  features.outside = 2;
  features.first_line = 3;
  expect_faults(found.columns[0], features);
  ColumnFaults label = faults("label");
  label.unknown = 1;
  label.first_line = 5;
  expect_faults(found.columns[1], label);
}

TEST(SchemaCheckUniform, CountsTheFaultsOfDenseArrays) {
  const test::TemporaryFolder folder;
  const auto file = folder.write(
      "a.npy", test::npy_text<float>("<f4", "(3, 3)", {0, 4, -2, 0, NAN, INFINITY, 5, -9, 1}));
  folder.write("a.labels.npy", test::npy_text<double>("<f8", "(3,)", {0.5, NAN, 12}));
  const SchemaCheck found = check_values(file, schema_of("npy", "lower=0\nupper=10"));
  EXPECT_EQ(found.rows, 3);
  EXPECT_FALSE(found.lines);
  ColumnFaults features = faults("features");
  features.unreadable = 2;
  features.below = 1;
  features.above = 1;
  features.first_line = 2;
  expect_faults(found.columns.at(0), features);
  ColumnFaults label = faults("label");
  label.unreadable = 1;
  label.above = 1;
  label.first_line = 2;
  expect_faults(found.columns.at(1), label);
}

TEST(SchemaCheckUniform, CountsTheFaultsOfCompressedRows) {
  const test::TemporaryFolder folder;
  const auto file =
      folder.write("a.indptr.npy", test::npy_text<std::int64_t>("<i8", "(4,)", {0, 2, 3, 6}));
  folder.write("a.indices.npy", test::npy_text<std::int64_t>("<i8", "(6,)", {0, 2, 3, 1, -1, 0}));
  folder.write("a.data.npy", test::npy_text<double>("<f8", "(6,)", {1, 2, 99, 7, 99, -3}));
  folder.write("a.labels.npy", test::npy_text<std::int64_t>("<i8", "(3,)", {0, 1, 2}));
  const SchemaCheck found = check_values(file, schema_of("npy-csr", "positive='1'\nnegative='0'"));
  EXPECT_EQ(found.rows, 3);
  ColumnFaults features = faults("features");
  features.below = 1;
  features.above = 1;
  features.outside = 2;
  features.first_line = 2;
  expect_faults(found.columns.at(0), features);
  ColumnFaults label = faults("label");
  label.unknown = 1;
  label.first_line = 3;
  expect_faults(found.columns.at(1), label);
}

TEST(SchemaCheckUniform, CountsTheFaultsOfImages) {
  const test::TemporaryFolder folder;
  const auto file =
      folder.write("x-images-idx3-ubyte",
                   std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x03\x01\x02\x03\x04\x05\xff", 18));
  folder.write("x-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\x02\x01\x07", 10));
  const SchemaCheck found = check_values(file, schema_of("npy", "positive='1'\nnegative='0'"));
  EXPECT_EQ(found.rows, 2);
  EXPECT_EQ(found.columns.at(0).above, 2);
  EXPECT_EQ(found.columns.at(0).first_line, 2);
  EXPECT_EQ(found.columns.at(1).unknown, 1);
}

TEST(SchemaCheckUniform, DroppedIndicesAreCounted) {
  const test::TemporaryFile file("1 99:1 2:1\n1 2:1 2:1 9:1\n");
  const SchemaCheck found = check_values(file.path(), schema_of("libsvm", "positive='1'"));
  EXPECT_EQ(found.columns.at(0).outside, 3);
  EXPECT_EQ(found.columns.at(0).first_line, 1);
}

TEST(SchemaCheckUniform, StructuralFaultsStayErrors) {
  const test::TemporaryFile file("1 1\n");
  EXPECT_THROW(static_cast<void>(check_values(file.path(), schema_of("libsvm", "positive='1'"))),
               base::DataError);
}

TEST(SchemaCheck, AClassThatNobodyHasIsNamed) {
  const test::TemporaryFile file("+1 1:1\n-1 1:0\n");
  const auto wrong = schema_of("libsvm", "positive='yes'\nnegative='-1'");
  const auto found = check_values(file.path(), wrong);
  EXPECT_EQ(found.empty_classes, std::vector<std::string>{"yes"});
  EXPECT_NE(label_fault(found, wrong).find("no record is positive: nobody has the label 'yes'"),
            std::string::npos);
  const auto all = schema_of("libsvm", "positive=['+1','-1']");
  EXPECT_NE(label_fault(check_values(file.path(), all), all).find("no record is negative"),
            std::string::npos);
  const auto right = schema_of("libsvm", "positive=['1','+1']\nnegative='-1'");
  EXPECT_EQ(label_fault(check_values(file.path(), right), right), "");
}

}  // namespace schema_check_test
}  // namespace tacet::data
