#include "tacet/learn/plan/common_options.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/gradient/gradient.h"

namespace tacet::learn {
namespace common_options_test {

ParameterValues values(std::initializer_list<std::pair<const char*, const char*>> given) {
  ParameterValues result;
  for (const auto& [name, value] : given) result.set(name, value);
  return result;
}

GradientOptions read(std::initializer_list<std::pair<const char*, const char*>> given) {
  auto asked = values(given);
  if (!asked.given("adjacency")) asked.set("adjacency", privacy::Adjacency::add_remove);
  return gradient_options(asked);
}

TEST(DefaultDelta, IsTheLargestPowerOfTenBelowTheBound) {
  EXPECT_EQ(default_delta(32561), 1e-5);
  EXPECT_EQ(default_delta(4526), 1e-5);
  EXPECT_EQ(default_delta(1000), 1e-4);
  EXPECT_EQ(default_delta(1), 1e-1);
  for (std::int64_t n = 1; n < 4000000000; n = n * 3 / 2 + 1) {
    const double bound = std::pow(static_cast<double>(n), -1.1);
    EXPECT_LT(default_delta(n), bound);
    EXPECT_GE(default_delta(n) * 10.0001, bound);
  }
}

TEST(CommonOptions, ReadsWhatWasGivenAndLeavesTheRestOpen) {
  const auto options = read({{"epsilon", "0.5"},
                             {"steps", "20"},
                             {"loss", "huber"},
                             {"loss-parameter", "0.1"},
                             {"adjacency", "replace_one"}});
  EXPECT_EQ(options.epsilon, 0.5);
  EXPECT_EQ(options.steps, 20);
  EXPECT_EQ(options.adjacency, privacy::Adjacency::replace_one);
  EXPECT_EQ(std::get<model::HuberLoss>(*options.loss).threshold, 0.1);
  EXPECT_FALSE(options.delta.has_value());
  EXPECT_TRUE(std::isinf(read({{"epsilon", "inf"}}).epsilon));
}

TEST(CommonOptions, NamesTheParameterItRefuses) {
  const auto message = [](std::initializer_list<std::pair<const char*, const char*>> given) {
    try {
      (void)read(given);
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  const std::pair<const char*, const char*> one{"epsilon", "1"};
  EXPECT_NE(message({}).find("epsilon is missing"), std::string::npos);
  EXPECT_NE(message({{"epsilon", "0"}}).find("`epsilon` must be above 0"), std::string::npos);
  EXPECT_NE(message({{"epsilon", "-1"}}).find("got -1"), std::string::npos);
  EXPECT_NE(message({one, {"delta", "1.5"}}).find("`delta` must be at least 0 and below 1"),
            std::string::npos);
  EXPECT_NE(message({one, {"momentum", "1"}}).find("momentum"), std::string::npos);
  EXPECT_NE(message({one, {"steps", "0"}}).find("steps"), std::string::npos);
  EXPECT_NE(message({one, {"average", "2"}}).find("average"), std::string::npos);
  EXPECT_NE(message({one, {"clipping-norm", "0"}}).find("`clipping_norm`"), std::string::npos);
  EXPECT_NE(message({one, {"loss", "logit"}}).find("logistic"), std::string::npos);
  EXPECT_NE(message({one, {"loss-parameter", "2"}}).find("`loss`"), std::string::npos);
}

TEST(CommonOptions, NeitherEpsilonNorTheAdjacencyHasADefault) {
  EXPECT_THROW(common_options({{"adjacency", "add_remove"}}), base::UsageError);
  EXPECT_THROW(common_options({{"epsilon", 1}}), base::UsageError);
}

TEST(ParameterValues, KeepTheBitsOfNumbersAndLosses) {
  for (const double value : {0.1, 1.0 / 3, 1e-9 / 3}) {
    const ParameterValues asked{{"l2", value}, {"loss", model::Loss{model::HuberLoss{value}}}};
    EXPECT_EQ(asked.real("l2"), value);
    EXPECT_EQ(model::loss_parameter(*asked.loss()), value);
  }
}

TEST(Range, IsPrintedFromWhatIsChecked) {
  constexpr auto knots = integers(2, 64).or_words({"auto", "none"});
  EXPECT_EQ(knots.text(), "auto, none or 2 to 64");
  EXPECT_FALSE(knots.allows(std::int64_t{65}));
  EXPECT_EQ(positive_reals().or_words({"auto"}).text(), "1e-9 to 1e9, or auto");
  EXPECT_EQ(reals_between(0, 1).text(), "above 0 and below 1");
  EXPECT_FALSE(reals_between(0, 1).allows(1.0));
  EXPECT_EQ(reals_below(0, 1).text(), "0 to below 1");
  EXPECT_TRUE(reals_below(0, 1).allows(0.0));
  EXPECT_EQ(reals_above(0, 1e4).or_words({"inf"}).text(), "above 0 to 10000, or inf");
  EXPECT_EQ(integers(1, std::int64_t{1} << 32).text(), "1 to 2^32");
  EXPECT_EQ(seeds().text(), "0 to 2^63 - 1");
  EXPECT_EQ(integers(1, 1'000'000).text(), "1 to 10^6");
}

TEST(ParameterValues, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "one", "1x", "nan", "0x10", "1e", "--1"}) {
    EXPECT_THROW(values({{"epsilon", text}}), base::UsageError) << text;
  }
  EXPECT_THROW(values({{"steps", "1.5"}}), base::UsageError);
  EXPECT_THROW(values({{"stepz", "1"}}), base::UsageError);
}

TEST(Parameters, EveryEntryIsExplained) {
  for (const auto& parameter : parameters()) {
    EXPECT_FALSE(parameter.help.empty()) << parameter.name;
    EXPECT_FALSE(parameter.range.text().empty()) << parameter.name;
    EXPECT_EQ(find_parameter(parameter.name), &parameter);
  }
}

}  // namespace common_options_test
}  // namespace tacet::learn
