// An audit of the whole fit: few records and one that sticks out, told apart by all that is
// published. The single releases have audits of their own (optimize/sums/joint_sum_audit_test.cc).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/audit/evidence.h"
#include "tacet/learn/inference/inference_run.h"
#include "tests/support/simulated_regression.h"

namespace tacet::learn {
namespace inference_audit_test {

using optimize::MeanModel;
using enum privacy::Adjacency;

// So that coefficients are identified with little noise: else they say nothing of a record.
constexpr std::int64_t rows = 60;

struct Pair {
  MeanModel mean;
  privacy::Adjacency adjacency;
  bool outlier_replaced;  ///< by its opposite; else it is there or not
};

data::Dataset records_of(const Pair& pair, bool first) {
  data::Dataset records({.columns = 2, .norm_bound = 2, .storage = data::Storage::dense});
  const bool classes = pair.mean == MeanModel::logistic;
  for (int i = 0; i < rows; ++i) {
    const std::int16_t x = i % 2 == 0 ? 1500 : -1500;
    records.append_dense(std::vector<std::int16_t>{2048, x},
                         classes ? (i % 3 == 0 ? 1 : -1) : (i % 3 - 1) * .05);
  }
  if (first || pair.outlier_replaced) {
    records.append_dense(std::vector<std::int16_t>{2048, 2048}, first ? 1 : -1);
  }
  return records;
}

/// What is published of a fit, as numbers of ordinary size.
Eigen::VectorXd published(const RegressionEstimate& estimate) {
  const auto size = [](double variance) { return std::log(1e-6 + std::max(variance, 0.0)); };
  Eigen::VectorXd found(8);
  found << std::atan(estimate.coefficients[0]), std::atan(estimate.coefficients[1]),
      size(estimate.sampling(0, 0)), size(estimate.sampling(1, 1)), size(estimate.noise(0, 0)),
      size(estimate.noise(1, 1)), estimate.residual_stddev, estimate.weak.trace();
  return found;
}

std::vector<Eigen::VectorXd> fits(const Pair& pair, const InferenceSetup& setup, bool first,
                                  int runs) {
  const auto records = records_of(pair, first);
  std::vector<Eigen::VectorXd> found;
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(2 * run + (first ? 1 : 0));
    found.push_back(published(test::fit(records, setup, seed)));
  }
  return found;
}

/// The direction in which the first halves of the runs differ most (Fisher 1936).
Eigen::VectorXd discriminant(const std::vector<Eigen::VectorXd>& ones,
                             const std::vector<Eigen::VectorXd>& others) {
  const auto half = ones.size() / 2;
  const auto size = ones[0].size();
  Eigen::MatrixXd spread = 1e-9 * Eigen::MatrixXd::Identity(size, size);
  Eigen::VectorXd apart = Eigen::VectorXd::Zero(size);
  for (const auto* side : {&ones, &others}) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(size);
    for (std::size_t i = 0; i < half; ++i) mean += (*side)[i] / static_cast<double>(half);
    for (std::size_t i = 0; i < half; ++i) {
      spread += ((*side)[i] - mean) * ((*side)[i] - mean).transpose() / static_cast<double>(half);
    }
    apart += side == &ones ? mean : -mean;
  }
  return spread.ldlt().solve(apart);
}

/// The largest mu of a Gaussian pair that both error rates refute, by exact binomial bounds at
/// level 1e-9 each, on the second halves of the runs, with a threshold of the first.
double audited_mu(const Pair& pair, const InferenceSetup& setup, int runs) {
  const auto ones = fits(pair, setup, true, runs);
  const auto others = fits(pair, setup, false, runs);
  const Eigen::VectorXd weights = discriminant(ones, others);
  const auto half = ones.size() / 2;
  double threshold = 0;
  for (std::size_t i = 0; i < half; ++i) {
    threshold += weights.dot(ones[i] + others[i]) / (2 * static_cast<double>(half));
  }
  std::int64_t misses = 0;
  std::int64_t alarms = 0;
  for (std::size_t i = half; i < ones.size(); ++i) {
    misses += weights.dot(ones[i]) <= threshold ? 1 : 0;
    alarms += weights.dot(others[i]) > threshold ? 1 : 0;
  }
  const auto trials = static_cast<std::int64_t>(ones.size() - half);
  return audit::mu_refuted({{alarms, trials}, {misses, trials}}, 2e-9);
}

void audit(int runs) {
  for (const Pair& pair :
       {Pair{MeanModel::identity, add_remove, false}, Pair{MeanModel::logistic, add_remove, false},
        Pair{MeanModel::identity, replace_one, true},
        Pair{MeanModel::logistic, replace_one, true}}) {
    SCOPED_TRACE(
        fmt::format("mean {}, {}", static_cast<int>(pair.mean), to_string(pair.adjacency)));
    const test::SimulatedRegression regression(pair.mean, rows, 1, 0);
    auto setup = regression.setup(4, pair.adjacency);
    const double stated = setup.facts.mu * privacy::distance_factor(pair.adjacency);
    EXPECT_LE(audited_mu(pair, setup, runs), stated);
    // A tenth of the noise in all releases shows: the budget of the test lets it pass.
    auto& noise = setup.noise;
    noise.start /= 10;
    for (auto& step : noise.steps) step /= 10;
    noise.last /= 10;
    setup.options.epsilon = 1e4;
    EXPECT_GT(audited_mu(pair, setup, runs), stated);
  }
}

TEST(InferenceAudit, AFitStaysBelowTheClaimAndMissingNoiseShows) { audit(600); }

TEST(InferenceAuditLong, FrequenciesOfManyFits) { audit(20000); }

}  // namespace inference_audit_test
}  // namespace tacet::learn
