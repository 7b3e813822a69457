#include "tacet/data/owner/guess_spelling.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tacet/data/owner/code_names.h"

namespace tacet::data {
namespace guess_spelling_test {

using Columns = std::vector<std::vector<std::string>>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

SpellingGuess guess(const Columns& columns, const SaidSpelling& said = {}) {
  static std::vector<std::string> names;
  names.clear();
  std::vector<SpellingFacts> facts;
  for (const auto& values : columns) {
    names.push_back("c" + std::to_string(names.size()));
    facts.emplace_back(said);
    for (const auto& value : values) facts.back().add(value);
  }
  return {names, facts, said};
}

TEST(GuessSpelling, FindsTheOnlyReading) {
  const auto german = guess({{"1.234,5", "0,25"}, {"12.345", "1.000"}, {"7", "8"}});
  EXPECT_EQ(german.question(), "");
  EXPECT_EQ(german.file().decimal, ',');
  EXPECT_EQ(german.file().thousands, ".");
  const auto plain = guess({{"1.5", "-2"}, {"3", "4"}});
  EXPECT_EQ(plain.file(), Spelling());
  const auto money = guess({{"$1,234.50", "$7"}, {"1,5", "0,7"}});
  EXPECT_EQ(money.file().symbols, std::vector<std::string>{"$"});
  EXPECT_EQ(money.question(), "");
}

TEST(GuessSpelling, KnowsTheSymbolsThatWereSaid) {
  const Columns prices{{"12,50 Ft", "7,25 Ft"}};
  EXPECT_FALSE(guess(prices).numeric(0));
  const auto said = guess(prices, {.symbols = {"Ft"}});
  EXPECT_TRUE(said.numeric(0));
  EXPECT_EQ(said.file().symbols, std::vector<std::string>{"Ft"});
  EXPECT_EQ(said.file().decimal, ',');
}

// 1,234 may be a fraction or a thousand; whatever tells decides, else a person does.
TEST(GuessSpelling, AsksWhereTwoReadingsArePossible) {
  EXPECT_NE(guess({{"1,234", "5,678"}}).question(), "");
  EXPECT_EQ(guess({{"1,234", "0,678"}}).file().decimal, ',');
  EXPECT_EQ(guess({{"1,234", "1,234,567"}}).file().thousands, ",");
  EXPECT_EQ(guess({{"1,234"}, {"1.5"}}).file().thousands, ",");
  const auto said = guess({{"1,234", "5,678"}}, {.decimal = ','});
  EXPECT_EQ(said.question(), "");
  EXPECT_EQ(said.file().decimal, ',');
}

TEST(GuessSpelling, ReadsEachWayToWriteADayWithEachTime) {
  for (const auto& [value, format] : Pairs{{"31.01.2011 8:15", "%d.%m.%Y %H:%M"},
                                           {"1/31/11 8:15", "%m/%d/%y %H:%M"},
                                           {"31-01-2011 08:15:30.25", "%d-%m-%Y %H:%M:%S.%f"},
                                           {"31JAN2011:08:15:00", "%d%b%Y:%H:%M:%S"},
                                           {"Jan 31 2011", "%b %d %Y"},
                                           {"31. 1. 2011", "%d. %m. %Y"}}) {
    const auto found = guess({{value, value}});
    EXPECT_TRUE(found.dates(0)) << value;
    EXPECT_EQ(found.own(0).date_format, format);
    EXPECT_EQ(found.question(), "");
  }
  EXPECT_NE(guess({{"31-01-11"}}).question().find("%y-%m-%d"), std::string::npos);
}

// What is none among numbers is found where the numbers are read as they are spelt.
TEST(GuessSpelling, ReadsMostValues) {
  const auto money =
      guess({{"$1,234.50", "$2.50", "($7.25)"}, {"2011-01-31", "2011-02-28", "soon"}});
  EXPECT_FALSE(money.numeric(0));
  EXPECT_EQ(money.reading(0).thousands, ",");
  EXPECT_EQ(money.reading(0).symbols, std::vector<std::string>{"$"});
  EXPECT_FALSE(money.dates(1));
  EXPECT_TRUE(money.mostly_dates(1));
  EXPECT_EQ(money.file(), Spelling());
}

TEST(GuessSpelling, AsksForTheOrderOfDayAndMonth) {
  EXPECT_NE(guess({{"01/02/2011", "03/04/2011"}}).question(), "");
  EXPECT_EQ(guess({{"01/02/2011", "13/04/2011"}}).own(0).date_format, "%d/%m/%Y");
  EXPECT_EQ(guess({{"1/31/11", "12/1/10"}}).own(0).date_format, "%m/%d/%y");
  EXPECT_EQ(guess({{"01/01/2011", "02/02/2011"}}).question(), "");  // both orders are one
  const auto said = guess({{"01/02/2011"}}, {.date_format = "%d/%m/%Y"});
  EXPECT_EQ(said.own(0).date_format, "%d/%m/%Y");
  EXPECT_TRUE(said.dates(0));
  const auto odd = guess({{"2011 week 5 31 01"}}, {.date_format = "%Y week 5 %d %m"});
  EXPECT_TRUE(odd.dates(0));
}

TEST(GuessSpelling, WordsForAMissingValueAreNoTexts) {
  EXPECT_TRUE(guess({{"1", "n/a", ".", "-", "unknown"}}).numeric(0));
  EXPECT_FALSE(guess({{"1", "soon"}}).numeric(0));
  EXPECT_FALSE(means_missing("0"));
}

TEST(CodeNames, GoByTheWordsOfAName) {
  for (const auto* name : {"zip", "Zip Code", "admission_type_id", "admissionTypeID", "ICD10"}) {
    EXPECT_TRUE(named_like_code(name)) << name;
  }
  for (const auto* name : {"age", "idle", "paid", "side", "width", "zipper"}) {
    EXPECT_FALSE(named_like_code(name)) << name;
  }
}

}  // namespace guess_spelling_test
}  // namespace tacet::data
