#include "tacet/data/owner/guess_format.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tacet/base/error.h"
#include "tacet/data/owner/schema_draft.h"
#include "tests/support/data_sets.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace guess_format_test {

FileFormat guess(const std::string& content, std::optional<char> separator = std::nullopt) {
  const test::TemporaryFile file(content);
  return guess_format(file.path(), separator);
}

std::string fault_of(const std::string& content) {
  try {
    static_cast<void>(guess(content));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(GuessFormat, TakesTheSeparatorThatFitsEveryRecord) {
  // The first line alone would speak for commas.
  EXPECT_EQ(guess("a, b, c\tx\n1\t2\n3\t4\n").separator, '\t');
  EXPECT_EQ(guess("1,5;2,5\n1;2\n1,5;2\n").separator, ';');
  EXPECT_EQ(guess("a|b\n1|2\n").separator, '|');
  EXPECT_EQ(guess("\"a;b;c\",\"d;e\"\n\"f\",\"g;h\"\n").separator, ',');
}

TEST(GuessFormat, AGivenSeparatorIsTaken) {
  EXPECT_EQ(guess("a,b\n1,2\n", ':').separator, ':');
  EXPECT_EQ(guess("a:b,c\n1:2,3\n", ':').separator, ':');
}

TEST(GuessFormat, AFileOfOneColumnNeedsNoSeparator) {
  EXPECT_EQ(guess("x\n1\n2\n").separator, ',');
  EXPECT_TRUE(guess("x\n1\n2\n").header);
}

TEST(GuessFormat, RecordsThatFitNoSeparatorAreAFault) {
  EXPECT_NE(fault_of("a,b\nc\nd,e,f\n").find("`separator`"), std::string::npos);
  EXPECT_NE(fault_of("").find("empty"), std::string::npos);
}

TEST(GuessFormat, FewShortRecordsAskForFilling) {
  std::string text = "x,y\n";
  for (int k = 0; k < 30; ++k) text += k == 7 ? "1\n" : "1,2\n";
  EXPECT_TRUE(guess(text).fill_short);
  EXPECT_FALSE(guess("x,y\n1,2\n").fill_short);
}

TEST(GuessFormat, QuotesThatEncloseNothingAreOrdinaryCharacters) {
  EXPECT_EQ(guess("a\t5\" screen\nb\t\"so\" she said\n").quote, std::nullopt);
  EXPECT_EQ(guess("a\t\"b c\"\n").quote, '"');
  EXPECT_NE(fault_of("x,y\n\"1\",2\n\"1\",5\"\n").find(":3:"), std::string::npos);
}

TEST(GuessFormat, AHeaderHoldsNamesThatDoNotComeAgain) {
  EXPECT_TRUE(guess("label,text\nham,a\nspam,b\n").header);
  EXPECT_FALSE(guess("ham,c\nham,a\nspam,b\n").header);
  EXPECT_FALSE(guess("ham,ham\nspam,b\n").header);
  EXPECT_EQ(guess("ham,c\nham,a\n").names, (std::vector<std::string>{"column_1", "column_2"}));
}

TEST(GuessFormat, OtherKindsOfFilesAreNamed) {
  const std::string fault = fault_of("+1 3:1 11:0.5 # good\n\n-1 5:1\n0\n");
  EXPECT_NE(fault.find("LIBSVM"), std::string::npos) << fault;
  EXPECT_NE(fault.find("[features]"), std::string::npos) << fault;
  EXPECT_NE(fault_of("\x93NUMPY...").find("NPY"), std::string::npos);
  EXPECT_EQ(fault_of("start 12:30\n1 13:15\n"), "no fault");
  EXPECT_EQ(fault_of("1\n0\n"), "no fault");
}

TEST(GuessFormat, PublishedSetsAreRecognised) {
  TACET_SKIP_WITHOUT_DATA(a9a, "a9a/a9a.train.libsvm.gz");
  EXPECT_THROW(static_cast<void>(guess_format(a9a)), base::DataError);
  TACET_SKIP_WITHOUT_DATA(sms, "sms_spam/SMSSpamCollection.tsv.gz");
  const FileFormat format = guess_format(sms);
  EXPECT_EQ(format.separator, '\t');
  EXPECT_EQ(format.quote, std::nullopt);
  EXPECT_FALSE(format.header);
  const Schema schema = draft_schema(sms, {.target = "", .format = format}).schema;
  EXPECT_EQ(schema.public_row_count, 5575);
  EXPECT_EQ(std::get<CategoricalColumn>(schema.columns.at(0).rule).categories.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<TextColumn>(schema.columns.at(1).rule));
}

std::string fault_of(const std::string& text, const std::string& column) {
  const test::TemporaryFile file(text);
  try {
    static_cast<void>(guess_format(file.path(), std::nullopt, std::nullopt, {.column = column}));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(GuessFormat, LinesAboveTheNamesAreNamed) {
  std::string records = "age,weight,ill\n41,70.5,no\n52,81,yes\n";
  for (int k = 0; k < 20; ++k) records += "41,70.5,no\n";
  EXPECT_NE(fault_of("Admissions 2011\n\n" + records, "ill").find(":3: the names"),
            std::string::npos);
  EXPECT_NE(fault_of("a,b,c\n" + records, "ill").find("tail -n +2"), std::string::npos);
  EXPECT_NE(fault_of("sep=;\nage;ill\n4;no\n5;yes\n", "ill").find("tail -n +2"), std::string::npos);
  EXPECT_EQ(fault_of(records, "ill"), "no fault");
  EXPECT_EQ(fault_of(records, ""), "no fault");
}

TEST(GuessFormat, AFirstLineOfAnotherLengthIsAskedAbout) {
  std::string text = "A title\n";
  for (int k = 0; k < 20; ++k) text += "1,2,3\n";
  EXPECT_NE(fault_of(text, "").find("has 1 field and most others have 3"), std::string::npos);
  std::string named = "age,weight,ill\n";
  for (int k = 0; k < 20; ++k) named += std::to_string(k) + ",1,2,no\n";
  EXPECT_NE(fault_of(named, "ill").find("row.names = FALSE"), std::string::npos);
}

TEST(GuessFormat, NamesThatComeTwiceOrAreMissingAreNamed) {
  EXPECT_NE(fault_of("age,age,ill\n1,2,no\n3,4,yes\n", "ill").find("have the name 'age'"),
            std::string::npos);
  EXPECT_NE(fault_of("age,ill,,\n1,no,,\n3,yes,,\n", "ill")
                .find("no text in the first line in column 3, 4; give each column a name, or "
                      "`no_header` if that line is a record. Does each line end with a separator?"),
            std::string::npos);
  EXPECT_NE(fault_of(",age,ill\n1,1,no\n2,3,yes\n", "ill").find("row.names = FALSE"),
            std::string::npos);
  EXPECT_EQ(fault_of("age,,ill\n1,1,no\n2,3,yes\n", "ill").find("row.names"), std::string::npos);
}

TEST(GuessFormat, ColumnsThatStandApartByBlanksAreRefusedWithTheWay) {
  EXPECT_NE(fault_of("age   ill\n41    no\n52    yes\n", "ill").find("tr -s"), std::string::npos);
  EXPECT_NE(fault_of("\"age\" \"ill\"\n\"1\" 41 \"no\"\n\"2\" 5 \"a\"\n", "ill").find("write.csv"),
            std::string::npos);
  EXPECT_EQ(fault_of("note\nsome words\nmore of these words\n", ""), "no fault");
}

}  // namespace guess_format_test
}  // namespace tacet::data
