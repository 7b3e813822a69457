#include "tacet/data/encode/category_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/encoder.h"

namespace tacet::data {
namespace category_groups_test {

Schema schema_with(const std::string& rest, const std::string& top = "") {
  return schema_from_toml(top + R"(
    [[column]]
    name = "age"
    kind = "numeric"
    lower = 0
    upper = 100
    [[column]]
    name = "town"
    kind = "categorical"
    categories = ["Bern", "Basel"]
  )" + rest,
                          "inline");
}

std::vector<std::int64_t> groups_of(const Schema& schema, const std::vector<std::string>& towns) {
  const std::vector<std::string> names{"age", "town"};
  Encoder encoder(schema, names, TargetUse::absent, "inline");
  Dataset data(schema.shape());
  EncodedRow row;
  for (const auto& town : towns) {
    const std::vector<std::string_view> fields{"41", town};
    encoder.encode(fields, row);
    data.append(row);
  }
  const CategoryGroups groups(schema, "town");
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < data.rows(); ++i) out.push_back(groups.group_of(data, i));
  return out;
}

TEST(CategoryGroups, RecordsFallIntoTheirCategoryOrTheOthers) {
  const std::vector<std::string> towns{"Basel", "Bern", "Atlantis", ""};
  const std::vector<std::int64_t> expected{1, 0, 2, 2};
  EXPECT_EQ(groups_of(schema_with(""), towns), expected);
  EXPECT_EQ(groups_of(schema_with("other = \"column\""), towns), expected);
  EXPECT_EQ(groups_of(schema_with("coding = \"sign\""), towns), expected);
  EXPECT_EQ(groups_of(schema_with("", "storage = \"sparse\"\n"), towns), expected);
}

TEST(CategoryGroups, NamesAreTheSchemasOwn) {
  const CategoryGroups groups(schema_with(""), "town");
  EXPECT_EQ(groups.names(), (std::vector<std::string>{"Bern", "Basel", "other"}));
}

TEST(CategoryGroups, ColumnsWithoutCategoriesAreRefused) {
  const auto schema = schema_with("");
  for (const auto* name : {"age", "sex", ""}) {
    try {
      const CategoryGroups groups(schema, name);
      FAIL() << name;
    } catch (const base::UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("there is town"), std::string::npos);
    }
  }
}

}  // namespace category_groups_test
}  // namespace tacet::data
