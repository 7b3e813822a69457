#include "tacet/learn/evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tests/support/noisy_evaluation.h"
#include "tests/support/statistics.h"

namespace tacet::learn {
namespace evaluation_test {

using privacy::Adjacency;
using privacy::Delta;
using privacy::Epsilon;
using test::evaluated;
using test::one_number;
using test::plan_at;
using test::record_count;
using test::with_little_noise;

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
    return evaluated({dataset, model}, plan, seed);
  }

  data::Schema schema = one_number();
  model::LinearModel model;
  data::Dataset dataset;
};

TEST(Evaluation, LittleNoiseGivesTheExactMetrics) {
  const Setting setting;
  const auto result =
      setting.run(with_little_noise(plan_at(setting.model, 50, Adjacency::add_remove)), 1);
  EXPECT_NEAR(result.all.records.value, record_count, 1);
  EXPECT_NEAR(result.all.accuracy.value().value, 0.75, 1e-3);
  const double expected = 0.75 * std::log1p(std::exp(-2)) + 0.25 * std::log1p(std::exp(2));
  EXPECT_NEAR(result.all.mean_loss.value().value, expected, 2e-3);
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
  EXPECT_NEAR(result.all.records.value, 500, 1);
  EXPECT_NEAR(result.all.accuracy.value().value, 1, 5e-3);
}

// A loss that a file has by name alone has no value: refused before anything is booked.
TEST(Evaluation, ALossThatIsANameIsRefusedByThePlan) {
  Setting setting;
  setting.model.loss = model::make_loss("custom_of_classes");
  for (const std::optional<double> cap : {std::optional<double>(), std::optional(2.0)}) {
    const EvaluationOptions options{.epsilon = privacy::Epsilon(1),
                                    .delta = privacy::Delta(1e-6),
                                    .adjacency = Adjacency::add_remove,
                                    .loss_cap = cap};
    EXPECT_THROW(static_cast<void>(plan_evaluation(setting.model, options)), base::UsageError);
  }
}

/// Of the noise in a cell of the histogram; five or so of them make a cell of the matrix.
double cell_stddev(const Evaluation& found, const EvaluationPlan& plan) {
  return found.all.matrix_stddev / std::sqrt(static_cast<double>(plan.score_bins()) / 2);
}

// Where neighbours have one number of records it costs nothing, and counts are told around their
// middle: of 20 cells a record is sqrt(19/20 + 1/4) long with its loss, where it is sqrt(5/4) long
// under add_remove.
TEST(Evaluation, APublicCountIsExactAndARecordIsShorter) {
  const Setting setting;
  const auto add = setting.run(plan_at(setting.model, 1, Adjacency::add_remove), 1);
  const double loss = 0.75 * std::log1p(std::exp(-2)) + 0.25 * std::log1p(std::exp(2));
  for (const auto adjacency : {Adjacency::replace_one, Adjacency::zero_out}) {
    const auto exact = setting.run(with_little_noise(plan_at(setting.model, 50, adjacency)), 1);
    EXPECT_EQ(exact.all.records.value, record_count);
    EXPECT_EQ(exact.all.records.noise_stddev, 0);
    EXPECT_NEAR(exact.all.accuracy.value().value, 0.75, 1e-3);
    EXPECT_NEAR(exact.all.mean_loss.value().value, loss, 2e-3);
    const auto noisy = setting.run(plan_at(setting.model, 1, adjacency), 1);
    EXPECT_EQ(noisy.all.records.value, record_count);
    const double apart = adjacency == Adjacency::replace_one ? 2 : 1;
    const double expected = add.all.matrix_stddev * apart * std::sqrt(1.2 / 1.25);
    EXPECT_NEAR(noisy.all.matrix_stddev, expected, 1e-3 * expected);
  }
}

// The empty record of zero_out is one without a target, which adds nothing: the distance to it is a
// record's whole length, as under add_remove.
TEST(Evaluation, WhereTargetsMayMissZeroingIsAsFarAsRemoving) {
  const Setting setting;
  const auto sd_under = [&](Adjacency adjacency) {
    const auto plan = plan_evaluation(setting.model, {.epsilon = Epsilon(1),
                                                      .delta = Delta(1e-6),
                                                      .adjacency = adjacency,
                                                      .targets_may_miss = true});
    return setting.run(plan, 1).all.matrix_stddev;
  };
  const double removed = sd_under(Adjacency::add_remove);
  EXPECT_NEAR(sd_under(Adjacency::zero_out), removed, 1e-9 * removed);
}

