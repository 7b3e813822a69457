#include "tacet/learn/plan/common_options.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/learn/gradient/gradient.h"

namespace tacet::learn {
namespace common_options_test {

GradientOptions read(ParameterValues asked) {
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
  const auto message =
      [](std::initializer_list<std::pair<std::string_view, ParameterValue>> given) {
        try {
          (void)read(given);
        } catch (const base::Error& error) {
          return std::string(error.what());
        }
        return std::string("nothing was refused");
      };
  const std::pair<std::string_view, ParameterValue> one{"epsilon", "1"};
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

TEST(ParameterValues, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "one", "1x", "nan", "0x10", "1e", "--1"}) {
    EXPECT_THROW(ParameterValues({{"epsilon", text}}), base::UsageError) << text;
  }
  EXPECT_THROW(ParameterValues({{"steps", "1.5"}}), base::UsageError);
  EXPECT_THROW(ParameterValues({{"stepz", "1"}}), base::UsageError);
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
