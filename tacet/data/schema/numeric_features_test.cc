#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/numeric_map.h"

// Bins, indicators, periods and dates: what a number becomes beside a line.
namespace tacet::data {
namespace numeric_features_test {

using Features = std::map<std::int64_t, double>;

Features features(const NumericMap& map, std::optional<double> value) {
  Features out;
  map.features(value, [&](std::int64_t place, double height) { out[place] = height; });
  return out;
}

double square(const Features& features) {
  double sum = 0;
  for (const auto& [place, height] : features) sum += height * height;
  return sum;
}

TEST(NumericFeatures, SayWhatIsMissing) {
  NumericColumn age{.lower = 20, .upper = 100, .missing_indicator = true};
  EXPECT_EQ(features(NumericMap(age), 100), (Features{{0, 1.25}}));
  EXPECT_EQ(features(NumericMap(age), std::nullopt), (Features{{0, 0}, {1, 1}}));
  age.fill = 100;
  EXPECT_EQ(features(NumericMap(age), std::nullopt), (Features{{0, 1.25}, {1, 1}}));
  EXPECT_EQ(NumericMap(age).max_square(), 1.5625 + 1);
  // A flag that says what is missing is in the middle, not at its zero.
  const NumericMap flag({.lower = 0, .upper = 1, .missing_indicator = true});
  EXPECT_EQ(features(flag, std::nullopt), (Features{{0, 0.5}, {1, 1}}));
  const NumericColumn typical{.lower = 0, .upper = 9, .typical = 2, .missing_indicator = true};
  EXPECT_EQ(features(NumericMap(typical), std::nullopt), (Features{{0, 0}, {1, 1}}));
}

TEST(NumericFeatures, BinsStandBesideTheNumberOrInsteadOfIt) {
  NumericColumn age{.lower = 20, .upper = 100, .bins = 4};
  const NumericMap beside(age);
  EXPECT_EQ(features(beside, 20), (Features{{0, -1.25}, {1, 0.5}}));
  EXPECT_EQ(features(beside, 60), (Features{{0, 0}, {3, 0.5}}));
  EXPECT_EQ(features(beside, std::nullopt), features(beside, 60));
  age.bins_only = true;
  const NumericMap instead(age);
  EXPECT_EQ(instead.width(), 4);
  EXPECT_EQ(features(instead, 60), (Features{{2, 1}}));
  EXPECT_EQ(features(instead, std::nullopt), (Features{{2, 1}}));
  EXPECT_EQ(instead.max_square(), 1);
  EXPECT_EQ(instead.min_square(), 1);
}

TEST(NumericFeatures, ANumberOnAnEdgeIsInTheBinAbove) {
  const NumericMap map({.lower = 0, .upper = 100, .bins = 100, .bins_only = true});
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(map.bin_of(k), k);
    EXPECT_EQ(map.bin_of(std::nextafter(k, -1)), std::max(k - 1, 0));
  }
  EXPECT_EQ(map.bin_of(100), 99);
  EXPECT_EQ(map.bin_of(1e300), 99);
  EXPECT_EQ(map.bin_of(-1e300), 0);
  const NumericMap tenths({.lower = 0, .upper = 1, .bins = 10, .bins_only = true});
  for (int k = 0; k < 10; ++k) EXPECT_EQ(tenths.bin_of(std::stod("0." + std::to_string(k))), k);
  const NumericMap listed({.lower = 0, .upper = 110, .edges = {18, 30, 65}, .bins_only = true});
  EXPECT_EQ(listed.bin_of(17.999), 0);
  EXPECT_EQ(listed.bin_of(18), 1);
  EXPECT_EQ(listed.bin_of(64), 2);
  EXPECT_EQ(listed.bin_of(65), 3);
  const NumericMap logarithms({.lower = 0, .upper = 999, .log1p = true, .bins = 3});
  EXPECT_EQ(logarithms.bin_of(8), 0);
  EXPECT_EQ(logarithms.bin_of(10), 1);
  EXPECT_EQ(logarithms.bin_of(100), 2);
}

TEST(NumericFeatures, APeriodEndsWhereItBegins) {
  const NumericMap month({.lower = 1, .upper = 12, .period = 12});
  EXPECT_EQ(features(month, 3), (Features{{0, 1}, {1, 0}}));
  EXPECT_EQ(features(month, 12), (Features{{0, 0}, {1, 1}}));
  EXPECT_EQ(features(month, 99), features(month, 12));
  EXPECT_NEAR(features(month, 1).at(0), 0.5, 1e-15);
  EXPECT_EQ(features(month, std::nullopt), Features{});
  EXPECT_EQ(month.max_square(), 1);
  const NumericColumn degrees{
      .lower = 0, .upper = 360, .fill = 90, .missing_indicator = true, .period = 360};
  EXPECT_EQ(features(NumericMap(degrees), std::nullopt), (Features{{0, 1}, {1, 0}, {2, 1}}));
  EXPECT_EQ(features(NumericMap(degrees), 0), features(NumericMap(degrees), 360));
  EXPECT_EQ(NumericMap(degrees).max_square(), 2);
}

std::vector<NumericColumn> all_kinds() {
  std::vector<NumericColumn> rules;
  const NumericColumn plain{.lower = -2, .upper = 5};
  for (const bool indicator : {false, true}) {
    for (int kind = 0; kind < 7; ++kind) {
      NumericColumn rule = plain;
      rule.missing_indicator = indicator;
      if (kind == 1 || kind == 3) rule.bins = 5;
      if (kind == 2 || kind == 4) rule.edges = {-1, 0.1, 4};
      rule.bins_only = kind >= 3 && kind <= 4;
      if (kind == 5) rule.knots = 4;
      if (kind == 6) rule.period = 3;
      rules.push_back(rule);
      rule.fill = 5;
      rules.push_back(rule);
    }
  }
  return rules;
}

// What row scaling `const` divides by, and what a row that is not scaled is certified for.
TEST(NumericFeatures, NoValueIsLongerThanTheBoundNorShorter) {
  for (const auto& rule : all_kinds()) {
    const NumericMap map(rule);
    double longest = square(features(map, std::nullopt));
    double shortest = 100;
    for (int k = -30; k <= 60; ++k) {
      const double found = square(features(map, k / 10.0));
      longest = std::max(longest, found);
      shortest = std::min(shortest, found);
    }
    EXPECT_LE(longest, map.max_square() + 1e-12);
    if (rule.hat_functions() == 0) {
      EXPECT_NEAR(longest, map.max_square(), 1e-9);
    }
    EXPECT_GE(shortest, map.min_square() - 1e-12);
  }
}

std::string schema_text(const std::string& keys, const std::string& kind = "numeric") {
  return "intercept = false\n[[column]]\nname='x'\nkind='" + kind + "'\n" + keys;
}
const std::string bounds = "lower=0\nupper=90\n";

std::vector<std::string> names(const Schema& schema) {
  std::vector<std::string> out;
  for (const auto& column : schema.encoded_columns()) out.push_back(column.name);
  return out;
}

Schema read_again(const std::string& text) {
  const Schema schema = schema_from_toml(text, "s.toml");
  const auto json = schema_to_json(schema);
  EXPECT_EQ(schema_to_json(schema_from_json(json)), json);
  EXPECT_EQ(schema_to_json(schema_from_toml(schema_to_toml(schema), "again.toml")), json);
  EXPECT_EQ(std::ssize(names(schema)), schema.encoded_column_count());
  return schema_from_json(json);
}

using Names = std::vector<std::string>;

TEST(NumericFeatures, HaveNamesAndComeBackFromBothFormats) {
  EXPECT_EQ(names(read_again(schema_text(bounds + "bins=3\nmissing_indicator=true\n"))),
            (Names{"x", "x in [0, 30)", "x in [30, 60)", "x in [60, 90]", "x missing"}));
  EXPECT_EQ(names(read_again(schema_text(bounds + "edges=[18, 64.5]\nbins_only=true\n"))),
            (Names{"x in [0, 18)", "x in [18, 64.5)", "x in [64.5, 90]"}));
  EXPECT_EQ(names(read_again(schema_text(bounds + "period=12\nbins=2\n"))),
            (Names{"sin(x)", "cos(x)", "x in [0, 45)", "x in [45, 90]"}));
  EXPECT_EQ(names(read_again(schema_text(bounds + "knots=2\nbins=2\n"))),
            (Names{"x", "x~0", "x~90", "x in [0, 45)", "x in [45, 90]"}));
}

TEST(NumericFeatures, AMissingNumberIsFilledByWord) {
  const auto fill = [](const std::string& keys) {
    return std::get<NumericColumn>(read_again(schema_text(keys)).columns[0].rule).fill;
  };
  EXPECT_EQ(fill(bounds + "fill='lower'\n"), 0);
  EXPECT_EQ(fill(bounds + "fill='middle'\n"), 45);
  EXPECT_EQ(fill(bounds + "fill='upper'\n"), 90);
  EXPECT_EQ(fill(bounds + "fill=7\n"), 7);
  EXPECT_NEAR(fill("lower=0\nupper=99\nlog1p=true\nfill='middle'\n").value(), 9, 1e-12);
}

TEST(NumericFeatures, DatesAreDays) {
  const std::string text = schema_text(
      "lower='2000-01-01'\nupper='2000-12-31'\nfill='2000-02-29'\ntypical='2000-06-01'\n"
      "edges=['2000-03-01']\n",
      "date");
  const Schema schema = read_again(text);
  const auto& rule = std::get<NumericColumn>(schema.columns[0].rule);
  EXPECT_TRUE(rule.date);
  EXPECT_EQ(rule.lower, 10957);
  EXPECT_EQ(rule.fill, 11016);
  EXPECT_EQ(rule.edges, std::vector<double>{11017});
  EXPECT_EQ(names(schema),
            (Names{"x", "x in [2000-01-01, 2000-03-01)", "x in [2000-03-01, 2000-12-31]"}));
  EXPECT_EQ(schema_to_json(schema)["column"][0]["lower"], "2000-01-01");
  // Bins of equal width begin within a day; the next whole day is the first that they hold.
  const Schema thirds =
      read_again(schema_text("lower='1970-01-01'\nupper='1970-01-11'\nbins=3\n", "date"));
  EXPECT_EQ(names(thirds)[2], "x in [1970-01-05, 1970-01-08)");
  const NumericMap map(std::get<NumericColumn>(thirds.columns[0].rule));
  EXPECT_EQ(map.bin_of(3), 0);
  EXPECT_EQ(map.bin_of(4), 1);
}

std::string error_of(const std::string& text) {
  try {
    (void)schema_from_toml(text, "s.toml");
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(NumericFeatures, RefuseWhatMakesNoSense) {
  const auto says = [](const std::string& keys, const std::string& words,
                       const std::string& kind = "numeric") {
    const auto error = error_of(schema_text((kind == "numeric" ? bounds : "") + keys, kind));
    EXPECT_NE(error.find(words), std::string::npos) << keys << error;
  };
  says("bins=1\n", "bins must be 2 to 1024, got 1");
  says("bins=0\n", "at least 2");
  says("bins=1025\n", "got 1025");
  says("bins=3\nedges=[2]\n", "not both");
  says("edges=[0, 5]\n", "0 does not");
  says("edges=[5, 5]\n", "5 does not");
  says("edges=[5, 90]\n", "90 does not");
  says("edges=[nan]\n", "nan does not");
  says("edges=3\n", "must be a list");
  says("bins_only=true\n", "needs bins or edges");
  says("bins=2\nbins_only=true\nperiod=3\n", "either bins_only or period");
  says("period=0\n", "above 0");
  says("period=inf\n", "above 0");
  says("period=1e-300\n", "periods");
  says("period=12\ntypical=3\n", "no log1p, typical or centre");
  says("period=12\nknots=3\n", "neither knots");
  says("bins=2\nbins_only=true\nknots=3\n", "neither knots");
  says("fill='median'\n", "lower, middle or upper, got \"median\"");
  const std::string year = "lower='2000-01-01'\nupper='2000-12-31'\n";
  says("lower='2000-01-01'\nupper='2100-02-29'\n", "got \"2100-02-29\"", "date");
  says("lower='2000-01-01'\nupper='1999-01-01'\n", "lower must be below upper", "date");
  says("lower=0\nupper=7\n", "text in quotes", "date");
  says("lower=2000-01-01\nupper=2001-01-01\n", "text in quotes", "date");
  says(year + "log1p=true\n", "no log1p", "date");
  says(year + "fill='soon'\n", "got \"soon\"", "date");
}

}  // namespace numeric_features_test
}  // namespace tacet::data
