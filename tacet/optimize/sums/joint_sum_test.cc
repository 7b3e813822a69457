#include "tacet/optimize/sums/joint_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/scaled_distance.h"

namespace tacet::optimize {
namespace joint_sum_test {

using data::Dataset;
using data::Storage;
using privacy::Adjacency;

struct Record {
  std::vector<std::int16_t> features;
  double label;
};
using Records = std::vector<Record>;

Dataset make_dataset(const Records& records, Storage storage = Storage::dense) {
  Dataset dataset({.columns = 3, .norm_bound = 2, .storage = storage});
  for (const auto& record : records) dataset.append_dense(record.features, record.label);
  return dataset;
}

std::vector<std::int64_t> integers(const privacy::WeightedSum& sum) {
  const auto values = sum.open(mechanism::AccessKeys::key());
  return {values.begin(), values.end()};
}

privacy::WeightedSum sum_of(const Dataset& dataset, const JointTask& task,
                            Adjacency adjacency = Adjacency::add_remove, int threads = 1) {
  base::ThreadPool pool(threads);
  return joint_sum(dataset, task, adjacency, pool);
}

constexpr std::int64_t moment = residual_units / 20;

JointShares shares_of(MeanModel mean, Adjacency adjacency) {
  const bool replaced = adjacency == Adjacency::replace_one;
  JointShares shares{.score = replaced ? residual_units : residual_units - moment,
                     .moment = replaced ? 2 * moment : moment};
  if (mean == MeanModel::logistic) {
    shares.curvature = logistic_curvature_share(shares.score, shares.moment, adjacency);
  } else if (mean == MeanModel::poisson) {
    shares.curvature = 300000;
  } else if (replaced) {
    shares = {
        .score = residual_units - 150000, .curvature = 600000, .moment = 100000, .squares = 100000};
  } else {
    shares = {
        .score = residual_units - 400000, .curvature = 300000, .moment = 50000, .squares = 50000};
  }
  return shares;
}

/// A whitening without symmetry, the first two columns, their product and the constant.
JointTask task_of(MeanModel mean, Adjacency adjacency = Adjacency::add_remove) {
  JointTask task;
  task.design.columns = {{}, {{0}}, {{1}}, {{0, 1}}};
  task.design.absent = {2};
  Eigen::MatrixXd whitening(4, 4);
  whitening << 1.1, .2, 0, -.3, .4, 2.5, .1, 0, 0, .3, 1.9, .7, .2, 0, -.6, 1.2;
  const auto rounded = public_integers(whitening / 2048);
  task.whitening = rounded.integers;
  task.whitening_unit = rounded.unit;
  task.squared_reach = 3;
  const auto predictor = public_integers(Eigen::Vector4d(-.4, .8, -.5, .3) / 2048);
  task.predictor = predictor.integers.col(0);
  task.predictor_unit = predictor.unit;
  task.response = {.mean = mean, .cut = mean == MeanModel::poisson ? 7.0 : .6};
  if (mean == MeanModel::poisson) {
    task.response.largest = 20;
    task.response.curvature_bound = 1.1;
  }
  task.shares = shares_of(mean, adjacency);
  return task;
}

class RecordMaker {
 public:
  explicit RecordMaker(std::uint64_t seed) : bits_(seed) {}
  Record operator()(MeanModel mean) {
    const auto value = [&] {
      const auto kind = bits_() % 4;
      if (kind == 0) return std::int16_t{0};
      if (kind == 1) return static_cast<std::int16_t>(bits_() % 2 == 0 ? 2048 : -2048);
      return static_cast<std::int16_t>(static_cast<int>(bits_() % 4097) - 2048);
    };
    const auto absent = static_cast<std::int16_t>(bits_() % 9 == 0 ? 2048 : 0);
    Record record{{value(), value(), absent}, 0};
    const double uniform = static_cast<double>(bits_() % 4097) / 2048 - 1;
    record.label = mean == MeanModel::logistic  ? (bits_() % 3 == 0 ? 1 : -1)
                   : mean == MeanModel::poisson ? static_cast<double>(bits_() % 21) / 20
                                                : uniform;
    return record;
  }
  Records records(std::size_t count, MeanModel mean) {
    Records made;
    for (std::size_t i = 0; i < count; ++i) made.push_back((*this)(mean));
    return made;
  }
  std::uint64_t bits() { return bits_(); }

