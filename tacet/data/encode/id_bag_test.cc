#include "tacet/data/encode/id_bag.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/public_hash.h"

namespace tacet::data {
namespace id_bag_test {

using Places = std::vector<std::uint32_t>;

const std::vector<std::string> missing_texts = {"", "NA", "-1"};
const MissingValues missing(missing_texts);
const IdsColumn counted{.separator = ';', .max_ids = 3, .count = 100};
const IdsColumn hashed{.max_ids = 3, .bits = 20};

Places of_value(const IdsColumn& rule, const Value& value) {
  IdBag bag(rule, missing);
  const auto found = bag.places(value);
  return {found.begin(), found.end()};
}
Places places(const IdsColumn& rule, const std::string& text) {
  return of_value(rule, std::string_view(text));
}
Places of_list(const IdsColumn& rule, const std::vector<Value>& values) {
  std::vector<ListItem> items;
  for (const Value& value : values) items.push_back({value});
  return of_value(rule, List{items.data(), items.size()});
}

TEST(IdBag, NumbersBelowTheCountHaveAPlaceEach) {
  EXPECT_EQ(places(counted, "7;99;0"), (Places{0, 7, 99}));
  EXPECT_EQ(places(counted, " 7 ;\t07; 7.0 ;+7"), Places{7});
  EXPECT_EQ(of_value(counted, std::int64_t{42}), Places{42});
}

TEST(IdBag, WhatIsOutOfRangeOrNoNumberIsDropped) {
  EXPECT_EQ(places(counted, "100;-2;1.5;x;nan;inf;1e300;7;99999999999999999999"), Places{7});
  EXPECT_EQ(places(counted, "-0"), Places{0});
  IdBag bag(counted, missing);
  static_cast<void>(bag.places(std::string_view("100;x;7;8;9;10;7;NA;;11")));
  EXPECT_EQ(bag.dropped(), 2);
  EXPECT_EQ(bag.beyond(), 2);
}

TEST(IdBag, MissingAndEmptyIdsAreNone) {
  for (const char* text : {"", "NA", "-1", ";;", " ; ;", "NA;-1"}) {
    EXPECT_EQ(places(counted, text), Places{}) << text;
  }
  EXPECT_EQ(of_value(counted, Missing{}), Places{});
  EXPECT_EQ(of_list(counted, {}), Places{});
  EXPECT_EQ(of_list(counted, {Missing{}, std::int64_t{-1}, std::int64_t{3}}), Places{3});
}

TEST(IdBag, TheFirstDifferentIdsCountHoweverMany) {
  EXPECT_EQ(places(counted, "9;9;5;9;x;7;1;2;0"), (Places{5, 7, 9}));
  std::string many;
  for (int k = 0; k < 100000; ++k) many += std::to_string(k % 90) + ";";
  EXPECT_EQ(places(counted, many), (Places{0, 1, 2}));
}

TEST(IdBag, AnyBytesAreHashedAsTheyStand) {
  const std::string odd = "\xff\xfe\x80 caf\xc3\xa9 \xc3";
  Places expected{public_bucket("\xff\xfe\x80", 20), public_bucket("caf\xc3\xa9", 20),
                  public_bucket("\xc3", 20)};
  std::ranges::sort(expected);
  EXPECT_EQ(places(hashed, odd), expected);
  EXPECT_EQ(places(hashed, std::string("a\0b", 3)), Places{public_bucket({"a\0b", 3}, 20)});
}

TEST(IdBag, ListsAreWhatAFileWouldSpell) {
  const IdsColumn wide{.max_ids = 8, .bits = 20};
  EXPECT_EQ(of_list(wide, {std::int64_t{12}, 3.0, 0.1F, true, std::string_view("a b")}),
            places(wide, std::string("12 3 0.1 true a b")));
  EXPECT_EQ(of_list(counted, {std::int64_t{12}, 3.0, std::string_view("7;12")}),
            places(counted, std::string("12;3;7;12")));
}

Schema bag_schema(const std::string& more) {
  return schema_from_toml(
      more +
          "[[column]]\nname='x'\nkind='numeric'\nlower=-1\nupper=1\n"
          "[[column]]\nname='i'\nkind='ids'\nseparator=';'\nmax_ids=50\nbits=7\n"
          "[[column]]\nname='n'\nkind='ids'\nmax_ids=1024\ncount=3000\n"
          "[[column]]\nkind='crossed'\nnames=['a','b']\nbits=5\n",
      "s.toml");
}

// Whatever a record holds, its row has norm 1 at most: Dataset::append refuses any other.
TEST(IdBag, RowsKeepTheirNormWhateverTheyHold) {
  std::mt19937 draw(1);  // a fixed seed; nothing here can fail at random
  for (const std::string more : {"", "row_scaling='const'\n", "storage='sparse'\n"}) {
    const auto schema = bag_schema(more);
    const auto names = schema.required_columns();
    EXPECT_EQ(names, (std::vector<std::string>{"x", "i", "n", "a", "b"}));
    Encoder encoder(schema, names, TargetUse::absent, "t.csv");
    Dataset data(schema.unlabelled_shape());
    for (int round = 0; round < 1000; ++round) {
      const auto ids = [&](char separator) {
        std::string field;
        for (auto k = draw() % (round % 10 == 0 ? 3000 : 30); k > 0; --k) {
          field += std::to_string(draw() % 4000) + separator;
        }
        return field;
      };
      const std::string i = ids(';');
      const std::string n = ids(' ');
      const std::vector<std::string_view> fields{"1e300", i, n, "\xff", round % 2 == 0 ? "" : "b"};
      EncodedRow row;
      encoder.encode(std::span(fields), row);
      std::int64_t square = 0;
      for (const auto value : row.values) square += std::int64_t{value} * value;
      EXPECT_LE(square, std::int64_t{2048} * 2048);
      data.append(row);
    }
  }
}

// What a record adds does not grow with the number of its ids.
TEST(IdBag, TheBagHasOneNormForAnyNumberOfIds) {
  const auto schema = schema_from_toml(
      "intercept=false\n[[column]]\nname='n'\nkind='ids'\nmax_ids=1024\ncount=1024\n", "s.toml");
  EXPECT_EQ(schema.unscaled_square(), 1);
  const auto names = schema.required_columns();
  Encoder encoder(schema, names, TargetUse::absent, "t.csv");
  std::string field;
  for (int count = 1; count <= 1024; ++count) {
    field += std::to_string(count - 1) + " ";
    const std::array<std::string_view, 1> fields{field};
    EncodedRow row;
    encoder.encode(std::span<const std::string_view>(fields), row);
    ASSERT_EQ(std::ssize(row.values), count);
    double square = 0;
    for (const auto value : row.values) square += double{1} * value * value;
    EXPECT_LE(square, 2048.0 * 2048);
    EXPECT_GE(square, 2048.0 * 2048 * 0.93);  // rounded toward zero, by less than 1 in 32
  }
}

TEST(IdBag, CrossedColumnsHashWhatTheyHoldTogether) {
  const auto schema = schema_from_toml(
      "intercept=false\n[[column]]\nkind='crossed'\nnames=['a','b']\nbits=20\n"
      "[[column]]\nname='a'\nkind='categorical'\ncategories=['1','2']\n",
      "s.toml");
  EXPECT_EQ(schema.columns[0].name, "a & b");
  const std::vector<std::string> names{"b", "a"};
  Encoder encoder(schema, names, TargetUse::absent, "t.csv");
  const auto columns = [&](Value b, Value a) {
    EncodedRow row;
    const std::array<Value, 2> values{b, a};
    encoder.encode(std::span<const Value>(values), row);
    return row.columns;
  };
  const auto text = [](const char* words) { return Value(std::string_view(words)); };
  EXPECT_EQ(columns(text("x"), text("7")), Places{public_bucket("1:71:x", 20)});
  EXPECT_EQ(columns(text("x"), std::int64_t{7}), columns(text("x"), text("7")));
  EXPECT_NE(columns(text("11:2"), text("3")), columns(text("2"), text("31:1")));
  EXPECT_EQ(columns(text("x"), text("")), Places{});
  EXPECT_EQ(columns(Missing{}, text("2")), (Places{(1U << 20) + 1}));
  const ListItem item{text("x")};
  EXPECT_EQ(columns(List{&item, 1}, text("3")), Places{});
}

}  // namespace id_bag_test
}  // namespace tacet::data
