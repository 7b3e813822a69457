#include "tacet/data/schema/numeric_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::data {
namespace numeric_map_test {

const NumericColumn age{.lower = 20, .upper = 100};
const NumericColumn age_from_lower{.lower = 20, .upper = 100, .centre = false};

TEST(NumericMap, RunsFromZeroToOneWithoutACentre) {
  const NumericMap map(age_from_lower);
  EXPECT_EQ(map.feature(20), 0);
  EXPECT_EQ(map.feature(60), 0.5);
  EXPECT_EQ(map.feature(1e300), 1);
  EXPECT_EQ(map.missing_share(), 0);
  EXPECT_EQ(map.step(), 1.0 / 80);
  EXPECT_EQ(map.max_square(), 1);
}

TEST(NumericMap, RunsAroundTheMiddle) {
  const NumericMap map(age);
  EXPECT_EQ(map.feature(20), -1.25);
  EXPECT_EQ(map.feature(-1e300), -1.25);
  EXPECT_EQ(map.feature(60), 0);
  EXPECT_EQ(map.feature(100), 1.25);
  EXPECT_EQ(map.feature_of_share(map.missing_share()), 0);
  EXPECT_EQ(map.step(), 2.5 / 80);
  EXPECT_EQ(map.max_square(), 1.5625);
}

TEST(NumericMap, KeepsTheZeroOfFlagsAndShares) {
  const NumericColumn flag{.lower = 0, .upper = 1};
  EXPECT_EQ(NumericMap(flag).feature(0), 0);
  EXPECT_EQ(NumericMap(flag).feature(0.75), 0.75);
  EXPECT_EQ(NumericMap({.lower = 0, .upper = 1, .centre = true}).feature(0), -1.25);
  EXPECT_EQ(NumericMap({.lower = 0, .upper = 2, .centre = false}).feature(1), 0.5);
  EXPECT_FALSE(is_centred(flag));
  EXPECT_TRUE(is_centred(age));
  EXPECT_FALSE(is_centred(age_from_lower));
}

TEST(NumericMap, IsZeroAtTheTypicalValue) {
  const NumericColumn income{.lower = 0, .upper = 99999, .log1p = true, .typical = 999};
  const NumericMap map(income);
  EXPECT_EQ(map.feature(999), 0);
  EXPECT_EQ(map.feature_of_share(map.missing_share()), 0);
  EXPECT_NEAR(map.feature(0), -2.5 * 0.6, 1e-12);
  EXPECT_NEAR(map.feature(1e9), 2.5 * 0.4, 1e-12);
  EXPECT_NEAR(map.max_square(), 2.25, 1e-12);
}

TEST(NumericMap, FillsWhatIsMissing) {
  EXPECT_EQ(NumericMap({.lower = 20, .upper = 100, .fill = 40}).missing_share(), 0.25);
  EXPECT_EQ(NumericMap({.lower = 20, .upper = 100, .fill = 40, .centre = false}).missing_share(),
            0.25);
  EXPECT_EQ(missing_value(age_from_lower), 20);
  EXPECT_EQ(missing_value(age), 60);
  EXPECT_EQ(missing_value({.lower = 0, .upper = 1}), 0);
  EXPECT_EQ(missing_value({.lower = 0, .upper = 9, .typical = 2}), 2);
  EXPECT_DOUBLE_EQ(missing_value({.lower = 0, .upper = 99, .log1p = true}), 9);
}

TEST(NumericMap, HatsAreOneHalfAtTheirKnotAndMeetBetween) {
  const NumericMap map({.lower = 20, .upper = 90, .knots = 8});
  const auto hat_functions = [&](double value) {
    std::vector<double> out(8, 0.0);
    map.hat_functions(map.share(value), [&](std::int64_t knot, double height) {
      out[static_cast<std::size_t>(knot)] += height;
    });
    return out;
  };
  EXPECT_EQ(hat_functions(20), (std::vector<double>{0.5, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(hat_functions(1e9), (std::vector<double>{0, 0, 0, 0, 0, 0, 0, 0.5}));
  const auto between = hat_functions(32.5);  // 1.25 steps of 10 on
  EXPECT_NEAR(between[1], 0.375, 1e-15);
  EXPECT_NEAR(between[2], 0.125, 1e-15);
  for (const double value : {20.0, 21.7, 50.0, 89.99999999, 90.0}) {
    double sum = 0;
    for (const double height : hat_functions(value)) sum += height;
    EXPECT_NEAR(sum, 0.5, 1e-15) << value;
  }
  EXPECT_EQ(map.knot(0), 20);
  EXPECT_NEAR(map.knot(3), 50, 1e-12);
  EXPECT_EQ(map.knot(7), 90);
  EXPECT_EQ(map.max_square(), 1.5625 + 0.25);
}

std::string numeric_schema(const std::string& head, const std::string& keys) {
  return head + "[[column]]\nname='x'\nkind='numeric'\nlower=1\nupper=3\n" + keys;
}

TEST(NumericSchema, KeepsWhatAColumnSays) {
  const Schema schema =
      schema_from_toml(numeric_schema("", "typical=1.5\n") +
                           "[[column]]\nname='z'\nkind='numeric'\nlower=0\nupper=2\ncentre=false\n",
                       "s.toml");
  const Schema again = schema_from_toml(schema_to_toml(schema), "again.toml");
  EXPECT_EQ(std::get<NumericColumn>(again.columns[0].rule).typical, 1.5);
  EXPECT_EQ(std::get<NumericColumn>(again.columns[1].rule).centre, false);
}

TEST(NumericSchema, NamesHatsByTheirKnots) {
  const Schema schema = schema_from_toml(
      numeric_schema("intercept=false\n", "knots=3\n") +
          "[[column]]\nname='g'\nkind='numeric'\nlower=0\nupper=999\nlog1p=true\nknots=2\n",
      "s.toml");
  const auto columns = schema.encoded_columns();
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "x~1", "x~2", "x~3", "g", "g~0", "g~999"}));
  EXPECT_EQ(schema.encoded_column_count(), 7);
  EXPECT_EQ(schema_from_toml(schema_to_toml(schema), "again.toml").encoded_column_count(), 7);
}

std::string error_of(const std::string& head, const std::string& keys) {
  try {
    (void)schema_from_toml(numeric_schema(head, keys), "s.toml");
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(NumericSchema, RefusesWhatMakesNoSense) {
  const auto says = [](const std::string& error, const std::string& words) {
    EXPECT_NE(error.find(words), std::string::npos) << error;
  };
  says(error_of("", "typical=4\n"), "within the bounds, got 4");
  says(error_of("", "typical=2\ncentre=false\n"), "not both");
}

TEST(NumericSchema, CountsCentredNumbersByTheirLength) {
  const Schema schema = schema_from_toml(numeric_schema("", ""), "s.toml");
  EXPECT_EQ(schema.block_count(), 2);
  EXPECT_EQ(schema.unscaled_square(), 2.5625);
  EXPECT_EQ(schema_from_toml(numeric_schema("", "centre=false\n"), "s.toml").unscaled_square(), 2);
}

}  // namespace numeric_map_test
}  // namespace tacet::data
