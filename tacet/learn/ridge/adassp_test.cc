#include "tacet/learn/ridge/adassp.h"
#include "tacet/learn/method.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/noise_size.h"
#include "tests/support/carried_out.h"
#include "tests/support/labelled_records.h"

namespace tacet::learn {
namespace adassp_test {

using enum privacy::Adjacency;
using Setting = test::LabelledRecords;
using test::berkeley;

ParameterValues asked(double epsilon, privacy::Adjacency adjacency = add_remove) {
  return {{"adjacency", adjacency}, {"method", "adassp"}, {"epsilon", epsilon}, {"delta", 1e-6}};
}

TrainedModel train(const Setting& setting, const AdasspPlan& plan, std::uint64_t seed,
                   int threads = 2) {
  return test::seeded_run<train_adassp>(setting.train, setting.schema, plan, seed, threads);
}

TEST(Adassp, OneGaussianReleaseOfTheStatedNoise) {
  const auto setting = berkeley();
  const double mu = accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-6));
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    const auto plan = plan_adassp(setting.schema, common_options(asked(1, adjacency)));
    EXPECT_LE(plan.guarantee.epsilon, 1);
    EXPECT_GT(plan.guarantee.epsilon, .999);
    EXPECT_LE(accounting::epsilon(plan.events, adjacency, privacy::Delta(1e-6)), 1);
    ASSERT_NE(plan.events.as<privacy::Gaussian>(), nullptr);
    // sqrt(2) and sqrt(4.5) over mu, for rows and labels of norm 1.
    const double share = adjacency == replace_one ? std::sqrt(4.5) : std::sqrt(2);
    EXPECT_NEAR(plan.diagonal_noise * mu / share, 1, 1e-6);
    EXPECT_NEAR(plan.label_noise * mu / share, 1, 1e-6);
  }
}

// Boosted AdaSSP (Tang et al. 2023) is not offered: descent with a released matrix, whose noise is
// put together here from what the product has, a matrix's distance and the noise of so many
// releases. Half of mu^2 for the matrix, half for 20 rounds, replace_one, (1, 1e-6).
TEST(Adassp, NoiseOfABoostedOneAsTheReferenceHasIt) {
  const privacy::Epsilon epsilon(1);
  const privacy::Delta delta(1e-6);
  const double replaced = std::sqrt(2.0);  // a matrix of one record for that of another
  const double whole = full_batch_noise(1, epsilon, delta, add_remove);
  EXPECT_NEAR(std::sqrt(2.0) * replaced * whole, 8.44935777865, 1e-7);
  const double rounds = full_batch_noise(20, epsilon, delta, replace_one);
  EXPECT_NEAR(std::sqrt(2.0) * rounds, 53.4384306924, 1e-6);
}

TEST(Adassp, TheSameModelForAnyThreadsAndAnotherForAnotherSeed) {
  const auto setting = berkeley();
  const auto plan = plan_adassp(setting.schema, common_options(asked(1)));
  const auto one = train(setting, plan, 3, 1);
  EXPECT_EQ(train(setting, plan, 3, 4).model.coefficients, one.model.coefficients);
  EXPECT_NE(train(setting, plan, 4, 1).model.coefficients, one.model.coefficients);
  EXPECT_EQ(one.model.noise_stddevs.size(), one.model.coefficients.size());
  EXPECT_EQ(one.receipt.events, plan.events);
  EXPECT_EQ(one.receipt.calibration, "tight");
}

/// The coefficients of least squares with nothing added, from the records.
std::vector<double> least_squares(const Setting& setting) {
  const auto& data = setting.train;
  const auto d = data.columns();
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(d, d);
  Eigen::VectorXd products = Eigen::VectorXd::Zero(d);
  for (std::int64_t i = 0; i < data.rows(); ++i) {
    Eigen::VectorXd x(d);
    for (std::int64_t j = 0; j < d; ++j) {
      x[j] = data.dense_row(i)[static_cast<std::size_t>(j)] / 2048.0;
    }
    gram += x * x.transpose();
    products += data.label(i) * x;
  }
  gram += 1e-6 * Eigen::MatrixXd::Identity(d, d);
  const Eigen::VectorXd solved = gram.ldlt().solve(products);
  return {solved.begin(), solved.end()};
}