 private:
  std::mt19937_64 bits_;
};

constexpr auto every_mean = {MeanModel::none, MeanModel::identity, MeanModel::logistic,
                             MeanModel::poisson};

/// The sums in real numbers, by their definition.
JointRelease literal(const Records& records, const JointTask& task) {
  JointRelease sums{Eigen::VectorXd::Zero(4), Eigen::MatrixXd::Zero(4, 4),
                    Eigen::MatrixXd::Zero(4, 4), 0};
  const Eigen::MatrixXd whitening = task.whitening * task.whitening_unit * 2048;
  const Eigen::VectorXd theta = task.predictor * task.predictor_unit * 2048;
  for (const auto& record : records) {
    if (record.features[2] != 0) continue;
    const double a = record.features[0] / 2048.0;
    const double b = record.features[1] / 2048.0;
    const Eigen::Vector4d x(1, a, b, std::round(2048 * a * b) / 2048);
    const Eigen::VectorXd z = whitening * x;
    const double eta = theta.dot(x);
    const double w = std::min(1.0, task.squared_reach / z.squaredNorm());
    double r = record.label;
    double h = 1;
    double counted = 1;  // the weight of a count of large curvature
    if (task.response.mean == MeanModel::identity) {
      h = std::abs(r - eta) < .6 ? 1 : 0;
      r = std::clamp(r - eta, -.6, .6);
    } else if (task.response.mean == MeanModel::logistic) {
      const double p = 1 / (1 + std::exp(-eta));
      r = (r > 0 ? 1 : 0) - p;
      h = p * (1 - p);
    } else if (task.response.mean == MeanModel::poisson) {
      const double m = std::min(std::exp(eta), 7.0);
      double below = 0;
      double mean = 0;
      double probability = std::exp(-m);
      for (int k = 0; k < 7; ++k, probability *= m / k) {
        below += probability;
        mean += k * probability;
      }
      h = m * below;
      counted = std::min(1.0, 1.1 / h);
      r = counted * (std::min(std::round(20 * r), 7.0) - (mean + 7 * (1 - below)));
      h *= counted;
    }
    sums.score += w * r * z;
    sums.curvature += w * h * z * z.transpose();
    sums.moment += w * w * r * r * z * z.transpose();
    sums.squares += w * r * r;
  }
  return sums;
}

std::vector<double> as_reals(const privacy::WeightedSum& sum) {
  const auto values = integers(sum);
  return {values.begin(), values.end()};
}

TEST(JointSum, IsTheSumOfItsDefinition) {
  for (const auto mean : every_mean) {
    RecordMaker make(11);
    const auto records = make.records(3000, mean);
    const auto task = task_of(mean);
    const auto found = joint_release(as_reals(sum_of(make_dataset(records), task)), task);
    const auto expected = literal(records, task);
    EXPECT_LT((found.score - expected.score).norm(), 2e-4 * 3000 * .01);
    // Rows of 2^11 units: an entry errs by about its length over them.
    EXPECT_LT((found.curvature - expected.curvature).norm(), 1e-3 * expected.curvature.norm());
    EXPECT_LT((found.moment - expected.moment).norm(), 1e-3 * expected.moment.norm());
    if (task.shares.squares > 0) {
      EXPECT_NEAR(found.squares, expected.squares, 1e-3);
    }
    EXPECT_GT(expected.score.norm(), 20);
  }
}

TEST(JointSum, HasTheSameBitsWhateverTheStorageAndTheThreads) {
  for (const auto mean : every_mean) {
    RecordMaker make(12);
    const auto records = make.records(9001, mean);
    const auto task = task_of(mean);
    const auto expected = integers(sum_of(make_dataset(records), task));
    for (const auto storage : {Storage::dense, Storage::sparse}) {
      for (const int threads : {1, 2, 5}) {
        ASSERT_EQ(
            integers(sum_of(make_dataset(records, storage), task, Adjacency::add_remove, threads)),
            expected);
      }
    }
  }
}

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
      const auto parts = joint_release(as_reals(sum), task);
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

TEST(JointSum, NoiseIsThatOfTheSharesAndSymmetricMatrices) {
  constexpr int releases = 4000;
  const auto task = task_of(MeanModel::identity);
  const auto noise = joint_noise(task, Adjacency::add_remove);
  const double reach = std::sqrt(3.0);
  EXPECT_NEAR(noise.score, reach * .6 / std::sqrt(JointShares::real(task.shares.score)), 1e-9);
  EXPECT_NEAR(noise.curvature, 3 / std::sqrt(JointShares::real(task.shares.curvature)), 1e-9);
  EXPECT_NEAR(noise.moment, 3 * .36 / std::sqrt(JointShares::real(task.shares.moment)), 1e-9);
  EXPECT_NEAR(noise.squares, .36 / std::sqrt(JointShares::real(task.shares.squares)), 1e-9);
  privacy::TrustingBudget budget(Adjacency::add_remove);
  auto reservation = budget.reserve(privacy::Repeated{releases, privacy::Gaussian{2}},
                                    {1, 1e-6, Adjacency::add_remove});
  random::SeededSource source(77);
  const auto dataset = make_dataset({});
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(6);
  double together = 0;
  for (int t = 0; t < releases; ++t) {
    const auto released =
        mechanism::release_gaussian(sum_of(dataset, task), privacy::NoiseMultiplier(2),
                                    {{.step = static_cast<std::uint64_t>(t)}, source, reservation});
    const auto parts = joint_release(released.value(), task);
    Eigen::VectorXd each(6);
    each << parts.score[1] / noise.score, parts.curvature(2, 2) / noise.curvature,
        parts.curvature(0, 3) / noise.curvature * std::sqrt(2), parts.moment(1, 1) / noise.moment,
        parts.moment(1, 2) / noise.moment * std::sqrt(2), parts.squares / noise.squares;
    squares += (each / 2).cwiseAbs2();
    together += each[0] * each[1] / 4 + each[2] * each[4] / 4;
  }
  // 6.7 standard errors of seven means: false alarm 2e-10.
  for (const double square : squares)
    EXPECT_NEAR(square / releases, 1, 6.7 * std::sqrt(2.0 / releases));
  EXPECT_NEAR(together / releases, 0, 6.7 * std::sqrt(2.0 / releases));
}

// What is certified and what the estimate's law is told are the same, larger by the rounding.
TEST(JointSum, NoiseOfReplacedRecordsAllowsForRounding) {
  for (const auto mean : every_mean) {
    const auto task = task_of(mean, Adjacency::replace_one);
    const auto told = joint_noise(task, Adjacency::replace_one);
    const auto plain = joint_noise(task, Adjacency::add_remove);
    const double allowance = rounding_allowance(task.shares, Adjacency::replace_one, 4);
    EXPECT_GT(allowance, 1.0005);
    EXPECT_NEAR(told.score / plain.score, allowance, 1e-12);
    EXPECT_NEAR(told.curvature / plain.curvature, allowance, 1e-12);
    EXPECT_NEAR(told.moment / plain.moment, allowance, 1e-12);
    const auto sum = sum_of(make_dataset({}), task, Adjacency::replace_one);
    const double score = 0x1p24 / std::sqrt(JointShares::real(task.shares.score));
    EXPECT_NEAR(sum.blocks()[0].scale / score, allowance, 1e-12);
    const double curvature = 0x1p22 / std::sqrt(JointShares::real(task.shares.curvature));
    EXPECT_NEAR(sum.blocks()[1].scale / curvature, allowance, 1e-12);
    EXPECT_NEAR(sum.blocks()[2].scale / curvature, allowance * std::sqrt(.5), 1e-12);
  }
}

TEST(JointSum, LargestMultiplierIsWhatTheSamplerHolds) {
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    for (const auto mean : every_mean) {
      const auto task = task_of(mean, adjacency);
      const double largest = largest_joint_multiplier(task.shares, adjacency, task.columns());
      double widest = 0;
      const auto sum = sum_of(make_dataset({}), task, adjacency);
      for (const auto& block : sum.blocks()) {
        widest = std::max(widest, block.scale * largest);
      }
      EXPECT_LE(widest, 0x1p32);
      EXPECT_GT(widest, 0x1p31);
      EXPECT_GT(largest, 100);
    }
  }
}

TEST(JointSum, RefusesSharesAndMatricesThatMakeNoSense) {
  const auto dataset = make_dataset({});
  auto task = task_of(MeanModel::logistic);
  task.shares.score += 1;
  EXPECT_THROW(static_cast<void>(sum_of(dataset, task)), base::UsageError);
  task = task_of(MeanModel::logistic);
  task.squared_reach = 0;
  EXPECT_THROW(static_cast<void>(sum_of(dataset, task)), base::UsageError);
  task = task_of(MeanModel::logistic);
  task.whitening(1, 1) += .5;
  EXPECT_THROW(static_cast<void>(sum_of(dataset, task)), base::InternalError);
  task = task_of(MeanModel::logistic);
  task.whitening(1, 1) = 0x1p42;
  EXPECT_THROW(static_cast<void>(sum_of(dataset, task)), base::InternalError);
  for (const double cut : {701.0, 5.5}) {
    task = task_of(MeanModel::poisson);
    task.response.cut = cut;
    EXPECT_THROW(static_cast<void>(sum_of(dataset, task)), base::UsageError);
  }
}

// Wherever it stands, beside numbers that are larger or smaller.
TEST(JointSum, AMatrixWithoutAllItsNumbersIsRefused) {
  for (const double none : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (Eigen::Index at = 0; at < 9; ++at) {
      Eigen::MatrixXd matrix = 1e9 * Eigen::MatrixXd::Identity(3, 3);
      matrix(at / 3, at % 3) = none;
      EXPECT_THROW(static_cast<void>(public_integers(matrix)), base::NumericError);
    }
  }
}

}  // namespace joint_sum_test
}  // namespace tacet::optimize