/// The sums behind a result, as far as neighbours can tell them apart: a seed's noise is the same
/// for all, so that differences of what is released are those of the sums.
std::vector<double> sums_of(const Evaluation& found, const EvaluationPlan& plan) {
  auto sums = found.all.matrix;
  sums.push_back(found.all.mean_loss.value().value / *plan.loss_cap * found.all.records.value);
  return sums;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squared += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squared);
}

/// Records of which the first is one of all kinds, or is left out.
Evaluation with_first(const EvaluationPlan& plan, std::optional<std::pair<int, double>> first) {
  Setting changed;
  changed.dataset = data::Dataset(changed.schema.shape());
  changed.model.coefficients = {40};  // losses beyond the cap too
  const auto append = [&](int sign, double label) {
    const std::vector<std::int16_t> row{static_cast<std::int16_t>(2048 * sign)};
    changed.dataset.append_dense(row, label);
  };
  if (first) append(first->first, first->second);
  for (std::int64_t i = 1; i < record_count; ++i) append(1, i % 2 == 0 ? 1.0 : -1.0);
  return changed.run(plan, 5);
}

const std::vector<std::pair<int, double>> kinds{{1, 1.0}, {1, -1.0}, {-1, 1.0}, {-1, -1.0}};

// Against what is released: two cells change by one, and the loss by its cap.
TEST(Evaluation, ReplacedRecordsAreWithinWhatTheNoiseIsFor) {
  const Setting setting;
  const auto plan = plan_at(setting.model, 1, Adjacency::replace_one);
  double farthest = 0;
  for (const auto& a : kinds) {
    const auto before = with_first(plan, a);
    for (const auto& b : kinds) {
      farthest =
          std::max(farthest, distance(sums_of(before, plan), sums_of(with_first(plan, b), plan)));
    }
  }
  const double covered = 2 / plan.noise_multiplier * cell_stddev(with_first(plan, kinds[0]), plan);
  EXPECT_LE(farthest, covered * (1 + 1e-9));
  EXPECT_NEAR(farthest, std::sqrt(3), 1e-3);
}

// One cell changes by one; the loss beside it is brute-forced in optimize/sums/cell_sum_test.cc.
TEST(Evaluation, ARecordMoreChangesOneCellByOne) {
  const Setting setting;
  const auto plan = plan_at(setting.model, 1, Adjacency::add_remove);
  const auto without = with_first(plan, {});
  for (const auto& kind : kinds) {
    const auto with = with_first(plan, kind);
    EXPECT_NEAR(distance(with.all.matrix, without.all.matrix), 1, 1e-3);
    EXPECT_LE(std::sqrt(1.25), cell_stddev(with, plan) / plan.noise_multiplier * (1 + 1e-6));
  }
}

TEST(Evaluation, TheMatrixAndItsFiguresAreThoseOfTheRecords) {
  const Setting setting;
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto found = setting.run(with_little_noise(plan_at(setting.model, 50, adjacency)), 1).all;
    const std::vector<double> expected{0, 500, 0, 1500};
    ASSERT_EQ(found.matrix.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(found.matrix[i], expected[i], 0.5) << i;
    }
    ASSERT_EQ(found.by_class.size(), 1U);
    EXPECT_EQ(found.by_class[0].of, 1);
    const auto& figures = found.by_class[0].figures;
    const std::vector<double> shares{1, 0, 0.75, 6.0 / 7};
    for (std::size_t i = 0; i < shares.size(); ++i) {
      EXPECT_NEAR(figures[i].second.value().value, shares[i], 2e-3) << figures[i].first;
    }
  }
}

// As many records as Adult's test set has, at epsilon 0.5: a median over 20 seeds.
TEST(Evaluation, AccuracyOfManyRecordsIsCloseAtSmallEpsilon) {
  Setting setting;
  const std::vector<std::int16_t> row{2048};
  for (std::int64_t i = record_count; i < 16281; ++i) {
    setting.dataset.append_dense(row, i % 4 == 0 ? -1.0 : 1.0);
  }
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto plan = plan_at(setting.model, 0.5, adjacency);
    std::vector<double> misses;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      misses.push_back(std::abs(setting.run(plan, seed).all.accuracy.value().value - 0.75));
    }
    std::ranges::sort(misses);
    EXPECT_LT(misses[10], 0.01);
  }
}

