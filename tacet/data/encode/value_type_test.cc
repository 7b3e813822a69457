#include "tacet/data/encode/value_type.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/base/error.h"

namespace tacet::data {
namespace value_type_test {

using Kind = ValueType::Kind;

const ValueType flags{.kind = Kind::boolean, .name = "bool"};
const ValueType bytes{.kind = Kind::integer, .bits = 8, .is_signed = false, .name = "uint8"};
const ValueType small{.kind = Kind::integer, .bits = 8, .name = "int8"};
const ValueType large{.kind = Kind::integer, .bits = 64, .name = "int64"};
const ValueType half{.kind = Kind::real, .bits = 16, .name = "float16"};
const ValueType single{.kind = Kind::real, .bits = 32, .name = "float32"};
const ValueType wide{.kind = Kind::real, .bits = 64, .name = "float64"};
const ValueType words{.kind = Kind::text, .name = "utf8"};
const ValueType days{.kind = Kind::day, .name = "date32"};
const ValueType own{.kind = Kind::any, .name = "object"};

TEST(ValueType, IntegersHoldWhatTheirBitsHold) {
  EXPECT_TRUE(can_be("255", bytes));
  EXPECT_FALSE(can_be("256", bytes));
  EXPECT_FALSE(can_be("-1", bytes));
  EXPECT_TRUE(can_be("-128", small));
  EXPECT_FALSE(can_be("128", small));
  EXPECT_TRUE(can_be("1.0", small));
  EXPECT_FALSE(can_be("0.5", large));
  EXPECT_FALSE(can_be("yes", large));
  EXPECT_TRUE(can_be("9223372036854775807", large));
  EXPECT_FALSE(can_be("1e19", large));
}

// IEEE 754: 24 bits of significand in single precision, 11 in half, steps of 2^-24 below 2^-14.
TEST(ValueType, RealsHoldWhatTheyRepresentExactly) {
  EXPECT_FALSE(can_be("0.1", single));
  EXPECT_TRUE(can_be("0.10000000149011612", single));
  EXPECT_TRUE(can_be("0.1", wide));
  EXPECT_TRUE(can_be("16777216", single));
  EXPECT_FALSE(can_be("16777217", single));
  EXPECT_FALSE(can_be("1e39", single));
  EXPECT_TRUE(can_be("9007199254740992", wide));
  EXPECT_FALSE(can_be("9007199254740993", wide));
  EXPECT_TRUE(can_be("65504", half));
  EXPECT_FALSE(can_be("65536", half));
  EXPECT_FALSE(can_be("2049", half));
  EXPECT_TRUE(can_be("5.960464477539063e-08", half));
  EXPECT_FALSE(can_be("8.940696716308594e-08", half));
  EXPECT_TRUE(can_be("-0", half));
}

TEST(ValueType, BooleansAreTrueAndFalseOrOneAndZero) {
  for (const char* text : {"TRUE", "false", "1", "0.0"}) EXPECT_TRUE(can_be(text, flags)) << text;
  for (const char* text : {"yes", "2", ""}) EXPECT_FALSE(can_be(text, flags)) << text;
}

TEST(ValueType, TextsAndMixedValuesCanBeAnything) {
  EXPECT_TRUE(can_be("yes", words) && can_be("yes", own));
  EXPECT_FALSE(can_be("2020-01-01", days));
}

Schema with_target(const std::string& target) {
  return schema_from_toml(
      "unit='who'\n[[column]]\nname='x'\nkind='hashed'\n[[column]]\nname='seen'\nkind='date'\n"
      "lower='1990-01-01'\nupper='2030-01-01'\n[[column]]\nname='id'\nkind='ignored'\n"
      "[target]\ncolumn='y'\n" +
          target,
      "s.toml");
}

bool takes(const Schema& schema, const std::string& name, const ValueType& type,
           TargetUse target = TargetUse::required) {
  try {
    check_type(schema, target, name, type);
  } catch (const base::DataError& error) {
    const std::string words_of_it = error.what();
    EXPECT_NE(words_of_it.find(type.name), std::string::npos);
    EXPECT_NE(words_of_it.find("'" + name + "'"), std::string::npos);
    return false;
  }
  return true;
}

TEST(ValueType, ATargetNeedsTwoClassesThatCanBeValues) {
  const auto binary = with_target("positive=['1','x']\nnegative='0'\n");
  EXPECT_TRUE(takes(binary, "y", large) && takes(binary, "y", flags) && takes(binary, "y", words));
  const auto texts = with_target("positive='yes'\nnegative='no'\n");
  for (const auto& type : {flags, large, single, wide, days}) EXPECT_FALSE(takes(texts, "y", type));
  EXPECT_TRUE(takes(texts, "y", large, TargetUse::absent));
  EXPECT_TRUE(takes(texts, "y", own));
  const auto rest = with_target("positive='3'\n");
  EXPECT_TRUE(takes(rest, "y", small));
  EXPECT_FALSE(takes(rest, "y", flags));
  const auto several = with_target("classes=['0','0.1','0.2']\n");
  EXPECT_TRUE(takes(several, "y", wide));
  EXPECT_FALSE(takes(several, "y", single));
  const auto numbers = with_target("lower=0\nupper=1\n");
  EXPECT_TRUE(takes(numbers, "y", single) && takes(numbers, "y", words));
  EXPECT_FALSE(takes(numbers, "y", days));
}

TEST(ValueType, DatesAreForColumnsOfDates) {
  const auto schema = with_target("lower=0\nupper=1\n");
  EXPECT_TRUE(takes(schema, "seen", days) && takes(schema, "seen", words));
  EXPECT_FALSE(takes(schema, "seen", large));
  EXPECT_FALSE(takes(schema, "x", days));
  EXPECT_FALSE(takes(schema, "who", days));
  EXPECT_TRUE(takes(schema, "who", days, TargetUse::absent));
  EXPECT_TRUE(takes(schema, "id", days) && takes(schema, "elsewhere", days));
}

// A category that no record can have makes a column of zeros, and a regression without records.
TEST(ValueType, WholeNumbersAndBooleansHaveToBeAmongTheCategories) {
  const auto refused = [](std::vector<std::string> categories, const ValueType& type,
                          OtherRule other = OtherRule::zero) {
    Schema schema;
    schema.columns.push_back({"c", CategoricalColumn{std::move(categories), other}});
    try {
      check_type(schema, TargetUse::absent, "c", type);
    } catch (const base::DataError&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused({"false", "true"}, large));
  EXPECT_TRUE(refused({"yes", "no"}, flags));
  EXPECT_TRUE(refused({"300"}, small));
  EXPECT_FALSE(refused({"yes", "no"}, large, OtherRule::column));
  EXPECT_FALSE(refused({"unknown", "1"}, large));
  EXPECT_FALSE(refused({"false", "true"}, flags));
  EXPECT_FALSE(refused({"0", "1"}, flags));
  for (const auto& type : {wide, words, own}) EXPECT_FALSE(refused({"yes", "no"}, type));
}

}  // namespace value_type_test
}  // namespace tacet::data
