#include "tacet/data/read/csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::data {
namespace csv_test {

using Records = std::vector<std::vector<std::string>>;

Records read_all(std::string_view text, CsvOptions options = {}) {
  CsvReader reader(memory_source(text, "t.csv"), "t.csv", options);
  Records records;
  while (const auto fields = reader.next()) {
    if (records.empty()) reader.expect_columns(fields->size());
    records.emplace_back(fields->begin(), fields->end());
  }
  return records;
}

std::string error_of(std::string_view text, CsvOptions options = {}) {
  try {
    read_all(text, options);
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CsvReader, ReadsPlainRecordsWithAndWithoutAFinalLineBreak) {
  const Records expected = {{"a", "b"}, {"1", "2"}};
  EXPECT_EQ(read_all("a,b\n1,2\n"), expected);
  EXPECT_EQ(read_all("a,b\n1,2"), expected);
  EXPECT_EQ(read_all("a,b\r\n1,2\r\n"), expected);
  EXPECT_EQ(read_all("a,b\r\n1,2\r"), expected);
  EXPECT_EQ(read_all("\xef\xbb\xbf"
                     "a,b\n1,2\n"),
            expected);
}

TEST(CsvReader, QuotedFieldsHoldSeparatorsLineBreaksAndDoubledQuotes) {
  EXPECT_EQ(read_all("\"a,b\",\"c\r\nd\",\"say \"\"hi\"\"\"\n\"\",x,\"\"\"\"\n"),
            (Records{{"a,b", "c\r\nd", "say \"hi\""}, {"", "x", "\""}}));
}

TEST(CsvReader, KeepsEmptyFieldsAndSkipsBlankLines) {
  EXPECT_EQ(read_all("a,b,c\n,,\n\n\r\n1,,3\n\n"),
            (Records{{"a", "b", "c"}, {"", "", ""}, {"1", "", "3"}}));
}

TEST(CsvReader, ABlankLineIsAnEmptyValueWhenThereIsOneColumn) {
  EXPECT_EQ(read_all("a\n1\n\n3\n"), (Records{{"a"}, {"1"}, {""}, {"3"}}));
}

TEST(CsvReader, TakesOtherSeparatorsAndNoQuotes) {
  EXPECT_EQ(read_all("a;b\n\"1;5\";2\n", {.separator = ';'}), (Records{{"a", "b"}, {"1;5", "2"}}));
  EXPECT_EQ(read_all("ham\tsay \"hi\n\"x\ty\n", {.separator = '\t', .quote = std::nullopt}),
            (Records{{"ham", "say \"hi"}, {"\"x", "y"}}));
  EXPECT_EQ(read_all("'a,b',c\n", {.quote = '\''}), (Records{{"a,b", "c"}}));
}

TEST(CsvReader, TrimsBlanksAroundFieldsOnlyWhenAsked) {
  EXPECT_EQ(read_all("a , b\n 1,\t2 \n"), (Records{{"a ", " b"}, {" 1", "\t2 "}}));
  EXPECT_EQ(read_all("a , b\n 1,\t2 \n \"x y \" ,3\n", {.trim = true}),
            (Records{{"a", "b"}, {"1", "2"}, {"x y ", "3"}}));
}

TEST(CsvReader, FillsShortRecordsOnlyWhenAsked) {
  EXPECT_EQ(read_all("a,b,c\n1\n1,2,3\n", {.fill_short = true}),
            (Records{{"a", "b", "c"}, {"1", "", ""}, {"1", "2", "3"}}));
  EXPECT_NE(error_of("a,b\n1,2,3\n", {.fill_short = true}), "no error");
}

TEST(CsvReader, NamesFileLineAndColumnOfStructuralFaults) {
  EXPECT_EQ(error_of("a,b\n1,2\n1\n"),
            "t.csv:3:1: the record has 1 columns; the file begins with 2. A note or a sum? Take "
            "that line out");
  EXPECT_EQ(error_of("a,b\n1,2,3\n"),
            "t.csv:2:5: the record has more than the 2 columns the file begins with; enclose a "
            "value that holds the separator in double quotes");
  EXPECT_EQ(error_of("a,b\n1,\"2\n3"), "t.csv:2:3: a quote is opened here and never closed");
  EXPECT_EQ(error_of("a,b\n1,2\"3\n"),
            "t.csv:2:4: a quote inside an unquoted field; quote the whole field and double inner "
            "quotes");
  EXPECT_EQ(error_of("a,b\n\"x\ny\",\"2\"3\n"),
            "t.csv:3:7: text after a closing quote; double a quote that belongs to the value");
  EXPECT_EQ(error_of("a,b\n1\r2,3\n"),
            "t.csv:2:2: a carriage return without a line feed outside of quotes; where all lines "
            "end so: (tr '\\r' '\\n' < FILE) | tacet ... -");
  const std::string zero_byte =
      "a zero byte; the file is binary or damaged, not CSV. Text in UTF-16 needs encoding = "
      "\"utf-16\" under [format] in its schema";
  EXPECT_EQ(error_of(std::string_view("a,b\n1,\0\n", 8)), "t.csv:2:3: " + zero_byte);
  EXPECT_EQ(error_of(std::string_view("a,b\n1,\"x\0\"\n", 11)), "t.csv:2:5: " + zero_byte);
}

TEST(CsvReader, LineNumbersCountTheLinesInsideQuotes) {
  EXPECT_EQ(error_of("a,b\n\"x\n\ny\",1\n\n1\n"),
            "t.csv:6:1: the record has 1 columns; the file begins with 2. A note or a sum? Take "
            "that line out");
}

// The smallest buffer puts a boundary at every byte of this text sooner or later.
TEST(CsvReader, BufferBoundariesNeverChangeTheRecords) {
  const std::string text =
      "\xef\xbb\xbfname,\"note \"\"x\"\"\"\r\n\"long, quoted\r\nfield of two lines\",1\r\n"
      ",\"\"\r\n\r\nplain text that is longer than the buffer,\"\"\"\"\r\nlast,\"end\"";
  const Records expected = read_all(text);
  ASSERT_EQ(expected.size(), 5U);
  for (std::size_t size = 1; size < text.size() + 8; ++size) {
    EXPECT_EQ(read_all(text, {.buffer_size = size}), expected) << "buffer of " << size;
  }
}

TEST(CsvReader, AnEndlessRecordIsAnErrorOfBoundedMemory) {
  const std::string text = "a\n\"" + std::string(10000, 'x');
  EXPECT_EQ(error_of(text, {.buffer_size = 64, .longest_record = 1000}),
            "t.csv:2:1: the record is longer than 1000 bytes; is a closing quote missing?");
}

TEST(CsvReader, RefusesMoreColumnsThanMemoryShouldHold) {
  EXPECT_NE(error_of(std::string(std::size_t{3} << 20, ',')).find("columns a CSV file may have"),
            std::string::npos);
}

TEST(CsvReader, AnEmptyFileHasNoRecords) {
  EXPECT_TRUE(read_all("").empty());
  EXPECT_TRUE(read_all("\n\r\n").empty());
  EXPECT_TRUE(read_all("\xef\xbb\xbf").empty());
}

// Fields written by quoting whatever needs it come back unchanged.
TEST(CsvReader, RoundTripsFieldsOfAwkwardCharacters) {
  const std::string alphabet = "ab,\"\r\n 'x";
  std::uint64_t state = 12345;
  Records expected;
  std::string text;
  for (int record = 0; record < 2000; ++record) {
    expected.emplace_back();
    for (int field = 0; field < 3; ++field) {
      std::string value;
      state = state * 6364136223846793005U + 1442695040888963407U;
      for (std::uint64_t bits = state >> 20; bits % 5 != 0; bits /= 5) {
        value += alphabet[bits % alphabet.size()];
      }
      std::string quoted;
      for (const char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += (field == 0 ? "\"" : ",\"") + quoted + "\"";
      expected.back().push_back(value);
    }
    text += "\r\n";
  }
  EXPECT_EQ(read_all(text, {.buffer_size = 100}), expected);
}

}  // namespace csv_test
}  // namespace tacet::data
