#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tacet/learn/inference/inference_run.h"
#include "tacet/privacy/trusting_budget.h"

/// For tests: records drawn from a regression whose coefficients are known, the fit of method
/// inference, and the estimate without privacy.
namespace tacet::test {

/// A third of the columns are rare indicators, the others clipped normal numbers; correlated by
/// `rho` below both.
class SimulatedRegression {
 public:
  SimulatedRegression(optimize::MeanModel mean, std::int64_t rows, int slopes, double rho)
      : mean_(mean), rows_(rows), slopes_(slopes), rho_(rho) {
    indicators_ = std::max(1, static_cast<int>(std::lround(.27 * slopes)));
    truth = Eigen::VectorXd::Zero(slopes + 1);
    for (int k = 0; k < slopes; ++k) {
      const bool indicator = k >= slopes - indicators_;
      truth[k + 1] = indicator ? ((k - slopes + indicators_) % 2 == 0 ? .6 : 0)
                               : (k % 3 == 2 ? 0 : (k % 2 == 0 ? 1 : -.7));
    }
    std::mt19937_64 bits(1);
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < 20000; ++i) {
      const double eta = truth.dot(row(bits));
      sum += eta;
      squares += eta * eta;
    }
    const double stddev = std::sqrt(squares / 20000 - std::pow(sum / 20000, 2));
    const bool logistic = mean == optimize::MeanModel::logistic;
    truth *= (logistic ? 1.2 : .14) / stddev;
    truth[0] = logistic ? -1 : .05;
  }

  [[nodiscard]] data::Dataset draw(std::uint64_t seed) const {
    std::mt19937_64 bits(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    data::Dataset records({.columns = slopes_ + 1,
                           .norm_bound = std::sqrt(slopes_ + 1.0),
                           .storage = data::Storage::dense});
    std::vector<std::int16_t> stored(static_cast<std::size_t>(slopes_) + 1);
    for (std::int64_t i = 0; i < rows_; ++i) {
      const Eigen::VectorXd x = row(bits);
      for (std::size_t k = 0; k < stored.size(); ++k) {
        stored[k] = static_cast<std::int16_t>(
            std::lround(x[static_cast<Eigen::Index>(k)] * data::Dataset::feature_scale));
      }
      const double eta = truth.dot(x);
      const double label = mean_ == optimize::MeanModel::logistic
                               ? (uniform(bits) < 1 / (1 + std::exp(-eta)) ? 1 : -1)
                               : std::clamp(eta + .14 * normal(bits), -1.0, 1.0);
      records.append_dense(stored, label);
    }
    return records;
  }

  [[nodiscard]] learn::InferenceSetup setup(
      double epsilon, privacy::Adjacency adjacency = privacy::Adjacency::add_remove) const {
    learn::InferenceSetup made;
    made.design.mean = mean_;
    made.design.design.columns.emplace_back();
    made.design.names.emplace_back("(intercept)");
    for (int k = 1; k <= slopes_; ++k) {
      made.design.design.columns.push_back({{static_cast<std::uint32_t>(k)}});
      made.design.names.push_back("x" + std::to_string(k));
    }
    made.design.originals = Eigen::MatrixXd::Identity(slopes_ + 1, slopes_ + 1);
    made.options = {.epsilon = epsilon, .delta = 1e-6, .adjacency = adjacency, .rows = rows_};
    made.facts = learn::regression_facts(made.options, mean_, slopes_ + 1);
    made.noise =
        learn::inference_noise(made.options, made.facts, learn::forecast(made.facts).steps);
    return made;
  }

  Eigen::VectorXd truth;

 private:
  [[nodiscard]] Eigen::VectorXd row(std::mt19937_64& bits) const {
    std::normal_distribution<double> normal;
    const double common = normal(bits);
    Eigen::VectorXd x(slopes_ + 1);
    x[0] = 1;
    for (int k = 1; k <= slopes_; ++k) {
      const double value = std::sqrt(1 - rho_) * normal(bits) + std::sqrt(rho_) * common;
      x[k] = k > slopes_ - indicators_ ? (value > 1.6449 ? 1 : 0) : std::clamp(.4 * value, -1., 1.);
    }
    return x;
  }

  optimize::MeanModel mean_;
  std::int64_t rows_;
  int slopes_;
  double rho_;
  int indicators_ = 0;
};

inline learn::RegressionEstimate fit(const data::Dataset& records,
                                     const learn::InferenceSetup& setup, std::uint64_t seed,
                                     int threads = 1) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(setup.options.adjacency);
  auto reservation =
      budget.reserve(learn::releases(setup.noise),
                     {setup.options.epsilon, setup.options.delta, setup.options.adjacency});
  base::ThreadPool pool(threads);
  return learn::run_inference(records, setup, {source, reservation, pool});
}

/// Standard errors of the estimate of least squares, or of largest likelihood, by the sandwich.
struct PlainFit {
  Eigen::VectorXd coefficients;
  Eigen::VectorXd standard_errors;
};

inline PlainFit plain_fit(const data::Dataset& records, optimize::MeanModel mean) {
  const auto columns = records.columns();
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(columns);
  Eigen::MatrixXd curvature;
  Eigen::MatrixXd moment;
  for (int step = 0; step < 9; ++step) {
    curvature = moment = Eigen::MatrixXd::Zero(columns, columns);
    Eigen::VectorXd score = Eigen::VectorXd::Zero(columns);
    Eigen::VectorXd x(columns);
    for (std::int64_t i = 0; i < records.rows(); ++i) {
      const auto stored = records.dense_row(i);
      for (Eigen::Index k = 0; k < columns; ++k)
        x[k] = stored[static_cast<std::size_t>(k)] / 2048.0;
      const double eta = theta.dot(x);
      const bool logistic = mean == optimize::MeanModel::logistic;
      const double p = 1 / (1 + std::exp(-eta));
      const double r = logistic ? (records.label(i) > 0 ? 1 : 0) - p : records.label(i) - eta;
      score += r * x;
      curvature.noalias() += (logistic ? p * (1 - p) : 1) * x * x.transpose();
      moment.noalias() += r * r * x * x.transpose();
    }
    const Eigen::LDLT<Eigen::MatrixXd> solved(curvature);
    theta += solved.solve(score);
    if (mean == optimize::MeanModel::identity && step == 1) break;
  }
  const Eigen::MatrixXd inverse =
      curvature.ldlt().solve(Eigen::MatrixXd::Identity(columns, columns));
  return {theta, (inverse * moment * inverse).diagonal().cwiseSqrt()};
}

}  // namespace tacet::test
