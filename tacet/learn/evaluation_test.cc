#include "tacet/learn/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tests/support/statistics.h"

namespace tacet::learn {
namespace evaluation_test {

using privacy::Adjacency;
using privacy::Delta;
using privacy::Epsilon;

constexpr std::int64_t record_count = 2000;

data::Schema one_number() {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  schema.intercept = false;
  return schema;
}

/// Predicts "yes" for every record; three of four records are.
struct Setting {
  Setting() : model(model::empty_model(schema, model::LogisticLoss{})), dataset(schema.shape()) {
    model.coefficients = {2};
    const std::vector<std::int16_t> row{2048};
    for (std::int64_t i = 0; i < record_count; ++i) {
      dataset.append_dense(row, i % 4 == 0 ? -1.0 : 1.0);
    }
  }

  [[nodiscard]] Evaluation run(const EvaluationPlan& plan, std::uint64_t seed) const {
    random::SeededSource source(seed);
    privacy::MemoryBudget budget(plan.guarantee.adjacency);
    auto reservation = budget.reserve(plan.event, plan.guarantee);
    return evaluate(dataset, model, plan, source, reservation);
  }

  data::Schema schema = one_number();
  model::LinearModel model;
  data::Dataset dataset;
};

EvaluationPlan plan_at(const model::LinearModel& model, double epsilon, Adjacency adjacency) {
  return plan_evaluation(
      model, {.epsilon = Epsilon(epsilon), .delta = Delta(1e-6), .adjacency = adjacency});
}

// The noise of epsilon 5000 and ideal random bits: beyond what the cipher lets any plan state.
EvaluationPlan with_little_noise(EvaluationPlan plan) {
  plan.noise_multiplier = 0.01;
  plan.event = privacy::Gaussian{plan.noise_multiplier};
  plan.guarantee = accounting::account(plan.event, plan.guarantee.adjacency, Delta(1e-6));
  plan.cipher_delta = 0;
  return plan;
}

TEST(Evaluation, LittleNoiseGivesTheExactMetrics) {
  const Setting setting;
  const auto result =
      setting.run(with_little_noise(plan_at(setting.model, 50, Adjacency::add_remove)), 1);
  EXPECT_NEAR(result.records.value, record_count, 1);
  EXPECT_NEAR(result.accuracy.value().value, 0.75, 1e-3);
  const double expected = 0.75 * std::log1p(std::exp(-2)) + 0.25 * std::log1p(std::exp(2));
  EXPECT_NEAR(result.mean_loss.value().value, expected, 2e-3);
}

// Three records of each unit, the first of them right; records without a unit take no part.
TEST(Evaluation, EachUnitIsCountedOnceWhateverItsRecords) {
  Setting setting;
  setting.dataset = data::Dataset(setting.schema.shape());
  setting.dataset.declare_units();
  const std::vector<std::int16_t> row{2048};
  for (std::int64_t unit = 0; unit < 500; ++unit) {
    for (const double label : {1.0, -1.0, -1.0}) setting.dataset.append_dense(row, label, unit);
    setting.dataset.append_dense(row, -1.0, data::Dataset::no_unit);
  }
  const auto result =
      setting.run(with_little_noise(plan_at(setting.model, 50, Adjacency::add_remove)), 1);
  EXPECT_NEAR(result.records.value, 500, 1);
  EXPECT_NEAR(result.accuracy.value().value, 1, 5e-3);
}

// Where neighbours have one number of records it costs nothing, and the two other sums are within
// sqrt(2) of each other, not 2 sqrt(3).
TEST(Evaluation, APublicCountIsExactAndTheRestNeedsLessNoise) {
  const Setting setting;
  const auto add = setting.run(plan_at(setting.model, 1, Adjacency::add_remove), 1);
  const double loss = 0.75 * std::log1p(std::exp(-2)) + 0.25 * std::log1p(std::exp(2));
  for (const auto adjacency : {Adjacency::replace_one, Adjacency::zero_out}) {
    const auto exact = setting.run(with_little_noise(plan_at(setting.model, 50, adjacency)), 1);
    EXPECT_EQ(exact.records.value, record_count);
    EXPECT_EQ(exact.records.noise_deviation, 0);
    EXPECT_NEAR(exact.accuracy.value().value, 0.75, 1e-3);
    EXPECT_NEAR(exact.mean_loss.value().value, loss, 2e-3);
    const auto noisy = setting.run(plan_at(setting.model, 1, adjacency), 1);
    EXPECT_EQ(noisy.records.value, record_count);
    // A record is up to sqrt(3) long under add_remove, here sqrt(2) / 2, and twice that apart from
    // another one.
    const double apart = adjacency == Adjacency::replace_one ? std::sqrt(2) : std::sqrt(0.5);
    const double expected = add.records.noise_deviation * apart / std::sqrt(3);
    EXPECT_NEAR(noisy.accuracy.value().noise_deviation * record_count, expected, 1e-3 * expected);
  }
}

// Against what is released: over all pairs of records the sums behind it differ by no more than the
// noise is for, and by that for some.
TEST(Evaluation, NeighboursAreWithinWhatTheNoiseIsFor) {
  const Setting setting;
  const auto plan = plan_at(setting.model, 1, Adjacency::replace_one);
  const std::vector<std::int16_t> row{2048};
  const std::vector<std::int16_t> wrong{-2048};
  struct Sums {
    double hits;
    double losses;
  };
  // A seed's noise is the same for all: differences of what is released are those of the sums.
  const auto sums = [&](const std::vector<std::int16_t>& features, double label) {
    Setting changed;
    changed.dataset = data::Dataset(changed.schema.shape());
    changed.model.coefficients = {40};  // losses beyond the cap too
    changed.dataset.append_dense(features, label);
    for (std::int64_t i = 1; i < record_count; ++i) {
      changed.dataset.append_dense(row, i % 2 == 0 ? 1.0 : -1.0);
    }
    const auto found = changed.run(plan, 5);
    return Sums{found.accuracy.value().value * record_count,
                found.mean_loss.value().value / *plan.loss_cap * record_count};
  };
  const double mu = 2 / plan.noise_multiplier;
  const double deviation = setting.run(plan, 5).accuracy.value().noise_deviation * record_count;
  double farthest = 0;
  for (const auto* a : {&row, &wrong}) {
    for (const auto* b : {&row, &wrong}) {
      for (const double label : {-1.0, 1.0}) {
        const auto before = sums(*a, 1);
        const auto behind = sums(*b, label);
        farthest = std::max(farthest,
                            std::hypot(before.hits - behind.hits, before.losses - behind.losses));
      }
    }
  }
  EXPECT_LE(farthest, mu * deviation * (1 + 1e-9));
  EXPECT_GE(farthest, 0.99 * mu * deviation);
}

TEST(Evaluation, NoRecordsAreAnAnswerToo) {
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::replace_one, Adjacency::zero_out}) {
    Setting setting;
    setting.dataset = data::Dataset(setting.schema.shape());
    const auto result = setting.run(plan_at(setting.model, 1, adjacency), 1);
    EXPECT_FALSE(result.accuracy.has_value());
    if (adjacency != Adjacency::add_remove) {
      EXPECT_EQ(result.records.value, 0);
    }
  }
}

