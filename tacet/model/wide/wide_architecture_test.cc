#include "tacet/model/wide/wide_architecture.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::model {
namespace wide_architecture_test {

data::Schema schema_of(std::string_view extra = {}) {
  return data::schema_from_toml(std::string(R"(
[target]
column = "y"
positive = "1"
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 1
[[column]]
name = "basket"
kind = "ids"
count = 9
embedding = 3
[[column]]
name = "shop"
kind = "categorical"
categories = ["a", "b"]
[[column]]
name = "town"
kind = "hashed"
bits = 4
)") + std::string(extra),
                                "s.toml");
}

std::string error_of(const data::Schema& schema, const WideArchitecture& asked,
                     const Loss& loss = LogisticLoss{}) {
  try {
    static_cast<void>(wide_shape(schema, asked, loss));
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "no error";
}

void says(const std::string& error, const std::string& words) {
  EXPECT_NE(error.find(words), std::string::npos) << error;
}

TEST(WideArchitecture, IdsAreFieldsAndNumbersAreDense) {
  const auto shape =
      wide_shape(schema_of(), {.width = 5, .pooling = Pooling::mean}, LogisticLoss{});
  EXPECT_EQ(shape.fields, (std::vector<WideField>{{.first = 1, .rows = 9, .width = 3},
                                                  {.first = 12, .rows = 16, .width = 5}}));
  EXPECT_EQ(shape.dense, (std::vector<std::int64_t>{0, 10, 11}));
  EXPECT_EQ(shape.outputs, 1);
}

TEST(WideArchitecture, LongListsOfCategoriesAreFieldsAndShortOnesWhereTheSchemaSays) {
  std::string list;
  for (int k = 0; k < 65; ++k) list += "\"" + std::to_string(k) + "\",";
  const auto with = [&](const std::string& keys) {
    return wide_shape(schema_of("[[column]]\nname = \"code\"\nkind = \"categorical\"\n" + keys), {},
                      LogisticLoss{});
  };
  EXPECT_EQ(with("categories = [" + list + "]").fields.size(), 3U);
  EXPECT_EQ(with("categories = [" + list + "]\nembedding = 0").fields.size(), 2U);
  EXPECT_EQ(with("categories = [\"x\", \"y\"]\nembedding = 2").fields.back().width, 2);
}

// Columns that were left out have no vector; a field of which nothing was kept is none.
TEST(WideArchitecture, KeptColumnsAloneHaveVectors) {
  auto schema = schema_of();
  schema.selected_columns = {2, 5, 7};
  const auto shape = wide_shape(schema, {.width = 5, .pooling = Pooling::mean}, LogisticLoss{});
  EXPECT_EQ(shape.fields, (std::vector<WideField>{{.first = 1, .rows = 3, .width = 3}}));
  EXPECT_EQ(shape.dense, (std::vector<std::int64_t>{0, 4, 5}));
  const auto places = column_places(schema);
  EXPECT_EQ(places[3].count, 0);
  EXPECT_EQ(places[2].first, 4);
}

TEST(WideArchitecture, TowersHaveEveryListedColumnOnOneSide) {
  WideArchitecture towers{
      .width = 3, .head = WideHead::two_tower, .left = {"basket"}, .right = {"shop", "town"}};
  const auto shape = wide_shape(schema_of(), towers, LogisticLoss{});
  ASSERT_EQ(shape.fields.size(), 3U);
  EXPECT_EQ(shape.fields[0].side, WideSide::left);
  EXPECT_EQ(shape.fields[1].side, WideSide::right);
  EXPECT_TRUE(shape.hidden.empty());
  EXPECT_EQ(shape.dense, std::vector<std::int64_t>{0});
  towers.right = {"shop"};
  says(error_of(schema_of(), towers), "'town' is on no side");
  towers.right = {"shop", "town", "basket"};
  says(error_of(schema_of(), towers), "on both sides");
  towers.right = {"shop", "street"};
  says(error_of(schema_of(), towers), "no column 'street'");
  towers.right.clear();
  says(error_of(schema_of(), towers), "columns of each side");
  says(error_of(schema_of(), {.left = {"basket"}}), "of two towers");
}

TEST(WideArchitecture, RefusesLossesItHasNoSlopesOf) {
  says(error_of(schema_of(), {}, HingeLoss{}),
       "logistic, the softmax or the squared loss, got hinge");
  says(error_of(schema_of(), {.hidden = {1, 2, 3}}), "at most 2 hidden layers");
}

TEST(WideArchitecture, EmbeddingsAreReadWrittenAndHeldToTheirRange) {
  const auto schema = schema_of();
  EXPECT_EQ(schema.columns[1].embedding, 3);
  const auto again = data::schema_from_toml(data::schema_to_toml(schema), "again.toml");
  EXPECT_EQ(again.columns[1].embedding, 3);
  EXPECT_EQ(data::schema_from_json(data::schema_to_json(schema)).columns[1].embedding, 3);
  const auto fault = [](const std::string& keys) {
    try {
      static_cast<void>(schema_of("[[column]]\nname = \"more\"\n" + keys));
    } catch (const base::DataError& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  says(fault("kind = \"hashed\"\nembedding = 0"), "between 1 and 4096, got 0");
  says(fault("kind = \"ids\"\nembedding = 4097"), "between 1 and 4096, got 4097");
  says(fault("kind = \"numeric\"\nlower = 0\nupper = 1\nembedding = 2"), "unknown key");
}

}  // namespace wide_architecture_test
}  // namespace tacet::model
