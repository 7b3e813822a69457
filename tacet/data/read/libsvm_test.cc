#include "tacet/data/read/libsvm.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::data {
namespace libsvm_test {

struct Record {
  std::string label;
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::int64_t dropped = 0;
  bool operator==(const Record&) const = default;
};

std::vector<Record> read_all(std::string_view text, std::int64_t columns = 10) {
  LibsvmReader reader(memory_source(text, "t.svm"), "t.svm",
                      {.column_count = columns, .buffer_size = 1});
  std::vector<Record> records;
  LibsvmRecord record;
  while (reader.next(record)) {
    const auto& features = record.features;
    records.push_back({record.label, features.columns(), features.values(), record.dropped});
  }
  return records;
}

std::string error_of(std::string_view text, std::int64_t columns = 10) {
  try {
    read_all(text, columns);
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LibsvmReader, ReadsLabelsIndicesAndValues) {
  EXPECT_EQ(
      read_all("+1 1:1 3:0.5 10:-2e1\r\n-1\n\n  # a comment\n2.5 \t2:7 # more\n-1 1:+3"),
      (std::vector<Record>{
          {"+1", {0, 2, 9}, {1, 0.5, -20}}, {"-1", {}, {}}, {"2.5", {1}, {7}}, {"-1", {0}, {3}}}));
}

TEST(LibsvmReader, SortsIndices) {
  EXPECT_EQ(read_all("1 7:7 2:2 5:5\n"), (std::vector<Record>{{"1", {1, 4, 6}, {2, 5, 7}}}));
}

TEST(LibsvmReader, ValuesThatAreNoNumbersCountAsZero) {
  EXPECT_EQ(read_all("1 1:nan 2:inf 3:x 4:- 5:1e-999 6:1:2\n"),
            (std::vector<Record>{{"1", {0, 1, 2, 3, 4, 5}, {0, 0, 0, 0, 0, 0}}}));
}

TEST(LibsvmReader, ANumberBeyondTheDoublesIsTheLargestOne) {
  EXPECT_EQ(
      read_all("1 1:1e999 2:-1e999\n"),
      (std::vector<Record>{{"1", {0, 1}, {0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023}}}));
}

TEST(LibsvmReader, DropsByteOrderMarksAtTheStartOnly) {
  const std::string mark = "\xef\xbb\xbf";
  const std::string text = "+1 1:2\n-1 2:3\n";
  EXPECT_EQ(read_all(mark + text), read_all(text));
  EXPECT_EQ(read_all(mark + mark + text), read_all(text));
  EXPECT_EQ(read_all(text + mark + "1 1:1\n")[2].label, mark + "1");
}

TEST(LibsvmReader, IndicesCountFromTheBaseAndNeverBelowIt) {
  const std::string text = "1 0:5 9:4\n-1 10:1 3:2\n";
  LibsvmReader reader(memory_source(text, "t.svm"), "t.svm", {.column_count = 10, .index_base = 0});
  LibsvmRecord record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.features.columns(), (std::vector<std::uint32_t>{0, 9}));
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.features.columns(), (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(record.dropped, 1);
  const std::string long_zero = "1 " + std::string(20000, '0') + ":5";
  for (const std::string& zero : {std::string("1 0:5\n"), std::string("1 1:1 0:5\n"), long_zero}) {
    EXPECT_NE(error_of(zero).find("index_base = 0 under [format]"), std::string::npos)
        << zero.size();
  }
}

TEST(LibsvmReader, ATableOfAnotherFormatIsAStructuralFault) {
  for (const char* line : {"1.5,-2,1", "x,z,y", "1;2;3", "1|2", "\"yes\"", "-1,5"}) {
    const auto error = error_of("1 2:3\n" + std::string(line) + "\n");
    EXPECT_TRUE(error.starts_with("t.svm:2:")) << error;
    EXPECT_NE(error.find("kind = \"csv\""), std::string::npos) << line;
    EXPECT_EQ(error.find(line), std::string::npos) << error;
  }
  EXPECT_EQ(read_all("1\n-1 # nothing,there\n").size(), 2U);
}

// Which indices a record has must not decide whether reading ends well.
TEST(LibsvmReader, IndicesWithoutAColumnAreDropped) {
  EXPECT_EQ(read_all("1 12:9 2:1 11:1 10:3\n-1 99999999999999999999999:1 4294967296:1\n1 " +
                     std::string(20000, '7') + ":1 3:5\n1 " + std::string(20000, '0') + "4:2\n"),
            (std::vector<Record>{
                {"1", {1, 9}, {1, 3}, 2}, {"-1", {}, {}, 2}, {"1", {2}, {5}, 1}, {"1", {3}, {2}}}));
}

TEST(LibsvmReader, OfARepeatedIndexTheFirstCounts) {
  EXPECT_EQ(read_all("1 2:1 2:5\n1 3:1 2:1 3:4 2:7 1:8\n"),
            (std::vector<Record>{{"1", {1}, {1}, 1}, {"1", {0, 1, 2}, {8, 1, 1}, 2}}));
}

TEST(LibsvmReader, AnIndexRepeatedAMillionTimesTakesNoMemory) {
  std::string text = "1 7:3";
  for (int k = 0; k < 1000000; ++k) text += k % 2 == 0 ? " 3:0.5" : " 2:1";
  LibsvmReader reader(memory_source(text, "t.svm"), "t.svm", {.column_count = 10});
  LibsvmRecord record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.features.columns(), (std::vector<std::uint32_t>{1, 2, 6}));
  EXPECT_EQ(record.features.values(), (std::vector<double>{1, 0.5, 3}));
  EXPECT_EQ(record.dropped, 999998);
  EXPECT_LE(record.features.columns().capacity(), std::size_t{1} << 17);
}

TEST(LibsvmReader, NamesFileLineAndColumnOfStructuralFaults) {
  EXPECT_EQ(error_of("1 2\n"), "t.svm:1:4: a feature must be written index:value");
  EXPECT_EQ(error_of("1 2:\n"), "t.svm:1:5: a feature must be written index:value");
  EXPECT_EQ(error_of("1 a:1\n"), "t.svm:1:3: a feature must be written index:value");
  EXPECT_EQ(error_of("1 -1:1\n"), "t.svm:1:3: a feature must be written index:value");
  EXPECT_EQ(error_of("1:1 2:1\n"),
            "t.svm:1:2: the line begins with a feature; a label must stand before it");
  EXPECT_EQ(error_of("1 qid:3 2:1\n"),
            "t.svm:1:3: query ids (qid) are for ranking, which is not supported; remove them");
  EXPECT_EQ(error_of("1 1:1\r2:1\n"), "t.svm:1:6: a carriage return without a line feed");
  EXPECT_EQ(error_of(std::string_view("1 1:1\0\n", 7)),
            "t.svm:1:6: a feature must be written index:value");
}

TEST(LibsvmReader, LongFieldsSayNothingAndTakeNoMemory) {
  const std::string fives(100000, '5');
  EXPECT_EQ(read_all("1 1:" + fives + " 2:4\n" + fives + " 3:1\n"),
            (std::vector<Record>{{"1", {0, 1}, {0, 4}}, {std::string(1, '\0'), {2}, {1}}}));
  EXPECT_NE(error_of("1 1:" + fives + std::string(1, '\0')).find("zero byte"), std::string::npos);
}

TEST(LibsvmReader, ALineLongerThanTheBufferIsReadFieldByField) {
  constexpr int count = 200000;
  std::string text = "1";
  for (int k = 1; k <= count; ++k) text += " " + std::to_string(k) + ":0.25";
  const auto records = read_all(text + "\n-1 5:1\n", count);
  ASSERT_EQ(records.size(), 2U);
  ASSERT_EQ(records[0].columns.size(), std::size_t{count});
  EXPECT_EQ(records[0].columns.back(), count - 1);
  EXPECT_EQ(records[0].values.back(), 0.25);
  EXPECT_EQ(records[1].columns, std::vector<std::uint32_t>{4});
  EXPECT_EQ(read_all(text + " 3:1 4:1\n", count)[0].dropped, 2);
}

TEST(LibsvmReaderLong, ALineOfTenMillionColumnsIsRead) {
  constexpr int count = 10000000;
  std::string text = "1";
  for (int k = 1; k <= count; ++k) text += " " + std::to_string(k) + ":1";
  const auto records = read_all(text + "\n", count);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].columns.size(), std::size_t{count});
}

}  // namespace libsvm_test
}  // namespace tacet::data
