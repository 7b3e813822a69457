#include "tacet/learn/plan/projection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/data/encode/uniform_encoder.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/arora2022.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/trusting_budget.h"

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

ParameterValues asked(const char* projection) {
  return {{"adjacency", privacy::Adjacency::replace_one},
          {"epsilon", 1},
          {"delta", 1e-6},
          {"projection", projection}};
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
  none.erase("projection");
  EXPECT_FALSE(choose_projection(wide_schema(100000), none).schema.projection);
}

// The guarantee and the noise of a projected run are those of a run on so many columns.
TEST(Projection, CostsNothing) {
  auto options = asked("countsketch");
  options.set("projection-width", 64);
  const auto projected = plan_training(wide_schema(100000), options);
  auto plain = options;
  plain.erase("projection");
  plain.erase("projection-width");
  const auto narrow = plan_training(wide_schema(64), plain);
  EXPECT_EQ(projected.events, narrow.events);
  EXPECT_EQ(projected.guarantee.epsilon, narrow.guarantee.epsilon);
  EXPECT_EQ(projected.columns, 65);
}

ParameterValues published(double epsilon) {
  auto options = asked("auto");
  options.set("epsilon", epsilon);
  options.set("calibration", "arora2022");
  options.set("radius", 5);
  options.set("steps", 50);
  return options;
}

// The paper's width and ball, its event said and paid by nobody: the guarantee is that of the
// steps.
TEST(Projection, ArorasHasItsWidthItsBallAndTheProvedGuarantee) {
  const auto schema = wide_schema(1000000);
  const arora2022::Problem problem{.curvature = .25,
                                   .loss_at_zero = std::log(2),
                                   .slope_bound = 1,
                                   .norm_bound = 1,
                                   .radius = 5};
  for (const double epsilon : {0.05, 1.0}) {
    const auto options = published(epsilon);
    const auto choice = choose_projection(schema, options);
    ASSERT_TRUE(choice.schema.projection);
    EXPECT_EQ(choice.schema.projection->family, data::ProjectionFamily::gaussian);
    EXPECT_EQ(choice.schema.projection->room, 2);
    EXPECT_EQ(choice.radius_factor, 4);
    const double width = arora2022::projection_width(problem, 10000, epsilon, 1e-6);
    EXPECT_EQ(choice.schema.projection->width, static_cast<std::int64_t>(width) / 4 * 4);
    const auto training = plan_training(schema, options);
    EXPECT_LE(training.guarantee.epsilon, epsilon);
    EXPECT_EQ(training.guarantee.delta, 1e-6);
    const auto said = [&](std::string_view text) {
      return std::ranges::any_of(training.reasons, [&](const std::string& reason) {
        return reason.find(text) != std::string::npos;
      });
    };
    EXPECT_TRUE(said("which the paper counts into the delta it claims"));
    EXPECT_TRUE(said("ball of twice the radius, 10, are 20 of rows"));
  }
}

TEST(Projection, ArorasBallIsFourTimesTheRadiusInHalvedRows) {
  for (const char* method : {"gradient", "regularized-output"}) {
    auto options = published(1);
    options.set("method", method);
    if (*options.text("method") != "gradient") options.erase("steps");
    options.set("projection-width", 64);
    auto plain = options;
    plain.erase("projection");
    plain.erase("projection-width");
    plain.set("radius", 20);
    const auto projected = plan_training(wide_schema(100000), options);
    const auto direct = plan_training(wide_schema(64), plain);
    EXPECT_EQ(projected.events, direct.events);
    EXPECT_EQ(projected.columns, 65);
  }
}

// A model that reads rows without that room, or a receipt that does not name it, is found out.
TEST(Projection, ArorasRoomIsHeldAgainstTheModel) {
  auto schema = wide_schema(5000);
  schema.public_row_count = 100;
  auto options = published(1);
  options.set("projection", "gaussian");
  options.set("projection-width", 16);
  const auto training = plan_training(schema, options);
  data::Dataset dataset(training.schema.shape());
  data::UniformEncoder encoder(training.schema);
  data::EncodedRow row;
  for (std::uint32_t i = 0; i < 100; ++i) {
    encoder.encode(std::vector<std::uint32_t>{i, 1000 + i}, std::vector<double>{1, 1}, row);
    row.label = i % 2 == 0 ? 1 : -1;
    dataset.append(row);
  }
  random::SeededSource source(3);
  privacy::TrustingBudget budget(training.guarantee.adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool pool(1);
  const auto trained = training.run(dataset, training.schema, {source, reservation, pool});
  model::ModelFile file{
      .schema = trained.schema, .model = trained.model, .receipt = trained.receipt};
  EXPECT_TRUE(check_receipt(file.receipt, &file).faults.empty());
  auto whole = file;
  whole.schema.projection->room = 1;
  EXPECT_FALSE(check_receipt(whole.receipt, &whole).faults.empty());
  auto silent = file;
  auto parameters = nlohmann::json::parse(file.receipt.parameters);
  parameters.erase("projection_room");
  silent.receipt.parameters = parameters.dump();
  EXPECT_FALSE(check_receipt(silent.receipt, &silent).faults.empty());
}

TEST(Projection, ArorasIsRefusedWithoutItsPremises) {
  const auto schema = wide_schema(1000000);
  auto options = published(1);
  options.erase("radius");
  EXPECT_THROW((void)choose_projection(schema, options), base::UsageError);
  options = published(1);
  options.set("projection", "countsketch");
  EXPECT_THROW((void)choose_projection(schema, options), base::UsageError);
  options = published(1);
  options.set("delta", 0);
  EXPECT_THROW((void)choose_projection(schema, options), base::UsageError);
  options = published(1);
  options.set("calibration", "wang2021");
  EXPECT_THROW((void)plan_training(schema, options), base::UsageError);
  auto room = schema;
  room.projection = data::Projection{.width = 16, .room = 3};
  EXPECT_THROW(room.validate(), base::DataError);
}

TEST(Projection, RefusesWhatMakesNoSense) {
  auto wide = asked("countsketch");
  wide.set("projection-width", 200);
  EXPECT_THROW((void)choose_projection(wide_schema(100), wide), base::UsageError);
  auto alone = asked("auto");
  alone.erase("projection");
  alone.set("projection-seed", 4);
  EXPECT_THROW((void)choose_projection(wide_schema(100), alone), base::UsageError);
  auto far = asked("srht");
  far.set("projection-width", 64);
  EXPECT_THROW((void)choose_projection(wide_schema((std::int64_t{1} << 26) + 1), far),
               base::UsageError);
  auto own = wide_schema(1000);
  own.projection = data::Projection{.width = 16};
  auto none = asked("auto");
  none.erase("projection");
  EXPECT_THROW((void)plan_training(own, none), base::UsageError);
}

}  // namespace projection_test
}  // namespace tacet::learn
