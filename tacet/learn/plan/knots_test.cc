#include "tacet/learn/plan/knots.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tacet/base/error.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/wide/net_plan.h"

namespace tacet::learn {
namespace knots_test {

data::Schema schema_of(const std::string& head, const std::string& target = "lower=0\nupper=9\n") {
  return data::schema_from_toml(
      head + "[target]\ncolumn='y'\n" + target +
          "[[column]]\nname='x'\nkind='numeric'\nlower=2\nupper=3\n"
          "[[column]]\nname='f'\nkind='numeric'\nlower=0\nupper=1\nknots=0\n"
          "[[column]]\nname='c'\nkind='categorical'\ncategories=['a','b']\n",
      "s.toml");
}

ParameterValues options_of(double epsilon, std::int64_t records) {
  return {{"epsilon", epsilon},
          {"delta", 1e-5},
          {"adjacency", "add_remove"},
          {"public-row-count", records}};
}

std::int64_t columns(const data::Schema& schema, const ParameterValues& options) {
  return choose_knots(schema, options, max_knot_noise).schema.encoded_column_count();
}

constexpr std::int64_t plain = 5;
constexpr std::int64_t curved = 13;

// At epsilon 1 and delta 1e-5 one release has noise multiplier 3.73: sqrt(13) 3.73 / N <= 0.02
// holds from 673 records on; at 0.1 from about 5,500.
TEST(Knots, AreTakenWhereNoiseLeavesRoom) {
  const auto schema = schema_of("");
  EXPECT_EQ(columns(schema, options_of(1, 660)), plain);
  EXPECT_EQ(columns(schema, options_of(1, 690)), curved);
  EXPECT_EQ(columns(schema, options_of(0.1, 4500)), plain);
  EXPECT_EQ(columns(schema, options_of(0.1, 7000)), curved);
}

TEST(Knots, StayOutWhereTheyWereNotMeasured) {
  const auto ample = options_of(1, 100000);
  EXPECT_EQ(columns(schema_of(""), options_of(std::numeric_limits<double>::infinity(), 100000)),
            plain);
  EXPECT_EQ(columns(schema_of("unit='u'\n"), ample), plain);
  EXPECT_EQ(columns(schema_of("", "classes=['a','b','c']\n"), ample), plain);
  EXPECT_EQ(columns(schema_of("", "positive='a'\n"), ample), curved);
  auto samples = ample;
  samples.set("batch-size", 100);
  EXPECT_EQ(gradient_method.max_knot_noise(schema_of(""), ample), max_knot_noise);
  EXPECT_EQ(gradient_method.max_knot_noise(schema_of(""), samples), 0);
  EXPECT_EQ(choose_knots(schema_of(""), ample, 0).schema.encoded_column_count(), plain);
}

// Of a net of numbers alone: kin8nm lost by them at a noise of .0049, Adult gained at .0014.
TEST(Knots, OfNetsNeedLessNoiseAndNoVectors) {
  const auto schema = schema_of("");
  const auto ample = options_of(1, 100000);
  const double most = wide_method.max_knot_noise(schema, ample);
  EXPECT_GT(most, 0);
  EXPECT_LT(most, max_knot_noise);
  auto towers = ample;
  towers.set("head", "two-tower");
  EXPECT_EQ(wide_method.max_knot_noise(schema, towers), 0);
  const auto ids = data::schema_from_toml(
      "[target]\ncolumn='y'\nlower=0\nupper=1\n[[column]]\nname='x'\nkind='numeric'\nlower=0\n"
      "upper=1\n[[column]]\nname='t'\nkind='text'\nbits=4\n",
      "s.toml");
  EXPECT_EQ(wide_method.max_knot_noise(ids, ample), 0);
}

TEST(Knots, AreWhatTheUserSays) {
  auto options = options_of(1, 100000);
  options.set("knots", "none");
  EXPECT_EQ(columns(schema_of(""), options), plain);
  options.set("knots", 3);
  EXPECT_EQ(columns(schema_of(""), options), plain + 3);  // the flag said 0
  EXPECT_TRUE(choose_knots(schema_of(""), options, max_knot_noise).reason.empty());
}

}  // namespace knots_test
}  // namespace tacet::learn
