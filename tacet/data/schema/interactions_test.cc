#include "tacet/data/schema/interactions.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/encoder.h"

namespace tacet::data {
namespace interactions_test {

const std::string columns =
    "[[column]]\nname='a'\nkind='categorical'\ncategories=['x','y']\n"
    "[[column]]\nname='n'\nkind='numeric'\nlower=0\nupper=1\n"
    "[[column]]\nname='b'\nkind='categorical'\ncategories=['u','v']\nother='column'\n"
    "[[column]]\nname='s'\nkind='categorical'\ncategories=['f','m']\ncoding='sign'\n";

using Columns = std::vector<std::uint32_t>;

Columns encode(const Schema& schema, const std::vector<std::string_view>& fields) {
  const auto names = schema.required_columns();
  Encoder encoder(schema, names, TargetUse::absent, "t.csv");
  EncodedRow row;
  encoder.encode(fields, row);
  Dataset data(schema.shape());
  data.append(row);  // checks order, range and norm
  return row.columns;
}

TEST(Interactions, HaveAFeatureForEachTwoCategories) {
  const Schema schema = schema_from_toml("interactions=[['b','a']]\n" + columns, "s.toml");
  std::vector<std::string> names;
  for (const auto& column : schema.encoded_columns()) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a=x", "a=y", "n", "b=u", "b=v", "b=(other)", "s=m|f",
                                             "b=u & a=x", "b=u & a=y", "b=v & a=x", "b=v & a=y",
                                             "b=(other) & a=x", "b=(other) & a=y", "(intercept)"}));
  EXPECT_EQ(schema.encoded_column_count(), 14);
  EXPECT_EQ(schema.block_count(), 6);
  EXPECT_EQ(encode(schema, {"y", "0", "v", "f"}), (Columns{1, 4, 6, 10, 13}));
  EXPECT_EQ(encode(schema, {"x", "0", "what", ""}), (Columns{0, 5, 11, 13}));
  EXPECT_EQ(encode(schema, {"z", "0", "u", ""}), (Columns{3, 13}));
}

TEST(Interactions, ComeBackFromBothFormats) {
  const Schema schema = schema_from_toml("interactions=[['b','a']]\n" + columns, "s.toml");
  const auto json = schema_to_json(schema);
  EXPECT_EQ(json["interactions"], nlohmann::json::parse(R"([["b", "a"]])"));
  EXPECT_EQ(schema_to_json(schema_from_json(json)), json);
  EXPECT_EQ(schema_to_json(schema_from_toml(schema_to_toml(schema), "again.toml")), json);
  EXPECT_FALSE(schema_to_json(schema_from_toml(columns, "s.toml")).contains("interactions"));
}

std::string error_of(const std::string& interactions, const std::string& more = "") {
  try {
    (void)schema_from_toml("interactions=" + interactions + "\n" + columns + more, "s.toml");
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Interactions, RefuseWhatIsNoPairOfCategories) {
  const auto says = [](const std::string& error, const std::string& words) {
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  says(error_of("[['a','n']]"), "'n' is not categorical");
  says(error_of("[['s','a']]"), "'s' is not categorical");
  says(error_of("[['a','c']]"), "no column 'c'");
  says(error_of("[['a','a']]"), "one column");
  says(error_of("[['a','b'],['b','a']]"), "listed twice");
  says(error_of("[['a']]"), "s.toml:1:15: an interaction has two columns");
  says(error_of("['a','b']"), "must be a list");
  std::string many = "'0'";
  for (int k = 1; k < 1366; ++k) many += ",'" + std::to_string(k) + "'";
  const std::string wide = "[[column]]\nname='w'\nkind='categorical'\ncategories=[" + many + "]\n";
  says(error_of("[['w','b']]", wide), "4098 features");
  EXPECT_EQ(error_of("[['w','a']]", wide), "no error");
}

}  // namespace interactions_test
}  // namespace tacet::data
