#include "tacet/data/encode/unit_index.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/data/dataset.h"

namespace tacet::data {
namespace unit_index_test {

const std::vector<std::string> missing{"", "NA", "-1"};

TEST(UnitIndex, OnePersonHasOneNumberHoweverTheNameIsSpelt) {
  UnitIndex units(missing);
  EXPECT_EQ(units.number("7"), 0);
  EXPECT_EQ(units.number("8"), 1);
  for (const char* seven : {"7.0", "7e0", "+7", "007", " 7 ", "0.7e1"}) {
    EXPECT_EQ(units.number(seven), 0) << seven;
  }
  for (const Value& seven : {Value(7.0), Value(7.0F), Value(std::int64_t{7}), Value("7")}) {
    EXPECT_EQ(units.number_of(seven), 0);
  }
  EXPECT_EQ(units.take_names(), (std::vector<std::string>{"7", "8"}));
}

TEST(UnitIndex, NumbersThatShareADoubleArePersonsOfTheirOwn) {
  UnitIndex units(missing);
  EXPECT_EQ(units.number("9007199254740992"), 0);
  EXPECT_EQ(units.number("9007199254740993"), 1);
  EXPECT_EQ(units.number("9007199254740993.0"), 1);
  EXPECT_EQ(units.number_of(std::int64_t{9007199254740993}), 1);
  EXPECT_EQ(units.number_of(9007199254740992.0), 0);
  EXPECT_EQ(units.number_of(0x1p70), units.number("1180591620717411303424"));
}

TEST(UnitIndex, AValueIsThePersonThatAFileSpells) {
  UnitIndex units(missing);
  const auto half = units.number("0.5");
  EXPECT_EQ(units.number_of(0.5), half);
  EXPECT_EQ(units.number_of(0.5F), half);
  EXPECT_EQ(units.number_of(0.1F), units.number("0.1"));
  EXPECT_EQ(units.number_of(Day{0}), units.number("1970-01-01"));
  EXPECT_EQ(units.number_of(true), units.number("true"));
}

TEST(UnitIndex, WhatIsMissingIsNobodyHoweverItIsSpelt) {
  UnitIndex units(missing);
  for (const char* nobody : {"", " ", "NA", " NA\t", "-1", "-1.0", "-1e0"}) {
    EXPECT_EQ(units.number(nobody), Dataset::no_unit) << nobody;
  }
  EXPECT_EQ(units.number_of(Missing{}), Dataset::no_unit);
  EXPECT_EQ(units.number_of(-1.0), Dataset::no_unit);
  EXPECT_EQ(units.number_of(std::nan("")), Dataset::no_unit);
}

}  // namespace unit_index_test
}  // namespace tacet::data
