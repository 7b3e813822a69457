#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/optimize/sums/joint_sum.h"
#include "tests/support/joint_records.h"
#include "tests/support/scaled_distance.h"

namespace tacet::optimize {
namespace joint_neighbours_test {

using privacy::Adjacency;
using test::joint::every_mean;
using test::joint::integers;
using test::joint::make_dataset;
using test::joint::Record;
using test::joint::RecordMaker;
using test::joint::Records;
using test::joint::shares_of;
using test::joint::sum_of;
using test::joint::task_of;
using test::joint::to_doubles;

double neighbours_apart(const Records& ones, const Records& others, const JointTask& task,
                        Adjacency adjacency) {
  return test::scaled_distance(sum_of(make_dataset(ones), task, adjacency),
                               sum_of(make_dataset(others), task, adjacency));
}

/// Another matrix, reach and predictor, as a released start might have led to: from harmless ones
/// to those that noise made absurd.
void redraw(JointTask& task, std::mt19937_64& bits) {
  std::normal_distribution<double> normal;
  const double spread = std::exp(2 * normal(bits));
  const Eigen::MatrixXd whitening =
      Eigen::MatrixXd::NullaryExpr(4, 4, [&] { return spread * normal(bits); });
  const auto rounded = public_integers(whitening / 2048);
  task.whitening = rounded.integers;
  task.whitening_unit = rounded.unit;
  task.squared_reach = std::exp(2 * normal(bits));
  const auto predictor =
      public_integers(Eigen::MatrixXd::NullaryExpr(4, 1, [&] { return 3 * normal(bits); }) / 2048);
  task.predictor = predictor.integers.col(0);
  task.predictor_unit = predictor.unit;
}

/// `trials` neighbours of each adjacency and mean model, each at a matrix of its own.
void expect_within_the_bound(int trials) {
  RecordMaker make(5);
  std::mt19937_64 bits(6);
  const Record nothing{{0, 0, 2048}, 1};  // a record that lacks a value
  for (const auto mean : every_mean) {
    auto alone = task_of(mean);
    const auto doubled = shares_of(mean, Adjacency::replace_one);
    for (int trial = 0; trial < trials; ++trial) {
      if (trial > 0) redraw(alone, bits);
      auto replaced = alone;
      replaced.shares = doubled;
      const auto rest = make(mean);
      const auto record = make(mean);
      const auto other = make(mean);
      ASSERT_LE(neighbours_apart({rest, record}, {rest}, alone, Adjacency::add_remove), 1);
      ASSERT_LE(neighbours_apart({rest, record}, {rest, nothing}, alone, Adjacency::zero_out), 1);
      ASSERT_LE(neighbours_apart({rest, record}, {rest, other}, replaced, Adjacency::replace_one),
                2);
    }
  }
}

TEST(JointSum, NeighboursNeverMoveFurtherThanCertified) { expect_within_the_bound(2000); }
TEST(JointSumLong, NeighboursNeverMoveFurtherThanCertified) { expect_within_the_bound(100000); }

/// A task of one column whose whitened row is as long as the reach, at a predictor: longer rows
/// weigh so little that they add less.
JointTask corner(MeanModel mean, double eta, Adjacency adjacency) {
  JointTask task = task_of(mean, adjacency);
  task.design.columns = {{}};
  task.whitening = Eigen::MatrixXd::Constant(1, 1, 1);
  task.whitening_unit = std::sqrt(3.0) * (1 - 1e-9) / 2048;
  const auto predictor = public_integers(Eigen::MatrixXd::Constant(1, 1, eta / 2048));
  task.predictor = predictor.integers.col(0);
  task.predictor_unit = predictor.unit;
  return task;
}

// The corners of the joint bound: residuals of full size, where all is score and moment; and where
// curvature takes most, |z| at the reach. There .99 of the bound is reached, so that less
// noise would be too little.
TEST(JointSum, CornersOfTheBoundAreReached) {
  const Record positive{{0, 0, 0}, 1};
  const Record negative{{0, 0, 0}, -1};
  const auto full = corner(MeanModel::logistic, -30, Adjacency::add_remove);
  EXPECT_GE(neighbours_apart({positive}, {}, full, Adjacency::add_remove), .9999);
  double largest = 0;
  for (int step = 1; step < 100; ++step) {
    const double r = step / 100.0;
    const auto task = corner(MeanModel::logistic, std::log((1 - r) / r), Adjacency::add_remove);
    const double apart = neighbours_apart({positive}, {}, task, Adjacency::add_remove);
    EXPECT_LE(apart, 1);
    if (r > .3 && r < .9) largest = std::max(largest, apart);
  }
  EXPECT_GE(largest, .99);
  const auto linear = corner(MeanModel::identity, .4, Adjacency::add_remove);
  EXPECT_GE(neighbours_apart({positive}, {}, linear, Adjacency::zero_out),
            std::sqrt(1 - 300000.0 / residual_units) * .999);
  auto without_clip = linear;
  without_clip.predictor_unit *= 1.001;
  EXPECT_GE(neighbours_apart({positive}, {}, without_clip, Adjacency::zero_out), .99);
  // Replaced by its mirror image: scores are opposed, and matrices the same.
  const auto middle = corner(MeanModel::logistic, 0, Adjacency::replace_one);
  const double apart = neighbours_apart({positive}, {negative}, middle, Adjacency::replace_one);
  EXPECT_NEAR(apart, std::sqrt(JointShares::real(middle.shares.score)), 2e-3);
}

/// Two records that replace each other: rows that nearly are one, at the reach, whose predictors
/// are 30 and -30.
JointTask opposed_classes() {
  JointTask task = task_of(MeanModel::logistic, Adjacency::replace_one);
  task.design.columns = {{}, {{0}}};
  Eigen::Matrix2d whitening;
  whitening << std::sqrt(3.0) * (1 - 1e-4), 0, 0, .01;
  const auto rounded = public_integers(whitening / 2048);
  task.whitening = rounded.integers;
  task.whitening_unit = rounded.unit;
  const auto predictor = public_integers(Eigen::Vector2d(0, -30) / 2048);
  task.predictor = predictor.integers.col(0);
  task.predictor_unit = predictor.unit;
  return task;
}

// The farthest pairs under replace_one, of 2 that is certified (docs/proofs/inference.md): scores
// opposed on one line; for numbers one residual is cut, and has no curvature; where curvature has
// most, on lines that lean.
TEST(JointSum, ReplacedRecordsComeAsFarAsTheProofSays) {
  constexpr auto replaced = Adjacency::replace_one;
  const double certified = privacy::distance_factor(replaced);
  const auto expect_reached = [&](double apart) {
    EXPECT_LE(apart, certified);
    EXPECT_GE(apart, .99 * certified);
  };
  const auto numbers = corner(MeanModel::identity, 0, replaced);
  expect_reached(neighbours_apart({{{0, 0, 0}, 1}}, {{{0, 0, 0}, -.599}}, numbers, replaced));
  expect_reached(
      neighbours_apart({{{2048, 0, 0}, 1}}, {{{-2048, 0, 0}, -1}}, opposed_classes(), replaced));
  auto start = task_of(MeanModel::none, replaced);
  start.shares = {.score = 438304, .curvature = 1628961};  // .418 and 1.5535
  start.design.columns = {{{0}}, {{1}}};
  start.whitening = Eigen::MatrixXd::Identity(2, 2);
  start.whitening_unit = 1.0 / 2048;
  start.squared_reach = 1;
  start.predictor = Eigen::VectorXd::Zero(2);
  const Record leaning{{276, 2029, 0}, -1};
  expect_reached(neighbours_apart({{{2048, 0, 0}, 1}}, {leaning}, start, replaced));
}

// What the proof has of the integers of a record: the moment is the score's square, and the
// curvature lies along the score, up to roundings.
TEST(JointSum, PartsOfARecordLieOnOneLine) {
  RecordMaker make(19);
  std::mt19937_64 bits(20);
  const double off = std::sqrt(4.0) / 2048;
  int along = 0;
  for (const auto mean : every_mean) {
    auto task = task_of(mean, Adjacency::replace_one);
    for (int trial = 0; trial < 2000; ++trial) {
      if (trial > 0) redraw(task, bits);
      const auto sum = sum_of(make_dataset({make(mean)}), task, Adjacency::replace_one);
      const auto parts = joint_release(to_doubles(sum), task);
      const bool whole = mean == MeanModel::none || mean == MeanModel::logistic;
      const double bound = std::sqrt(task.squared_reach) * (whole ? 1 : task.response.cut);
      const Eigen::VectorXd score = parts.score / bound;
      const Eigen::MatrixXd square = parts.moment / (bound * bound);
      ASSERT_LE((square - score * score.transpose()).norm(), 2 * off * 1.001);
      if (score.norm() < .1) continue;
      const double each = task.squared_reach * (mean == MeanModel::logistic  ? .25
                                                : mean == MeanModel::poisson ? 1.1
                                                                             : 1);
      const Eigen::VectorXd line = score.normalized();
      const Eigen::MatrixXd curvature = parts.curvature / each;
      const double projected = line.dot(curvature * line);
      ASSERT_LE((curvature - projected * line * line.transpose()).norm(),
                std::sqrt(2.0) * off * 1.001);
      along += projected > .1 ? 1 : 0;
    }
  }
  EXPECT_GT(along, 500);
}

}  // namespace joint_neighbours_test
}  // namespace tacet::optimize
