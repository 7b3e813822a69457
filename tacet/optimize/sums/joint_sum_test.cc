#include "tacet/optimize/sums/joint_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/joint_records.h"

namespace tacet::optimize {
namespace joint_sum_test {

using data::Storage;
using privacy::Adjacency;
using test::joint::every_mean;
using test::joint::integers;
using test::joint::make_dataset;
using test::joint::RecordMaker;
using test::joint::Records;
using test::joint::sum_of;
using test::joint::task_of;
using test::joint::to_doubles;

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

TEST(JointSum, IsTheSumOfItsDefinition) {
  for (const auto mean : every_mean) {
    RecordMaker make(11);
    const auto records = make.records(3000, mean);
    const auto task = task_of(mean);
    const auto found = joint_release(to_doubles(sum_of(make_dataset(records), task)), task);
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