TEST(Evaluation, TheNoiseHasTheStatedDeviation) {
  const Setting setting;
  const auto plan = plan_at(setting.model, 1, Adjacency::add_remove);
  const auto centred = plan_at(setting.model, 1, Adjacency::replace_one);
  constexpr int runs = 400;
  double counts = 0;
  double accuracies = 0;
  double centred_accuracies = 0;
  for (int seed = 0; seed < runs; ++seed) {
    const auto result = setting.run(plan, static_cast<std::uint64_t>(seed));
    const auto standardised = [](double value, double truth, double deviation) {
      return (value - truth) * (value - truth) / (deviation * deviation);
    };
    counts += standardised(result.records.value, record_count, result.records.noise_deviation);
    accuracies +=
        standardised(result.accuracy.value().value, 0.75, result.accuracy.value().noise_deviation);
    const auto other = setting.run(centred, static_cast<std::uint64_t>(seed)).accuracy.value();
    centred_accuracies += standardised(other.value, 0.75, other.noise_deviation);
  }
  // Sums of `runs` squared normals: deviation sqrt(2 runs).
  EXPECT_GT(test::normal_p_value((counts - runs) / std::sqrt(2.0 * runs)), test::false_alarm_rate);
  EXPECT_GT(test::normal_p_value((accuracies - runs) / std::sqrt(2.0 * runs)),
            test::false_alarm_rate);
  EXPECT_GT(test::normal_p_value((centred_accuracies - runs) / std::sqrt(2.0 * runs)),
            test::false_alarm_rate);
}

