#include "tacet/data/schema/schema.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/base/error.h"
#include "tests/support/data_sets.h"

namespace tacet::data {
namespace schema_test {

constexpr const char* full_schema = R"(
version = 1
name = "example"
description = "line one\nline \"two\""
public_row_count = 1000
row_scaling = "const"
storage = "sparse"
missing = ["", "?"]
unit = "person"

[format]
separator = ";"
quote = "'"
header = false
trim = true
fill_short = true
names = ["age", "sex", "colour", "gain", "code", "note", "y", "person", "skip"]

[target]
column = "y"
classes = ["low", "middle", "high"]
unknown = "middle"

[[column]]
name = "age"
kind = "numeric"
lower = 17
upper = 90.5
fill = 40

[[column]]
name = "sex"
kind = "categorical"
categories = ["m", "f"]
coding = "sign"

[[column]]
name = "colour"
kind = "categorical"
categories = ["red", "green", "blue"]
other = "column"

[[column]]
name = "gain"
kind = "numeric"
lower = 0
upper = 1e5
log1p = true

[[column]]
name = "code"
kind = "hashed"
bits = 4

[[column]]
name = "note"
kind = "text"
bits = 5

[[column]]
name = "skip"
kind = "ignored"
)";

std::string error_of(std::string_view text) {
  try {
    static_cast<void>(schema_from_toml(text, "s.toml"));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* one_column = "[[column]]\nname='x'\nkind='numeric'\nlower=0\nupper=1\n";

TEST(Schema, ReadsEveryKey) {
  const Schema schema = schema_from_toml(full_schema, "s.toml");
  EXPECT_EQ(schema.name, "example");
  EXPECT_EQ(schema.description, "line one\nline \"two\"");
  EXPECT_EQ(schema.public_row_count, 1000);
  EXPECT_EQ(schema.row_scaling, RowScaling::constant_root);
  EXPECT_EQ(schema.storage_kind(), Storage::sparse);
  EXPECT_EQ(schema.unit, "person");
  EXPECT_EQ(schema.format.separator, ';');
  EXPECT_EQ(schema.format.quote, '\'');
  EXPECT_FALSE(schema.format.header);
  EXPECT_TRUE(schema.format.trim);
  EXPECT_TRUE(schema.format.fill_short);
  ASSERT_EQ(schema.columns.size(), 7U);
  EXPECT_EQ(std::get<NumericColumn>(schema.columns[0].rule).fill, 40);
  EXPECT_TRUE(std::get<NumericColumn>(schema.columns[3].rule).log1p);
  ASSERT_TRUE(schema.target);
  EXPECT_EQ(std::get<MultiClassTarget>(schema.target->rule).unknown, 1);
  EXPECT_EQ(schema.target->class_count(), 3);
}

TEST(Schema, CountsEncodedColumnsAndBlocks) {
  const Schema schema = schema_from_toml(full_schema, "s.toml");
  // age, sex, three colours and other, gain, 16 and 32 buckets, intercept
  EXPECT_EQ(schema.encoded_column_count(), 1 + 1 + 4 + 1 + 16 + 32 + 1);
  EXPECT_EQ(schema.block_count(), 7);
  const auto columns = schema.encoded_columns();
  ASSERT_EQ(static_cast<std::int64_t>(columns.size()), schema.encoded_column_count());
  EXPECT_EQ(columns[0].name, "age");
  EXPECT_EQ(columns[1].name, "sex=f|m");
  EXPECT_EQ(columns[2].name, "colour=red");
  EXPECT_EQ(columns[5].name, "colour=(other)");
  EXPECT_EQ(columns[7].name, "code#0");
  EXPECT_EQ(columns[7].column, 4);
  EXPECT_EQ(columns[23].name, "note#0");
  EXPECT_EQ(columns.back().name, "(intercept)");
  EXPECT_EQ(schema.required_columns(), (std::vector<std::string>{"age", "sex", "colour", "gain",
                                                                 "code", "note", "y", "person"}));
}

TEST(Schema, RoundTripsThroughJsonAndToml) {
  const Schema schema = schema_from_toml(full_schema, "s.toml");
  const nlohmann::json json = schema_to_json(schema);
  EXPECT_EQ(schema_to_json(schema_from_json(nlohmann::json::parse(json.dump()))), json);
  EXPECT_EQ(schema_to_json(schema_from_toml(schema_to_toml(schema), "t.toml")), json);
}

TEST(Schema, UnknownKeysNameTheNearestKnownOne) {
  EXPECT_EQ(error_of(std::string("row_scalling = 'clip1'\n") + one_column),
            "s.toml:1:16: unknown key 'row_scalling'; did you mean 'row_scaling'?");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='numeric'\nlower=0\nuper=1\nupper=2\n"),
            "s.toml:5:6: unknown key 'uper'; did you mean 'upper'?");
  EXPECT_EQ(error_of(std::string(one_column) + "[format]\nzzzzzzzz=1\n"),
            "s.toml:7:10: unknown key 'zzzzzzzz'; known here: kind, separator, quote, header, "
            "trim, fill_short, names");
}

TEST(Schema, FaultsNameTheirPlace) {
  EXPECT_EQ(error_of("name = \n").substr(0, 11), "s.toml:1:8:");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='numeric'\nlower=2\nupper=1\n"),
            "s.toml:1:1: column 'x': lower must be below upper, got lower = 2 and upper = 1");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='numeric'\nlower='2'\nupper=1\n"),
            "s.toml:4:7: 'lower' must be a number");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='number'\n"),
            "s.toml:3:6: 'kind' must be one of numeric, categorical, hashed, text, date, ignored, "
            "ids, crossed, got \"number\"");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='categorical'\ncategories=[]\n"),
            "s.toml:1:1: column 'x': categories must not be empty");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='categorical'\ncategories=['a','b','a']\n"),
            "s.toml:1:1: column 'x': category \"a\" is listed twice");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='categorical'\ncategories=[1]\n"),
            "s.toml:4:13: 'categories' must be text in quotes, as the file spells it");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='numeric'\nlower=-1\nupper=1\nlog1p=true\n"),
            "s.toml:1:1: column 'x': log1p needs lower above -1, got -1");
  // Encoding a value would divide nothing by nothing.
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='numeric'\nlower=1e16\nupper=10000000000000002.0\n"
                     "log1p=true\n"),
            "s.toml:1:1: column 'x': log1p makes one number of lower = 1e+16 and upper = "
            "1.0000000000000002e+16");
  EXPECT_EQ(error_of("[[column]]\nname='x'\nkind='numeric'\nlower=0\nupper=inf\n"),
            "s.toml:1:1: column 'x': bounds must be finite numbers within 1e300");
}

