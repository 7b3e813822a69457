#include "tacet/learn/gradient/gradient_course.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::learn {
namespace gradient_course_test {

data::Schema schema_of(const std::string& head) {
  return data::schema_from_toml(
      head +
          "[target]\ncolumn='y'\nlower=0\nupper=9\n[[column]]\nname='x'\nkind='numeric'\n"
          "lower=2\nupper=3\n",
      "s.toml");
}

double norm(const data::Schema& schema, const model::Loss& loss, double noise,
            std::int64_t outputs = 1) {
  return choose_clipping(
             {.schema = schema, .loss = loss, .outputs = outputs, .relative_noise = noise})
      .norm;
}

TEST(ClippingRule, ShrinksWithTheNoiseBetweenItsBounds) {
  const auto schema = schema_of("");
  EXPECT_EQ(norm(schema, model::SquaredLoss{}, 1e-6), 0.5);
  EXPECT_NEAR(norm(schema, model::SquaredLoss{}, 0.005), 0.25, 1e-12);
  EXPECT_NEAR(norm(schema, model::SquaredLoss{}, 0.02), 0.25 * 0.6597539554, 1e-9);  // 4^-.3
  EXPECT_EQ(norm(schema, model::SquaredLoss{}, 10), 0.125);
  EXPECT_EQ(norm(schema, model::LogisticLoss{}, 1e-6), 1);
  EXPECT_EQ(norm(schema, model::LogisticLoss{}, 0.0025), 1);
  EXPECT_NEAR(norm(schema, model::LogisticLoss{}, 0.005), 0.5 * 1.4142135624, 1e-9);
  EXPECT_EQ(norm(schema, model::LogisticLoss{}, 10), 0.5);
}

TEST(ClippingRule, SaysWhatItDistorts) {
  const auto schema = schema_of("");
  const auto reason = [&](const model::Loss& loss, double noise) {
    return choose_clipping({.schema = schema, .loss = loss, .outputs = 1, .relative_noise = noise})
        .reason;
  };
  EXPECT_NE(reason(model::LogisticLoss{}, 0.01).find("drawn towards one half"), std::string::npos);
  EXPECT_EQ(reason(model::LogisticLoss{}, 1e-4),
            "clipping norm 1: no gradient of this loss is longer");
  EXPECT_NE(reason(model::SquaredLoss{}, 0.005).find("beyond 0.125 of the target's range"),
            std::string::npos);
}

TEST(ClippingRule, LeavesWhatItWasNotMeasuredFor) {
  constexpr double noisy = 1;
  EXPECT_EQ(norm(schema_of("unit = 'u'\n"), model::SquaredLoss{}, noisy), 0.5);
  EXPECT_EQ(norm(schema_of(""), model::LogisticLoss{}, noisy, 10), 1);
  EXPECT_EQ(norm(schema_of(""), model::HingeLoss{}, noisy), 1);
  EXPECT_EQ(norm(schema_of(""), model::AbsoluteLoss{}, noisy), 1);
}

}  // namespace gradient_course_test
}  // namespace tacet::learn
