#include "tacet/learn/plan/projection.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"
#include "tacet/learn/method.h"

namespace tacet::learn {
namespace projection_test {

data::Schema wide_schema(std::int64_t count) {
  data::Schema schema;
  schema.features = data::UniformFeatures{.count = count, .lower = 0, .upper = 1};
  schema.format.kind = &data::file_kind("libsvm");
  schema.target = {"", data::BinaryTarget{.positive = {"1"}}};
  schema.public_row_count = 10000;
  return schema;
}

LinearOptions asked(const char* projection) {
  LinearOptions options;
  options.epsilon = 1;
  options.delta = 1e-6;
  options.adjacency = privacy::Adjacency::replace_one;
  options.projection = projection;
  return options;
}

// Reference values at n = 10000, epsilon 1, delta 1e-6, weights up to 2, rows and labels 1.
TEST(Projection, WidthsAgreeWithTheReferenceTable) {
  const WidthFacts facts{.rows = 10000,
                         .mu = 0.236704380663,
                         .norm_bound = 1,
                         .slope = 3,
                         .curvature = 1,
                         .radius = 2,
                         .slope_bounded = false};
  EXPECT_NEAR(balanced_width(facts), 107.580450612, 1e-6);
  auto lipschitz = facts;
  lipschitz.slope_bounded = true;
  EXPECT_NEAR(balanced_width(lipschitz), 1673.75272704, 1e-5);
}

TEST(Projection, IsSettledFromPublicFacts) {
  const auto choice = choose_projection(wide_schema(std::int64_t{1} << 31), asked("auto"));
  ASSERT_TRUE(choice.schema.projection);
  EXPECT_EQ(choice.schema.projection->width, 1672);  // 1673.7 cut to a multiple of 4
  EXPECT_EQ(choice.schema.projection->family, data::ProjectionFamily::countsketch);
  EXPECT_EQ(choice.schema.encoded_column_count(), 1673);
  EXPECT_EQ(choice.schema.norm_bound(), 1);
  EXPECT_FALSE(choose_projection(wide_schema(100), asked("auto")).schema.projection);
  auto none = asked("auto");
  none.projection.reset();
  EXPECT_FALSE(choose_projection(wide_schema(100000), none).schema.projection);
}

// The guarantee and the noise of a projected run are those of a run on so many columns.
TEST(Projection, CostsNothing) {
  auto options = asked("countsketch");
  options.projection_width = 64;
  const auto projected = plan_training(wide_schema(100000), options);
  auto plain = options;
  plain.projection.reset();
  plain.projection_width.reset();
  const auto narrow = plan_training(wide_schema(64), plain);
  EXPECT_EQ(projected.events, narrow.events);
  EXPECT_EQ(projected.guarantee.epsilon, narrow.guarantee.epsilon);
  EXPECT_EQ(projected.columns, 65);
}

TEST(Projection, RefusesWhatMakesNoSense) {
  auto wide = asked("countsketch");
  wide.projection_width = 200;
  EXPECT_THROW((void)choose_projection(wide_schema(100), wide), base::UsageError);
  auto alone = asked("auto");
  alone.projection.reset();
  alone.projection_seed = 4;
  EXPECT_THROW((void)choose_projection(wide_schema(100), alone), base::UsageError);
  auto far = asked("srht");
  far.projection_width = 64;
  EXPECT_THROW((void)choose_projection(wide_schema((std::int64_t{1} << 26) + 1), far),
               base::UsageError);
  auto own = wide_schema(1000);
  own.projection = data::Projection{.width = 16};
  auto none = asked("auto");
  none.projection.reset();
  EXPECT_THROW((void)plan_training(own, none), base::UsageError);
}

}  // namespace projection_test
}  // namespace tacet::learn