TEST(Schema, RefusesContradictions) {
  const std::string column = one_column;
  EXPECT_EQ(error_of(column + column), "s.toml: column 'x' is described twice");
  EXPECT_EQ(error_of(column + "[target]\ncolumn='x'\npositive='1'\n"),
            "s.toml: the target 'x' must not be among the columns as well");
  EXPECT_EQ(error_of("unit = 'x'\n" + column),
            "s.toml: the unit column 'x' must be neither a feature nor the target; leave it out "
            "of the columns, or list it as ignored");
  EXPECT_EQ(error_of("unit = 'who'\n" + column + "[[column]]\nname='who'\nkind='ignored'\n"),
            "no error");
  EXPECT_EQ(error_of(""), "s.toml: a schema needs at least one [[column]] that is not ignored");
  EXPECT_EQ(error_of(column + "[format]\nheader=false\nnames=['y']\n"),
            "s.toml: column 'x' is not in the names of [format]");
  EXPECT_EQ(error_of(column + "[format]\nheader=false\n"),
            "s.toml:6:1: format: a file without a header needs 'names', its columns in order");
  EXPECT_EQ(error_of("public_row_count = 0\n" + column),
            "s.toml:1:20: 'public_row_count' must be between 1 and 4294967296 (2^32), got 0");
  EXPECT_EQ(error_of("public_row_count = 4294967296\n" + column), "no error");
  EXPECT_EQ(
      error_of("public_row_count = 4294967297\n" + column),
      "s.toml:1:20: 'public_row_count' must be between 1 and 4294967296 (2^32), got 4294967297");
  EXPECT_NE(error_of("weight = 'w'\n" + column).find("a weight column is not supported"),
            std::string::npos);
  EXPECT_NE(error_of(column + "[target]\ncolumn='y'\npositive='1'\nlower=0\nupper=1\n")
                .find("exactly one of"),
            std::string::npos);
  EXPECT_NE(error_of(column + "[features]\ncount=3\nlower=0\nupper=1\n").find("[features] is for"),
            std::string::npos);
}

