#include "tacet/local/local_simulation.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/threads.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/statement.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::local {
namespace local_simulation_test {

constexpr std::int64_t columns = 4;

data::Schema schema_of(std::int64_t devices, bool classes = true) {
  data::Schema schema;
  for (std::int64_t j = 0; j < columns; ++j) {
    schema.columns.push_back(
        {std::string(1, static_cast<char>('a' + j)), data::NumericColumn{.lower = -1, .upper = 1}});
  }
  if (classes) {
    schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  } else {
    schema.target = {"y", data::RegressionTarget{-1, 1}};
  }
  schema.intercept = false;
  schema.public_row_count = devices;
  return schema;
}

data::Dataset records_of(std::int64_t devices) {
  data::Dataset made({.columns = columns, .norm_bound = 1, .storage = data::Storage::dense});
  std::mt19937_64 bits(3);
  std::uniform_int_distribution<int> feature(-1000, 1000);
  for (std::int64_t i = 0; i < devices; ++i) {
    std::vector<std::int16_t> row(columns);
    for (auto& value : row) value = static_cast<std::int16_t>(feature(bits));
    made.append_dense(row, row[0] + row[1] - row[2] > 0 ? 1 : -1);
  }
  return made;
}

LocalOptions options_at(double epsilon) {
  LocalOptions options;
  options.epsilon = epsilon;
  return options;
}

learn::TrainedModel trained(const data::Dataset& records, const data::Schema& schema,
                            const LocalPlan& plan, int threads = 1, std::uint64_t seed = 1) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(threads);
  return simulate_devices(records, schema, plan,
                          {.source = source, .reservation = reservation, .threads = pool});
}

TEST(LocalSimulation, LearnsFromReportsAlone) {
  const auto schema = schema_of(20000);
  const auto records = records_of(20000);
  const auto plan = plan_local(schema, options_at(8));
  EXPECT_EQ(plan.batch, 4);
  EXPECT_EQ(plan.rounds, 5000);
  const auto model = trained(records, schema, plan).model;
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < records.rows(); ++i) {
    const double m = model::margin(model.coefficients, records.dense_row(i));
    right += (m > 0) == (records.label(i) > 0) ? 1 : 0;
  }
  EXPECT_GT(right, 18000);
}

TEST(LocalSimulation, TheModelHasTheSameBitsForAnyNumberOfThreads) {
  const auto schema = schema_of(600);
  const auto records = records_of(600);
  for (const auto& name : mechanism::local_mechanism_names.all) {
    auto options = options_at(3);
    options.mechanism = name.value;
    options.batch_size = 50;
    const auto plan = plan_local(schema, options);
    const auto one = trained(records, schema, plan, 1).model.coefficients;
    EXPECT_NE(one, std::vector<double>(columns, 0.0)) << name.text;
    EXPECT_EQ(trained(records, schema, plan, 2).model.coefficients, one) << name.text;
    EXPECT_EQ(trained(records, schema, plan, 3).model.coefficients, one) << name.text;
    EXPECT_NE(trained(records, schema, plan, 1, 2).model.coefficients, one) << name.text;
  }
}

