#include "tacet/learn/one_dimensional/inverse_sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/optimize/solver/erm.h"
#include "tests/support/carried_out.h"

namespace tacet::learn {
namespace inverse_sensitivity_test {

using privacy::Adjacency;

data::Schema line_schema() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::RegressionTarget{-1, 1}};
  schema.intercept = false;
  return schema;
}

/// Rows on the line and labels slope * x, some far off.
data::Dataset line_data(const data::Schema& schema, double slope, std::int64_t rows) {
  data::Dataset dataset(schema.shape());
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto feature = static_cast<std::int16_t>((i * 577) % 4097 - 2048);
    const double x = feature / 2048.0;
    const double label = i % 10 == 0 ? -x : std::clamp(slope * x, -1.0, 1.0);
    const std::vector<std::int16_t> row{feature};
    dataset.append_dense(row, label);
  }
  return dataset;
}

TrainedModel train(const data::Dataset& dataset, const data::Schema& schema,
                   const InverseSensitivityPlan& plan, std::uint64_t seed) {
  return test::seeded_run<train_inverse_sensitivity>(dataset, schema, plan, seed, 1);
}

ParameterValues options_of(double epsilon, std::int64_t rows) {
  return {{"adjacency", Adjacency::replace_one}, {"epsilon", epsilon}, {"public-row-count", rows}};
}

// Noise of size 1/(n epsilon) at a sharp minimum: a thousand records suffice for two digits.
TEST(InverseSensitivity, FindsTheSlopeOfALineAndPaysPureEpsilon) {
  const auto schema = line_schema();
  const auto dataset = line_data(schema, 0.5, 2000);
  auto options = options_of(1, 2000);
  options.set("loss", model::Loss{model::AbsoluteLoss{}});
  const auto plan = plan_inverse_sensitivity(schema, inverse_options(options));
  EXPECT_TRUE(plan.on_a_line);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto trained = train(dataset, schema, plan, seed);
    EXPECT_NEAR(trained.model.coefficients[0], 0.5, 0.01);
    EXPECT_EQ(trained.receipt.guarantee.epsilon, 1);
    EXPECT_EQ(trained.receipt.guarantee.delta, 0);
  }
}

TEST(InverseSensitivity, PinballAndHingeHaveTheirOwnMinimisers) {
  const auto schema = line_schema();
  const auto dataset = line_data(schema, 0.5, 2000);
  auto options = options_of(2, 2000);
  options.set("loss", model::Loss{model::PinballLoss{.quantile = 0.9}});
  const auto plan = plan_inverse_sensitivity(schema, inverse_options(options));
  const auto truth = [&](const model::Loss& loss) {
    base::ThreadPool pool(1);
    return optimize::minimise_without_protection(dataset, loss, {}, pool).weights[0];
  };
  EXPECT_NEAR(train(dataset, schema, plan, 3).model.coefficients[0], truth(*options.loss()), 0.05);

  auto classes = schema;
  classes.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  data::Dataset margins(classes.shape());
  for (std::int64_t i = 0; i < 2000; ++i) {
    const auto feature = static_cast<std::int16_t>((i * 577) % 4097 - 2048);
    const std::vector<std::int16_t> row{feature};
    margins.append_dense(row, (feature > 0) == (i % 7 != 0) ? 1 : -1);
  }
  options.set("loss", model::Loss{model::HingeLoss{}});
  const auto hinge = plan_inverse_sensitivity(classes, inverse_options(options));
  base::ThreadPool pool(1);
  const double best =
      optimize::minimise_without_protection(margins, *options.loss(), {}, pool).weights[0];
  EXPECT_NEAR(train(margins, classes, hinge, 3).model.coefficients[0], best, 0.3);
}