TEST(Schema, CategoriesHaveScales) {
  const std::string column = "[[column]]\nname='x'\nkind='categorical'\ncategories=['a','b']\n";
  const auto scaled = column + "other='column'\nscales=[0.5,2,4.25]\n";
  EXPECT_EQ(error_of(scaled), "no error");
  const auto schema = schema_from_toml(scaled, "s.toml");
  EXPECT_TRUE(schema.columns[0].standardised());
  EXPECT_FALSE(schema_from_toml(column, "s.toml").columns[0].standardised());
  const auto json = schema_to_json(schema);
  EXPECT_EQ(json["column"][0]["scales"], (std::vector<double>{0.5, 2, 4.25}));
  EXPECT_EQ(schema_to_json(schema_from_json(json)), json);
  EXPECT_EQ(schema_to_json(schema_from_toml(schema_to_toml(schema), "t.toml")), json);
  const auto counted =
      "s.toml:1:1: column 'x': 'scales' are one for each feature of one_hot coding";
  EXPECT_EQ(error_of(column + "scales=[1.0]\n"), counted);
  EXPECT_EQ(error_of(column + "scales=[1.0,2.0,3.0]\n"), counted);
  EXPECT_EQ(error_of(column + "coding='sign'\nscales=[1.0]\n"), counted);
  for (const auto* wrong : {"0", "0.01", "17", "-1", "inf", "nan"}) {
    EXPECT_NE(error_of(column + "scales=[1," + wrong + "]\n").find("scales must be between"),
              std::string::npos)
        << wrong;
  }
}

TEST(Schema, JsonFaultsNameTheirPath) {
  try {
    static_cast<void>(schema_from_json(
        nlohmann::json::parse(R"({"column": [{"name": "x", "kind": "numeric", "lower": 0}]})")));
    FAIL();
  } catch (const base::DataError& error) {
    EXPECT_EQ(std::string(error.what()).find("schema.column[0]: key 'upper' is missing"), 0U);
  }
}

TEST(Schema, StorageDependsOnPublicWidthAndTouchedColumns) {
  const auto with_categories = [](int count) {
    std::string list;
    for (int k = 0; k < count; ++k) list += "'c" + std::to_string(k) + "',";
    return schema_from_toml("[[column]]\nname='x'\nkind='categorical'\ncategories=[" + list + "]",
                            "s.toml")
        .storage_kind();
  };
  EXPECT_EQ(with_categories(40), Storage::dense);
  EXPECT_EQ(with_categories(100), Storage::sparse);
}

TEST(Schema, AMillionCategoriesAreHandled) {
  Schema schema;
  CategoricalColumn rule;
  for (int k = 0; k < 1000000; ++k) rule.categories.push_back(std::to_string(k));
  schema.columns.push_back({.name = "x", .rule = rule});
  schema.validate();
  EXPECT_EQ(schema.encoded_column_count(), 1000001);
}