// Everybody's margin is 2: above a threshold of 3 nobody is called positive.
TEST(Evaluation, TheThresholdDecides) {
  const Setting setting;
  const auto plan = plan_evaluation(setting.model, {.epsilon = Epsilon(50),
                                                    .delta = Delta(1e-6),
                                                    .adjacency = Adjacency::add_remove,
                                                    .threshold = 3});
  const auto found = setting.run(with_little_noise(plan), 1).all;
  EXPECT_NEAR(found.accuracy.value().value, 0.25, 1e-3);
  EXPECT_NEAR(found.matrix[2], 1500, 0.5);
}

TEST(Evaluation, GroupsAreToldApartAtTheSamePrice) {
  auto schema = one_number();
  schema.columns.push_back({"town", data::CategoricalColumn{.categories = {"a", "b"}}});
  auto model = model::empty_model(schema, model::LogisticLoss{});
  model.coefficients = {2, 0, 0};
  data::Dataset dataset(schema.shape());
  for (int i = 0; i < record_count; ++i) {
    const std::vector<std::int16_t> row{1000, static_cast<std::int16_t>(i % 4 < 2 ? 1000 : 0),
                                        static_cast<std::int16_t>(i % 4 == 2 ? 1000 : 0)};
    dataset.append_dense(row, i % 4 == 0 ? -1.0 : 1.0);
  }
  const data::CategoryGroups groups(schema, "town");
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto plan = with_little_noise(plan_evaluation(
        model,
        {.epsilon = Epsilon(50), .delta = Delta(1e-6), .adjacency = adjacency, .groups = 3}));
    const auto found = evaluated({dataset, model, &groups}, plan, 1);
    ASSERT_EQ(found.groups.size(), 3U);
    EXPECT_NEAR(found.groups[0].records.value, record_count / 2, 1);
    EXPECT_NEAR(found.groups[0].accuracy.value().value, 0.5, 2e-3);
    EXPECT_NEAR(found.groups[1].accuracy.value().value, 1, 2e-3);
    EXPECT_NEAR(found.groups[2].records.value, record_count / 4, 1);
    EXPECT_NEAR(found.all.accuracy.value().value, 0.75, 2e-3);
    const double loss = std::log1p(std::exp(-2 * 1000.0 / 2048));
    EXPECT_NEAR(found.groups[1].mean_loss.value().value, loss, 5e-3);
    EXPECT_NEAR(found.all.matrix_stddev, std::sqrt(3) * found.groups[0].matrix_stddev, 1e-9);
  }
}

/// 1000 records of 11 classes, of which the model is right about 800.
struct ManyClasses {
  ManyClasses() {
    data::MultiClassTarget target;
    for (int k = 0; k < 11; ++k) target.classes.push_back(std::to_string(k));
    schema.target->rule = target;
    model = model::empty_model(schema, model::LogisticLoss{});
    model.coefficients[3] = 1;  // everybody is a 3
    dataset = data::Dataset(schema.shape());
    const std::vector<std::int16_t> row{2048};
    for (int i = 0; i < 1000; ++i) dataset.append_dense(row, i % 5 == 0 ? 4 : 3);
  }

  data::Schema schema = one_number();
  model::LinearModel model;
  data::Dataset dataset{schema.shape()};
};

// Figures of 10 classes come from 100 cells, those of 11 from a count of each and of right answers.
TEST(Evaluation, ManyClassesAreCountedAndRightOrWrong) {
  const ManyClasses setting;
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::replace_one, Adjacency::zero_out}) {
    const auto plan = with_little_noise(plan_at(setting.model, 50, adjacency));
    EXPECT_EQ(plan.cells, 11);
    const auto result = evaluated({setting.dataset, setting.model}, plan, 1);
    const auto& found = result.all;
    EXPECT_NEAR(found.records.value, 1000, 1);
    EXPECT_NEAR(found.accuracy.value().value, 0.8, 1e-3);
    EXPECT_NEAR(found.majority_share.value().value, 0.8, 1e-3);
    EXPECT_TRUE(found.matrix.empty());
    EXPECT_TRUE(found.by_class.empty());
    EXPECT_NE(result.receipt.parameters.find("\"scores\":1"), std::string::npos)
        << "verify cannot know it from the loss";
  }
}

