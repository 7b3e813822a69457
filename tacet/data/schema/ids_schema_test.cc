#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/schema/feature_names.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {
namespace ids_schema_test {

using Names = std::vector<std::string>;

const std::string wide = R"(
unit = "who"
[target]
column = "y"
positive = "1"
[[column]]
name = "basket"
kind = "ids"
separator = ";"
max_ids = 20
count = 4
[[column]]
names = ["tags", "more"]
kind = "ids"
bits = 2
[[column]]
kind = "crossed"
names = ["shop", "day"]
bits = 1
[[column]]
name = "shop"
kind = "categorical"
categories = ["a", "b"]
)";

TEST(IdsSchema, ReadsWritesAndReadsAgain) {
  const auto schema = schema_from_toml(wide, "s.toml");
  const auto json = schema_to_json(schema);
  EXPECT_EQ(json["column"][0],
            nlohmann::json::parse(
                R"({"name":"basket","kind":"ids","separator":";","max_ids":20,"count":4})"));
  EXPECT_EQ(json["column"][1],
            nlohmann::json::parse(
                R"({"name":"tags","kind":"ids","separator":" ","max_ids":64,"bits":2})"));
  EXPECT_EQ(json["column"][3],
            nlohmann::json::parse(
                R"({"name":"shop & day","kind":"crossed","names":["shop","day"],"bits":1})"));
  EXPECT_EQ(schema_to_json(schema_from_json(json)), json);
  EXPECT_EQ(schema_to_json(schema_from_toml(schema_to_toml(schema), "again.toml")), json);
}

TEST(IdsSchema, NamesFeaturesAndTheColumnsOfTheFile) {
  const auto schema = schema_from_toml(wide, "s.toml");
  EXPECT_EQ(schema.feature_columns(), (Names{"basket", "tags", "more", "shop", "day"}));
  EXPECT_EQ(schema.required_columns(),
            (Names{"basket", "tags", "more", "shop", "day", "y", "who"}));
  EXPECT_EQ(schema.encoded_column_count(), 4 + 4 + 4 + 2 + 2 + 1);
  const auto names = feature_names(schema);
  EXPECT_EQ(names[3], "basket=3");
  EXPECT_EQ(names[4], "tags#0");
  EXPECT_EQ(names[13], "shop & day#1");
  EXPECT_EQ(names[14], "shop=a");
  const auto columns = schema.encoded_columns();
  ASSERT_EQ(std::ssize(columns), schema.encoded_column_count());
  for (std::size_t k = 0; k < columns.size(); ++k) EXPECT_EQ(columns[k].name, names[k]);
  EXPECT_EQ(schema.unscaled_square(), 6);  // a block each, and the intercept
}

TEST(IdsSchema, IdsAndCrossedColumnsMayBeLeftOutByTraining) {
  const auto ranges = schema_from_toml(wide, "s.toml").choosable_columns();
  EXPECT_EQ(ranges, (std::vector<ColumnRange>{{0, 4}, {4, 8}, {8, 12}, {12, 14}}));
}

std::string error_of(const std::string& column, const std::string& more = "") {
  try {
    (void)schema_from_toml(more + "[[column]]\n" + column, "s.toml");
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(IdsSchema, RefuseWhatIsNoRule) {
  const auto says = [](const std::string& error, const std::string& words) {
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  const std::string ids = "name='i'\nkind='ids'\n";
  says(error_of(ids + "max_ids=0"), "'max_ids' of a record must be between 1 and 1024, got 0");
  says(error_of(ids + "max_ids=1025"), "got 1025");
  says(error_of(ids + "count=0"), "'count' must be between 1 and");
  says(error_of(ids + "count=1073741825"), "'count' must be between 1 and");
  says(error_of(ids + "count=5\nbits=4"), "not both");
  says(error_of(ids + "bits=31"), "'bits' must be between 1 and 30");
  says(error_of(ids + "separator=''"), "must be one character, got none");
  says(error_of(ids + "separator='\xc3\xa9'"), "one ASCII character");
  says(error_of(ids + "separator=\"\\n\""), "other than a line break");
  says(error_of(ids + "width=4"), "unknown key 'width'");
  const std::string crossed = "kind='crossed'\n";
  says(error_of(crossed), "names");
  says(error_of(crossed + "names=['a']"), "two or more; got 1");
  says(error_of(crossed + "names=['a','a']"), "crossed with itself");
  says(error_of(crossed + "names=['a','']"), "must not be empty");
  says(error_of(crossed + "names=['a','b']\nname=''"), "a column needs a name");
  says(error_of(crossed + "names=['a','b']\nbits=0"), "'bits' must be between");
  for (const char* kind : {"numeric'\nlower=0\nupper=1", "text'", "ids'"}) {
    says(error_of(crossed + "names=['a','b']\n[[column]]\nname='a'\nkind='" + kind),
         "crosses 'a', which is neither categorical nor hashed");
  }
}

// A label or a person's name must not become a feature by way of a cross.
TEST(IdsSchema, NeitherTargetNorUnitCanBeCrossed) {
  const std::string crossed = "kind='crossed'\nnames=['a','b']\n";
  EXPECT_NE(error_of(crossed, "[target]\ncolumn='b'\npositive='1'\n").find("target 'b'"),
            std::string::npos);
  EXPECT_NE(error_of(crossed, "unit='a'\n").find("unit column 'a'"), std::string::npos);
  EXPECT_NE(error_of("name='a'\nkind='ignored'\n[[column]]\n" + crossed, "unit='a'\n")
                .find("unit column 'a'"),
            std::string::npos);
}

}  // namespace ids_schema_test
}  // namespace tacet::data