TEST(Schema, ShippedSchemasHaveTheirDocumentedWidth) {
  const auto width = [](std::string_view name) {
    return load_schema(test::source_file("data/schemas/" + std::string(name) + ".toml"))
        .encoded_column_count();
  };
  EXPECT_EQ(width("adult"), 109);
  EXPECT_EQ(width("bank_marketing"), 65);
  EXPECT_EQ(width("berkeley1973"), 7);
  EXPECT_EQ(width("berkeley1973_sex"), 2);
}

TEST(Schema, MissingFilesAreInputErrors) {
  EXPECT_THROW(static_cast<void>(load_schema("/nonexistent/schema.toml")), base::IoError);
  EXPECT_THROW(static_cast<void>(load_schema("/")), base::IoError);
}

// By name, in any order; in class order inside, and the same again through both written forms.
TEST(Schema, CountsAndProbabilitiesRoundTrip) {
  for (const std::string kind : {"kind = 'probability'\n", "kind = 'count'\nupper = 12.5\n"}) {
    const auto schema = schema_from_toml("[target]\ncolumn = 'y'\n" + kind, "s.toml");
    EXPECT_TRUE(schema.target->regression());
    const auto again = schema_from_toml(schema_to_toml(schema), "again");
    EXPECT_EQ(again.target->number_kind(), schema.target->number_kind());
    EXPECT_EQ(schema_to_json(schema), schema_to_json(schema_from_json(schema_to_json(schema))));
    EXPECT_EQ(std::get<RegressionTarget>(again.target->rule).lower, 0);
  }
  for (const std::string wrong :
       {"kind = 'count'\nupper = -1\n", "kind = 'count'\n", "kind = 'count'\nupper = 0\n",
        "kind = 'count'\nlower = 0\nupper = 3\n", "kind = 'probability'\nupper = 1\n",
        "kind = 'share'\n"}) {
    EXPECT_THROW((void)schema_from_toml("[target]\ncolumn = 'y'\n" + wrong, "s.toml"),
                 base::DataError)
        << wrong;
  }
}

TEST(Schema, ClassesHavePublicWeights) {
  const std::string target = "[target]\ncolumn='y'\nclasses=['low','so so','high']\n";
  const auto schema =
      schema_from_toml(one_column + target + "class_weights = { high = 0.5, 'so so' = 3 }\n", "s");
  EXPECT_EQ(schema.target->class_weights, (std::vector<double>{1, 3, 0.5}));
  EXPECT_EQ(schema_from_toml(schema_to_toml(schema), "t").target->class_weights,
            schema.target->class_weights);
  EXPECT_EQ(schema_from_json(schema_to_json(schema)).target->class_weights,
            schema.target->class_weights);
  const auto two =
      schema_from_toml(one_column + std::string("[target]\ncolumn='y'\npositive='yes'\n"
                                                "[target.class_weights]\n"
                                                "yes = 4\nnegative = 1\n"),
                       "s");
  EXPECT_EQ(two.target->class_weights, (std::vector<double>{1, 4}));
  const auto fault = [&](const std::string& weights) {
    return error_of(one_column + target + "class_weights = " + weights + "\n");
  };
  EXPECT_NE(fault("{ hihg = 2 }").find("unknown key 'hihg'; did you mean 'high'?"),
            std::string::npos);
  EXPECT_NE(fault("{ high = 0 }").find("0.001 to 1000, got 0"), std::string::npos);
  EXPECT_NE(fault("{ high = 2000 }").find("0.001 to 1000"), std::string::npos);
  EXPECT_NE(fault("{ high = 'much' }").find("high"), std::string::npos);
  EXPECT_NE(fault("'balanced'").find("class_weights must be a table"), std::string::npos);
  EXPECT_NE(error_of(one_column + std::string("[target]\ncolumn='y'\nlower=0\nupper=1\n"
                                              "class_weights = { a = 2 }\n"))
                .find("not for a number"),
            std::string::npos);
}

}  // namespace schema_test
}  // namespace tacet::data