TEST(LocalSimulation, TheModelHasTheSameBitsOnEveryInstructionSet) {
  const auto schema = schema_of(200);
  const auto records = records_of(200);
  for (const auto& name : mechanism::local_mechanism_names.all) {
    auto options = options_at(3);
    options.mechanism = name.value;
    const auto plan = plan_local(schema, options);
    const auto usual = trained(records, schema, plan).model.coefficients;
    for (const auto target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      EXPECT_EQ(trained(records, schema, plan).model.coefficients, usual)
          << name.text << ' ' << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(LocalSimulation, TheReceiptSaysWhatOneDeviceReleased) {
  const auto schema = schema_of(100);
  const auto records = records_of(100);
  auto options = options_at(2);
  const auto once = trained(records, schema, plan_local(schema, options)).receipt;
  EXPECT_EQ(once.events, (privacy::PureDp{2, privacy::Adjacency::replace_one}));
  EXPECT_EQ(once.sampling, "local");
  EXPECT_EQ(once.guarantee.epsilon, 2);
  options.passes = 3;
  const auto plan = plan_local(schema, options);
  const auto thrice = trained(records, schema, plan).receipt;
  const auto* repeated = thrice.events.as<privacy::Repeated>();
  ASSERT_NE(repeated, nullptr);
  EXPECT_EQ(repeated->count, 3);
  EXPECT_LE(thrice.guarantee.epsilon, 2);
  EXPECT_GT(thrice.guarantee.epsilon, 2 - 1e-12);
  options = options_at(2);
  options.mechanism = mechanism::LocalMechanism::gaussian;
  const auto noisy = trained(records, schema, plan_local(schema, options)).receipt;
  EXPECT_NE(noisy.events.as<privacy::Gaussian>(), nullptr);
  EXPECT_EQ(noisy.guarantee.delta, learn::default_delta(100));
}

// The way back from the receipt, with every number of it that was changed found out.
TEST(LocalSimulation, ReceiptsAreLedBackToTheirEvents) {
  const auto schema = schema_of(100);
  const auto records = records_of(100);
  for (const std::int64_t passes : {1, 2}) {
    for (const auto& name : mechanism::local_mechanism_names.all) {
      auto options = options_at(2);
      options.mechanism = name.value;
      options.passes = passes;
      auto receipt = trained(records, schema, plan_local(schema, options)).receipt;
      const auto faults = [&](const std::string& from, const std::string& to) {
        auto other = receipt;
        const auto place = other.parameters.find(from);
        EXPECT_NE(place, std::string::npos) << from << " in " << other.parameters;
        if (place != std::string::npos) other.parameters.replace(place, from.size(), to);
        return learn::check_receipt(other, nullptr, local_methods()).faults.size();
      };
      EXPECT_EQ(faults("\"contributions\"", "\"contributions\""), 0U) << name.text;
      EXPECT_GT(faults("\"contributions\":" + std::to_string(passes), "\"contributions\":5"), 0U);
      EXPECT_GT(faults("\"rounds\":", "\"rounds\":1"), 0U);
      EXPECT_GT(faults(std::string("\"mechanism\":\"") + name.text, "\"mechanism\":\"other"), 0U);
      receipt.sampling = "full_batch";
      EXPECT_EQ(learn::check_receipt(receipt, nullptr, local_methods()).faults.size(), 1U);
    }
  }
}

TEST(LocalSimulation, TheWordsSayThatTheServerIsNoException) {
  const auto schema = schema_of(100);
  auto receipt = learn::receipt_of(plan_local(schema, options_at(2)));
  EXPECT_NE(privacy::statement(receipt).find("the server too"), std::string::npos);
  receipt.sampling = "full_batch";
  EXPECT_EQ(privacy::statement(receipt).find("the server too"), std::string::npos);
}

TEST(LocalSimulation, ALearnerThatDivergedSaysSoAtItsEndAndHandsOutItsState) {
  const auto schema = schema_of(100);
  auto options = options_at(2);
  options.initial_wealth = 1e300;
  std::string kept;
  options.keep = [&](const Learner& learner) { kept = to_bytes(learner); };
  const auto plan = plan_local(schema, options);
  EXPECT_THROW((void)trained(records_of(100), schema, plan), base::NumericError);
  const auto learner = std::get<Banco>(learner_from_bytes(kept, "kept"));
  EXPECT_EQ(learner.state().observed, 100);
  EXPECT_GT(learner.state().bounded.refused, 90);
  EXPECT_TRUE(learner.diverged());
  EXPECT_EQ(learner.model(), std::vector<double>(columns, 0.0));
}

TEST(LocalSimulation, TheNumberOfDevicesMustBeThePublicOne) {
  const auto schema = schema_of(100);
  EXPECT_THROW((void)trained(records_of(99), schema, plan_local(schema, options_at(2))),
               base::DataError);
}

TEST(LocalPlan, TheBatchLeavesFourThousandRounds) {
  EXPECT_EQ(usual_batch(32561), 8);  // Adult; 32 a round starve the bets
  EXPECT_EQ(usual_batch(31999), 4);
  EXPECT_EQ(usual_batch(7999), 1);
  EXPECT_EQ(usual_batch(1), 1);
  EXPECT_EQ(usual_batch(1000000), 128);
}

TEST(LocalPlan, UsualSettings) {
  const auto plan = plan_local(schema_of(32561), options_at(4));
  const auto& banco = std::get<BancoSettings>(plan.learner);
  const auto& noise = plan.randomizer->noise();
  EXPECT_EQ(banco.average, PointAverage::anytime);
  EXPECT_EQ(plan.randomizer->spec().mechanism, mechanism::LocalMechanism::privunit);
  EXPECT_EQ(banco.certificate.kind, CertificateKind::bounded);
  EXPECT_EQ(banco.certificate.range, 0.5 / *noise.norm);
  EXPECT_NEAR(banco.initial_wealth, 0.1 * std::sqrt(4070 * (noise.variance / 8 + 1)), 1e-6);
  EXPECT_EQ(plan.randomizer->spec().embedding, mechanism::Embedding::lift);
  EXPECT_GT(plan.predicted_excess, 0);
  // What the theorem promises falls with more devices, in rounds of the same size.
  auto options = options_at(4);
  options.batch_size = 8;
  EXPECT_LT(plan_local(schema_of(3256100), options).predicted_excess, plan.predicted_excess / 2);
}

TEST(LocalPlan, NeverStatesMoreThanWasAskedFor) {
  // A ledger with exactly that much left has to cover it; the accountant of Gaussian noise rounds
  // up for itself.
  for (const auto& name : mechanism::local_mechanism_names.all) {
    for (const double epsilon : {0.1, 0.3, 1.0, 2.5, 3.0, 7.7}) {
      for (const std::int64_t passes : {1, 2, 7}) {
        auto options = options_at(epsilon);
        options.mechanism = name.value;
        options.passes = passes;
        const auto plan = plan_local(schema_of(100), options);
        EXPECT_LE(plan.guarantee.epsilon, epsilon) << name.text << ' ' << epsilon << ' ' << passes;
        EXPECT_GE(plan.guarantee.epsilon, epsilon * (1 - 1e-5)) << name.text << ' ' << passes;
      }
    }
  }
}

TEST(LocalPlan, ThePapersConstants) {
  auto options = options_at(1);
  options.calibration = learn::Calibration::paper;
  const auto plan = plan_local(schema_of(100), options);
  const auto& banco = std::get<BancoSettings>(plan.learner);
  EXPECT_EQ(plan.randomizer->spec().mechanism, mechanism::LocalMechanism::l2_laplace);
  EXPECT_EQ(banco.initial_wealth, 1);
  EXPECT_EQ(banco.average, PointAverage::uniform);
  EXPECT_EQ(plan.batch, 1);
  EXPECT_NEAR(banco.certificate.range, 0.25, 1e-6);
  EXPECT_NEAR(banco.certificate.constant, 9 * 16 + 1, 1e-4);
}

TEST(LocalPlan, LossesNeedBoundedSlopes) {
  const auto numbers = schema_of(100, false);
  auto options = options_at(2);
  EXPECT_NEAR(plan_local(numbers, options).randomizer->spec().clipping_norm, 0.5, 1e-6);
  options.loss = model::make_loss("squared_epsilon_insensitive");
  EXPECT_THROW((void)plan_local(numbers, options), base::UsageError);
  options.clipping_norm = 0.75;
  EXPECT_EQ(plan_local(numbers, options).randomizer->spec().clipping_norm, 0.75);
  // Probabilities have a loss of bounded slope, counts one whose slope is cut.
  auto shares = numbers;
  shares.target->rule = data::RegressionTarget{.kind = data::NumberKind::probability};
  auto plan = plan_local(shares, options_at(2));
  EXPECT_EQ(model::loss_name(plan.loss), "soft_logistic");
  EXPECT_EQ(plan.randomizer->spec().clipping_norm, 1);
  shares.target->rule = data::RegressionTarget{.upper = 40, .kind = data::NumberKind::count};
  plan = plan_local(shares, options_at(2));
  EXPECT_EQ(model::loss_name(plan.loss), "poisson");
  EXPECT_EQ(plan.randomizer->spec().clipping_norm, 1);
  options = options_at(2);
  options.loss = model::make_loss("absolute");
  EXPECT_EQ(plan_local(numbers, options).randomizer->spec().clipping_norm, 1);
}

}  // namespace local_simulation_test
}  // namespace tacet::local