// Both figures are as far from the exact ones as they say.
TEST(Evaluation, ManyClassesHaveTheStatedNoise) {
  const ManyClasses setting;
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto plan = plan_at(setting.model, 2, adjacency);
    constexpr int runs = 400;
    double accuracies = 0;
    double majorities = 0;
    for (int seed = 0; seed < runs; ++seed) {
      const auto found =
          evaluated({setting.dataset, setting.model}, plan, static_cast<std::uint64_t>(seed)).all;
      const auto squared = [](const NoisyRatio& figure) {
        const double miss = (figure.value().value - 0.8) / figure.value().noise_stddev;
        return miss * miss;
      };
      accuracies += squared(found.accuracy);
      majorities += squared(found.majority_share);
    }
    for (const double sum : {accuracies, majorities}) {
      EXPECT_GT(test::normal_p_value((sum - runs) / std::sqrt(2.0 * runs)), test::false_alarm_rate);
    }
  }
}

// 4096 cells are the most: with more groups only right and wrong answers are counted.
TEST(Evaluation, ManyClassesInManyGroupsAreOnlyRightOrWrong) {
  const ManyClasses setting;
  const auto cells = [&](std::int64_t groups) {
    return plan_evaluation(setting.model, {.epsilon = Epsilon(1),
                                           .delta = Delta(1e-6),
                                           .adjacency = Adjacency::add_remove,
                                           .groups = groups})
        .cells;
  };
  EXPECT_EQ(cells(372), 11);
  EXPECT_EQ(cells(373), 2);
}

TEST(Evaluation, NoRecordsAreAnAnswerToo) {
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::replace_one, Adjacency::zero_out}) {
    Setting setting;
    setting.dataset = data::Dataset(setting.schema.shape());
    const auto result = setting.run(plan_at(setting.model, 1, adjacency), 1);
    EXPECT_FALSE(result.all.accuracy.has_value());
    if (adjacency != Adjacency::add_remove) {
      EXPECT_EQ(result.all.records.value, 0);
    }
  }
}

TEST(Evaluation, TheNoiseHasTheStatedStandardDeviation) {
  const Setting setting;
  const auto plan = plan_at(setting.model, 1, Adjacency::add_remove);
  const auto centred = plan_at(setting.model, 1, Adjacency::replace_one);
  constexpr int runs = 400;
  double counts = 0;
  double accuracies = 0;
  double centred_accuracies = 0;
  double precisions = 0;
  for (int seed = 0; seed < runs; ++seed) {
    const auto result = setting.run(plan, static_cast<std::uint64_t>(seed));
    const auto standardised = [](double value, double truth, double stddev) {
      return (value - truth) * (value - truth) / (stddev * stddev);
    };
    counts += standardised(result.all.records.value, record_count, result.all.records.noise_stddev);
    accuracies += standardised(result.all.accuracy.value().value, 0.75,
                               result.all.accuracy.value().noise_stddev);
    const auto precision = result.all.by_class[0].figures[2].second.value();
    precisions += standardised(precision.value, 0.75, precision.noise_stddev);
    const auto other = setting.run(centred, static_cast<std::uint64_t>(seed)).all.accuracy.value();
    centred_accuracies += standardised(other.value, 0.75, other.noise_stddev);
  }
  // Sums of `runs` squared normals: standard deviation sqrt(2 runs).
  EXPECT_GT(test::normal_p_value((counts - runs) / std::sqrt(2.0 * runs)), test::false_alarm_rate);
  EXPECT_GT(test::normal_p_value((accuracies - runs) / std::sqrt(2.0 * runs)),
            test::false_alarm_rate);
  EXPECT_GT(test::normal_p_value((precisions - runs) / std::sqrt(2.0 * runs)),
            test::false_alarm_rate);
  EXPECT_GT(test::normal_p_value((centred_accuracies - runs) / std::sqrt(2.0 * runs)),
            test::false_alarm_rate);
}

// A keystream block of the cipher for each sum that is released.
TEST(Evaluation, TheCiphersTermCountsWhatIsReleased) {
  const Setting setting;
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::replace_one, Adjacency::zero_out}) {
    const auto plan = plan_at(setting.model, 1, adjacency);
    EXPECT_EQ(plan.prg_slack, random::prg_slack_of(1, 21));  // twenty cells and a loss
    random::SeededSource source(1);
    EXPECT_EQ(plan.prg_slack, setting.run(plan, 1).receipt.prg_slack);
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
  EXPECT_NEAR(setting.run(plan, 1).all.mean_loss.value().value, 0.1, 1e-3);
}

TEST(Evaluation, ARatioThatTheNoiseDrownsIsNotReported) {
  const Setting setting;
  const auto result = setting.run(plan_at(setting.model, 1e-4, Adjacency::add_remove), 1);
  EXPECT_FALSE(result.all.accuracy.has_value());
  EXPECT_FALSE(result.all.mean_loss.has_value());
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
  // (1 + e^epsilon) times the PRG slack is more than delta.
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