double largest_margin_gap(const Setting& setting, const std::vector<double>& one,
                          const std::vector<double>& other) {
  double gap = 0;
  for (std::int64_t i = 0; i < setting.train.rows(); ++i) {
    const auto row = setting.train.dense_row(i);
    gap = std::max(gap, std::fabs(model::margin(one, row) - model::margin(other, row)));
  }
  return gap;
}

TEST(Adassp, IsLeastSquaresWhereTheBudgetIsLarge) {
  const auto setting = berkeley();
  const auto exact = least_squares(setting);
  for (const auto calibration : {Calibration::tight, Calibration::wang2018}) {
    auto options = asked(50);
    options.set("calibration", to_string(calibration));
    const auto found = train(setting, plan_adassp(setting.schema, common_options(options)), 5);
    EXPECT_LT(largest_margin_gap(setting, found.model.coefficients, exact), .02);
  }
}

TEST(Adassp, ThePublishedShrinkageStatesItsClaim) {
  const auto setting = berkeley();
  auto options = asked(2);
  options.set("calibration", "paper");
  const auto plan = plan_adassp(setting.schema, common_options(options));
  EXPECT_EQ(plan.calibration, Calibration::wang2018);
  ASSERT_TRUE(plan.claim.has_value());
  EXPECT_EQ(plan.claim->epsilon, 2);
  EXPECT_EQ(plan.events, plan_adassp(setting.schema, common_options(asked(2))).events);
  EXPECT_EQ(train(setting, plan, 1).receipt.calibration, "wang2018");
}

TEST(Adassp, NeedsNoNumberOfRecordsWhereDeltaIsGiven) {
  auto setting = berkeley();
  setting.schema.public_row_count.reset();
  const auto plan = plan_adassp(setting.schema, common_options(asked(1)));
  EXPECT_EQ(plan.public_row_count, 0);
  EXPECT_FALSE(train(setting, plan, 1).receipt.public_row_count.has_value());
  auto options = asked(1);
  options.erase("delta");
  EXPECT_THROW(static_cast<void>(plan_adassp(setting.schema, common_options(options))),
               base::UsageError);
}

TEST(Adassp, RefusesWhatItHasNoProofFor) {
  const auto setting = berkeley();
  auto huber = asked(1);
  huber.set("loss", model::Loss{model::HuberLoss{}});
  EXPECT_THROW(static_cast<void>(plan_adassp(setting.schema, common_options(huber))),
               base::UsageError);
  auto pure = asked(1);
  pure.set("delta", 0);
  EXPECT_THROW(static_cast<void>(plan_adassp(setting.schema, common_options(pure))),
               base::GuaranteeError);
  auto weighted = asked(1);
  weighted.set("class-weights", setting.schema.target->class_names()[1] + "=3");
  EXPECT_THROW(static_cast<void>(plan_training(setting.schema, weighted)), base::UsageError);
  EXPECT_THROW(static_cast<void>(plan_adassp(setting.schema, common_options(asked(1e-4)))),
               base::NumericError);
  auto wide = setting.schema;
  wide.columns = {{"words", data::HashedColumn{.bits = 13}}};
  EXPECT_THROW(static_cast<void>(plan_adassp(wide, common_options(asked(1)))), base::UsageError);
  wide.columns = {{"words", data::HashedColumn{.bits = 11}}};
  EXPECT_NO_THROW(static_cast<void>(plan_adassp(wide, common_options(asked(1)))));
}

}  // namespace adassp_test
}  // namespace tacet::learn