// A leaf of the cipher for each sum that is released, and none for a number of records that is
// known.
TEST(Evaluation, TheCiphersTermCountsWhatIsReleased) {
  const Setting setting;
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::replace_one, Adjacency::zero_out}) {
    const auto plan = plan_at(setting.model, 1, adjacency);
    const std::int64_t sums = adjacency == Adjacency::add_remove ? 3 : 2;
    EXPECT_EQ(plan.cipher_delta, random::cipher_term(1, sums));
    random::SeededSource source(1);
    EXPECT_EQ(plan.cipher_delta, setting.run(plan, 1).receipt.cipher_delta);
  }
}

TEST(Evaluation, ThePlanStaysWithinTheGuaranteeAndReplacementCostsTwice) {
  const Setting setting;
  const auto add = plan_at(setting.model, 1, Adjacency::add_remove);
  const auto replace = plan_at(setting.model, 1, Adjacency::replace_one);
  EXPECT_LE(add.guarantee.epsilon, 1);
  EXPECT_GT(add.guarantee.epsilon, 1 - 1e-6);
  EXPECT_NEAR(replace.noise_multiplier, 2 * add.noise_multiplier, 1e-6);
}

TEST(Evaluation, LossesAreCappedAtAPublicValue) {
  const Setting setting;
  const auto plan =
      with_little_noise(plan_evaluation(setting.model, {.epsilon = Epsilon(50),
                                                        .delta = Delta(1e-6),
                                                        .adjacency = Adjacency::add_remove,
                                                        .loss_cap = 0.1}));
  EXPECT_NEAR(setting.run(plan, 1).mean_loss.value().value, 0.1, 1e-3);
}

TEST(Evaluation, ARatioThatTheNoiseDrownsIsNotReported) {
  const Setting setting;
  const auto result = setting.run(plan_at(setting.model, 1e-4, Adjacency::add_remove), 1);
  EXPECT_FALSE(result.accuracy.has_value());
  EXPECT_FALSE(result.mean_loss.has_value());
}

TEST(Evaluation, TheReceiptSaysWhatWasSpentAndThatASeedProtectsNobody) {
  const Setting setting;
  const auto plan = plan_at(setting.model, 1, Adjacency::add_remove);
  const auto receipt = setting.run(plan, 1).receipt;
  EXPECT_EQ(receipt.events, plan.event);
  EXPECT_FALSE(receipt.is_protected());
}

TEST(Evaluation, OptionsThatPromiseNothingAreRefused) {
  const Setting setting;
  // (1 + e^epsilon) times the cipher's term is more than delta.
  EXPECT_THROW((void)plan_at(setting.model, 100, Adjacency::add_remove), base::GuaranteeError);
  EXPECT_THROW((void)plan_at(setting.model, INFINITY, Adjacency::add_remove), base::UsageError);
  EXPECT_THROW((void)plan_at(setting.model, 0, Adjacency::add_remove), base::UsageError);
  EXPECT_THROW((void)plan_evaluation(
                   setting.model,
                   {.epsilon = Epsilon(1), .delta = Delta(0), .adjacency = Adjacency::add_remove}),
               base::GuaranteeError);
  EXPECT_THROW((void)plan_evaluation(setting.model, {.epsilon = Epsilon(1),
                                                     .delta = Delta(1e-6),
                                                     .adjacency = Adjacency::add_remove,
                                                     .loss_cap = -1}),
               base::UsageError);
}

}  // namespace evaluation_test
}  // namespace tacet::learn