// No penalty, no growth constant: noise of size Gamma / (n epsilon) over the curvature.
TEST(InverseSensitivity, SmoothLossesOnALineFollowTheirMinimisers) {
  const auto schema = line_schema();
  const auto dataset = line_data(schema, 0.5, 2000);
  auto classes = schema;
  classes.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  data::Dataset margins(classes.shape());
  for (std::int64_t i = 0; i < 2000; ++i) {
    const auto feature = static_cast<std::int16_t>((i * 577) % 4097 - 2048);
    const std::vector<std::int16_t> row{feature};
    margins.append_dense(row, (feature > 0) == (i % 7 != 0) ? 1 : -1);
  }
  for (const model::Loss& loss :
       {model::Loss{model::SquaredLoss{}}, model::Loss{model::HuberLoss{}},
        model::Loss{model::PowerRegressionLoss{}}, model::Loss{model::LogisticLoss{}},
        model::Loss{model::SmoothedHingeLoss{}}}) {
    const bool of_classes = model::properties(loss).classification;
    const auto& names = of_classes ? classes : schema;
    const auto& records = of_classes ? margins : dataset;
    base::ThreadPool pool(1);
    const double best = optimize::minimise_without_protection(records, loss, {}, pool).weights[0];
    for (const double epsilon : {1.0, 1000.0}) {
      // The cipher lets no plan state as much as 1000.
      auto options = options_of(std::min(epsilon, 15.0), 2000);
      options.set("loss", loss);
      auto plan = plan_inverse_sensitivity(names, inverse_options(options));
      if (epsilon > *options.real("epsilon")) {
        plan.epsilon = epsilon;
        plan.guarantee.epsilon = epsilon;
        plan.events = privacy::BoundedRange{epsilon, plan.guarantee.adjacency};
        plan.prg_slack = 0;
      }
      EXPECT_TRUE(plan.on_a_line);
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const auto trained = train(records, names, plan, seed);
        EXPECT_NEAR(trained.model.coefficients[0], best, std::min(0.2, 0.3 / epsilon))
            << model::loss_name(loss);
        EXPECT_EQ(trained.receipt.guarantee.delta, 0);
      }
      EXPECT_EQ(train(records, names, plan, 1).model.coefficients,
                train(records, names, plan, 1).model.coefficients);
    }
  }
}

// A penalty asks for the sampler that needs no bound of the weight.
TEST(InverseSensitivity, APenaltyOnALineTakesTheOtherSampler) {
  const auto schema = line_schema();
  auto options = options_of(1, 2000);
  options.set("loss", model::Loss{model::SquaredLoss{}});
  EXPECT_TRUE(plan_inverse_sensitivity(schema, inverse_options(options)).on_a_line);
  options.set("l2", 0.01);
  EXPECT_FALSE(plan_inverse_sensitivity(schema, inverse_options(options)).on_a_line);
  options.set("loss", model::Loss{model::AbsoluteLoss{}});
  EXPECT_THROW((void)plan_inverse_sensitivity(schema, inverse_options(options)), base::UsageError);
}

TEST(InverseSensitivity, SeveralColumnsFollowThePenalisedMinimiser) {
  data::Schema schema = line_schema();
  schema.columns.push_back({"z", data::NumericColumn{.lower = 0, .upper = 1}});
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  data::Dataset dataset(schema.shape());
  for (std::int64_t i = 0; i < 3000; ++i) {
    const auto x = static_cast<std::int16_t>((i * 577) % 2801 - 1400);
    const auto z = static_cast<std::int16_t>((i * 1009) % 2801 - 1400);
    const std::vector<std::int16_t> row{x, z};
    dataset.append_dense(row, (x > 0) == (i % 5 != 0) ? 1 : -1);
  }
  auto options = options_of(1, 3000);
  options.set("l2", 0.01);
  const auto plan = plan_inverse_sensitivity(schema, inverse_options(options));
  EXPECT_FALSE(plan.on_a_line);
  base::ThreadPool pool(1);
  const auto best =
      optimize::minimise_without_protection(dataset, plan.loss, {.mean_l2 = 0.01}, pool);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto trained = train(dataset, schema, plan, seed);
    for (std::size_t j = 0; j < 2; ++j) {
      // Scale of |w - w*|: 2 * 2 / (n l2) = 0.13 a coordinate and less for the curved losses.
      EXPECT_NEAR(trained.model.coefficients[j], best.weights[j], 0.7);
    }
    EXPECT_EQ(trained.receipt.guarantee.delta, 0);
  }
  EXPECT_EQ(train(dataset, schema, plan, 1).model.coefficients,
            train(dataset, schema, plan, 1).model.coefficients);
}

// Records that agree have their minimum between two points of the grid. Anywhere else the score is
// at least a tenth of the records, an exponent of 200 against the 22 of all the room there is.
TEST(InverseSensitivity, FindsAMinimumWhereRecordsAgree) {
  const auto schema = line_schema();
  constexpr std::int64_t rows = 2000;
  data::Dataset dataset(schema.shape());
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::vector<std::int16_t> row{2048};
    dataset.append_dense(row, i % 10 < 5 ? 0.35 : i % 10 < 9 ? 0.9 : -0.9);
  }
  for (const model::Loss& loss :
       {model::Loss(model::AbsoluteLoss{}), model::Loss(model::PinballLoss{.quantile = 0.5})}) {
    auto options = options_of(4, rows);
    options.set("loss", loss);
    const auto plan = plan_inverse_sensitivity(schema, inverse_options(options));
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      EXPECT_NEAR(train(dataset, schema, plan, seed).model.coefficients[0], 0.35, 1e-5);
    }
  }
}

