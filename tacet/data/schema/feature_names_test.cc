#include "tacet/data/schema/feature_names.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::data {
namespace feature_names_test {

void expect_the_names_of_the_columns(const Schema& schema) {
  const auto columns = schema.encoded_columns();
  const FeatureNames names = feature_names(schema);
  ASSERT_EQ(names.size(), columns.size());
  std::vector<std::string> listed;
  for (std::size_t k = 0; k < names.size(); ++k) {
    EXPECT_EQ(names[k], columns[k].name);
    listed.push_back(columns[k].name);
  }
  EXPECT_EQ(names, FeatureNames(listed));
  listed.back() += "x";
  EXPECT_FALSE(names == FeatureNames(listed));
}

TEST(FeatureNames, AreThoseOfTheEncodedColumns) {
  Schema schema;
  schema.columns = {{"age", NumericColumn{}},
                    {"word", TextColumn{.bits = 3}},
                    {"code", HashedColumn{.bits = 2}},
                    {"gone", IgnoredColumn{}},
                    {"town", CategoricalColumn{{"a", "b", "c"}, OtherRule::column}},
                    {"sex", CategoricalColumn{{"f", "m"}, OtherRule::zero, Coding::sign}}};
  expect_the_names_of_the_columns(schema);
  schema.intercept = false;
  expect_the_names_of_the_columns(schema);
}

TEST(FeatureNames, UniformFeaturesCountFromOne) {
  Schema schema;
  schema.features = UniformFeatures{.count = 12};
  expect_the_names_of_the_columns(schema);
  EXPECT_EQ(feature_names(schema)[0], "feature 1");
  EXPECT_EQ(feature_names(schema)[12], "(intercept)");
}

TEST(FeatureNames, ManyNumberedNamesTakeNoMemory) {
  FeatureNames names;
  names.add_numbered("x", 5, std::int64_t{1} << 40);
  EXPECT_EQ(names[(std::size_t{1} << 40) - 1], "x1099511627780");
}

TEST(OtherSeparator, TheSeparatorThatCutsTheLineIsNamed) {
  EXPECT_NE(other_separator("age;town", ',').find("separator = \";\""), std::string::npos);
  EXPECT_NE(other_separator("age\ttown", ',').find("separator = \"\\t\""), std::string::npos);
  EXPECT_NE(other_separator("age,town", ';').find("separator = \",\""), std::string::npos);
  EXPECT_EQ(other_separator("age", ','), "");
}

}  // namespace feature_names_test

}  // namespace tacet::data
