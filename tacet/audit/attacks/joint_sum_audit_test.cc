// An audit of a joint release: neighbours at the corners of its bound, told apart by the best test.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/audit/evidence.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/optimize/sums/joint_sum.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/scaled_distance.h"

namespace tacet::optimize {
namespace joint_sum_audit_test {

using privacy::Adjacency;

constexpr std::int64_t moment = residual_units / 20;

/// Two classes at a predictor eta, the whitened row as long as the reach.
JointTask corner(double eta, Adjacency adjacency) {
  JointTask task;
  task.design.columns = {{{0}}, {{1}}};
  task.whitening = Eigen::MatrixXd::Identity(2, 2);
  task.whitening_unit = 1.0 / 2048;
  task.squared_reach = 1;
  const auto predictor = public_integers(Eigen::Vector2d(eta, -eta) / 2048);
  task.predictor = predictor.integers.col(0);
  task.predictor_unit = predictor.unit;
  task.response = {.mean = MeanModel::logistic};
  const bool replaced = adjacency == Adjacency::replace_one;
  task.shares.moment = replaced ? 2 * moment : moment;
  task.shares.score = replaced ? residual_units : residual_units - moment;
  task.shares.curvature =
      logistic_curvature_share(task.shares.score, task.shares.moment, adjacency);
  return task;
}

struct Record {
  std::vector<std::int16_t> row;
  double label;
};

privacy::WeightedSum sum_of(const std::vector<Record>& last, const JointTask& task,
                            Adjacency adjacency) {
  data::Dataset records({.columns = 2, .norm_bound = 2, .storage = data::Storage::dense});
  for (int i = 0; i < 3; ++i) records.append_dense(std::vector<std::int16_t>{900, 300}, 1);
  for (const auto& record : last) records.append_dense(record.row, record.label);
  base::ThreadPool pool(1);
  return joint_sum(records, task, adjacency, pool);
}

struct Pair {
  std::vector<Record> one;
  std::vector<Record> other;
};

/// The largest mu of a Gaussian pair that both error rates of the likelihood ratio refute, by exact
/// binomial bounds at level 1e-9 each (Nasr et al. 2023).
double audited_mu(const Pair& pair, const JointTask& task, Adjacency adjacency, double multiplier,
                  int runs) {
  const auto values = [&](const std::vector<Record>& last) {
    const auto sum = sum_of(last, task, adjacency);
    const auto opened = sum.open(mechanism::AccessKeys::key());
    return std::vector<double>(opened.begin(), opened.end());
  };
  const auto ones = values(pair.one);
  const auto others = values(pair.other);
  std::vector<double> weights;
  double threshold = 0;
  const auto shape = sum_of(pair.one, task, adjacency);
  for (const auto& block : shape.blocks()) {
    for (std::size_t i = 0; i < block.count; ++i) {
      const auto at = weights.size();
      weights.push_back((ones[at] - others[at]) / (block.scale * block.scale));
      threshold += weights[at] * (ones[at] + others[at]) / 2;
    }
  }
  privacy::TrustingBudget budget(adjacency);
  random::SeededSource source(91);
  auto reservation =
      budget.reserve(privacy::Repeated{2 * runs, privacy::Gaussian{multiplier}}, {1, 0, adjacency});
  std::uint64_t step = 0;
  const auto above = [&](const std::vector<Record>& last) {
    std::int64_t count = 0;
    for (int run = 0; run < runs; ++run) {
      const auto released = mechanism::release_gaussian(sum_of(last, task, adjacency),
                                                        privacy::NoiseMultiplier(multiplier),
                                                        {{.step = step++}, source, reservation})
                                .value();
      double value = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) value += weights[i] * released[i];
      count += value > threshold ? 1 : 0;
    }
    return count;
  };
  const auto misses = runs - above(pair.one);
  const auto alarms = above(pair.other);
  return audit::mu_refuted({{alarms, runs}, {misses, runs}}, 2e-9);
}

/// Distance of a pair in the norm of the noise, from the sums themselves.
double distance_of(const Pair& pair, const JointTask& task, Adjacency adjacency) {
  return test::scaled_distance(sum_of(pair.one, task, adjacency),
                               sum_of(pair.other, task, adjacency));
}

/// Numbers of which the score alone is released.
JointTask scores_of_numbers() {
  auto task = corner(0, Adjacency::replace_one);
  task.response = {.mean = MeanModel::identity, .cut = .5};
  task.shares = {};
  return task;
}

/// Numbers of which score, curvature and moment are released.
JointTask parts_of_numbers() {
  auto task = scores_of_numbers();
  task.shares = {
      .score = residual_units / 8 * 7, .curvature = residual_units / 2, .moment = 2 * moment};
  return task;
}

void audit(int runs, double least) {
  const Record along{{2048, 0}, 1};
  const Record across{{0, 2048}, 1};
  // At eta = -30 the residual is 1; at log(2/3) it is .6, where curvature takes its share. Replaced
  // records are farthest apart, by both of their bounds, where scores alone are released and are
  // opposed; where matrices are released too no pair is (docs/proofs/inference.md, section 1).
  const struct {
    Pair pair;
    JointTask task;
    Adjacency adjacency;
    double share;  ///< of the stated bound that the pair has
  } cases[] = {
      {{{along}, {}}, corner(-30, Adjacency::add_remove), Adjacency::add_remove, .999},
      {{{along}, {}}, corner(std::log(2.0 / 3), Adjacency::add_remove), Adjacency::add_remove, .99},
      {{{along}, {{{2048, 0}, -1}}}, scores_of_numbers(), Adjacency::replace_one, .999},
      {{{along}, {{{2048, 0}, -.499}}}, parts_of_numbers(), Adjacency::replace_one, .99},
      {{{along}, {across}}, corner(0, Adjacency::replace_one), Adjacency::replace_one, .5}};
  for (const auto& one : cases) {
    constexpr double multiplier = 1;
    const double stated = privacy::distance_factor(one.adjacency) / multiplier;
    const double distance = distance_of(one.pair, one.task, one.adjacency);
    EXPECT_LE(distance, stated);
    EXPECT_GE(distance, one.share * stated);
    const double honest = audited_mu(one.pair, one.task, one.adjacency, multiplier, runs);
    EXPECT_LE(honest, distance / multiplier);
    EXPECT_GE(honest, least * distance / multiplier);
    if (one.share < .9) continue;
    // Half of the noise shows.
    EXPECT_GT(audited_mu(one.pair, one.task, one.adjacency, multiplier / 2, runs), stated);
  }
}

TEST(JointSumAudit, FrequenciesStayBelowTheClaimAndBetrayMissingNoise) { audit(2000, .6); }

TEST(JointSumAuditLong, FrequenciesOfManyRunsComeNearTheClaim) { audit(100000, .9); }

}  // namespace joint_sum_audit_test
}  // namespace tacet::optimize