// A few far records on long rows: the least-squares fit goes through them, the minimiser of the
// loss with bounded slopes does not, and around any other point nearly nothing is accepted.
TEST(InverseSensitivity, StartsAtTheMinimiserOfTheLossItReleases) {
  const auto schema = line_schema();
  data::Dataset dataset(schema.shape());
  constexpr std::int64_t rows = 20000;
  for (std::int64_t i = 0; i < rows; ++i) {
    const bool far = i % 100 == 0;
    const std::vector<std::int16_t> row{static_cast<std::int16_t>(far ? 2048 : 205)};
    dataset.append_dense(row, far ? -1 : 1);
  }
  auto options = options_of(1, rows);
  options.set("l2", 1e-4);
  const auto plan = plan_inverse_sensitivity(schema, inverse_options(options));
  ASSERT_FALSE(plan.on_a_line);
  // 0.99 x (x w - 1) + 0.01 min(2, w + 1) + l2 w = 0 at x = 205 / 2048.
  constexpr double x = 205 / 2048.0;
  const double minimiser = (0.99 * x - 0.02) / (0.99 * x * x + 1e-4);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_NEAR(train(dataset, schema, plan, seed).model.coefficients[0], minimiser, 0.2);
  }
}

TEST(InverseSensitivity, RefusesAnEpsilonBelowTheSamplersBeforeItIsBooked) {
  auto options = options_of(1e-7, 100);
  options.set("loss", model::Loss{model::AbsoluteLoss{}});
  EXPECT_THROW((void)plan_inverse_sensitivity(line_schema(), inverse_options(options)),
               base::UsageError);
}

// Rounding of the sums makes proposals rarer by e^(epsilon n / 2^21): refused where that is too
// much.
TEST(InverseSensitivity, RefusesWhatWouldHardlyEnd) {
  auto options = options_of(1, 2'000'000);
  options.set("l2", 0.25);
  data::Schema schema = line_schema();
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  EXPECT_NO_THROW((void)plan_inverse_sensitivity(schema, inverse_options(options)));
  options.set("epsilon", 15);
  EXPECT_THROW((void)plan_inverse_sensitivity(schema, inverse_options(options)),
               base::GuaranteeError);
  // So few records at so small an epsilon that nearly all points lie where no minimiser can.
  EXPECT_NO_THROW((void)plan_inverse_sensitivity(schema, inverse_options(options_of(1, 40))));
  schema.columns[0].rule = data::CategoricalColumn{{"a", "b", "c", "d", "e"}};
  EXPECT_NO_THROW((void)plan_inverse_sensitivity(schema, inverse_options(options_of(1, 400))));
  EXPECT_THROW((void)plan_inverse_sensitivity(schema, inverse_options(options_of(1e-3, 40))),
               base::GuaranteeError);
}

TEST(InverseSensitivity, RefusesWhereNothingIsProved) {
  const auto schema = line_schema();
  auto options = options_of(1, 2000);
  options.set("method", "inverse-sensitivity");
  options.set("loss", model::Loss{model::AbsoluteLoss{}});
  options.set("adjacency", Adjacency::add_remove);
  EXPECT_THROW((void)plan_training(schema, options), base::GuaranteeError);
  options.set("adjacency", Adjacency::replace_one);
  auto wide = schema;
  wide.intercept = true;
  EXPECT_THROW((void)plan_inverse_sensitivity(wide, inverse_options(options)),
               base::GuaranteeError);
  options.set("loss", model::Loss{model::SquaredLoss{}});
  options.set("l2", 1e-9);
  EXPECT_THROW((void)plan_inverse_sensitivity(wide, inverse_options(options)),
               base::GuaranteeError);
  options.erase("l2");
  EXPECT_GT(plan_inverse_sensitivity(wide, inverse_options(options)).mean_l2, 0);
  const auto plan = plan_inverse_sensitivity(schema, inverse_options(options_of(1, 2001)));
  EXPECT_THROW((void)train(line_data(schema, 0.5, 2000), schema, plan, 1), base::DataError);
}

}  // namespace inverse_sensitivity_test
}  // namespace tacet::learn
