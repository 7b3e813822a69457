#include "tacet/learn/coefficient_noise.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Regressing the pull on the place of a path that hardly returns overstates the pull, by one and a
// half standard errors where there is none at all (Dickey, Fuller 1979).
constexpr double regression_bias = 2;

// The response to noise as a function of the curvature, tabulated once: 0, then a geometric grid.
// Between grid points it is interpolated linearly, which overstates a convex decreasing function.
class ResponseTable {
 public:
  explicit ResponseTable(const DescentLaw& law) {
    constexpr int points = 120;
    constexpr double smallest = 1e-7;  // in units of the curvature bound
    curvature_.push_back(0);
    for (int i = 0; i < points; ++i) {
      curvature_.push_back(law.curvature * std::pow(smallest, 1 - i / (points - 1.0)));
    }
    for (const double h : curvature_) response_.push_back(noise_response(law, h));
  }

  [[nodiscard]] double average_variance(double h) const {
    const double clamped = std::clamp(h, 0.0, curvature_.back());
    const auto right = std::ranges::upper_bound(curvature_, clamped) - curvature_.begin();
    const auto i =
        static_cast<std::size_t>(std::min<std::ptrdiff_t>(right, std::ssize(curvature_) - 1));
    const double share = (clamped - curvature_[i - 1]) / (curvature_[i] - curvature_[i - 1]);
    return response_[i - 1].average_variance * (1 - share) + response_[i].average_variance * share;
  }

  // The variance at the largest curvature whose spread is still at least `spread`.
  [[nodiscard]] double average_variance_at_spread(double spread) const {
    for (std::size_t i = 1; i < response_.size(); ++i) {
      if (response_[i].spread >= spread) continue;
      const double range = response_[i - 1].spread - response_[i].spread;
      const double share =
          range > 0 ? std::clamp((response_[i - 1].spread - spread) / range, 0.0, 1.0) : 0;
      return response_[i - 1].average_variance * (1 - share) +
             response_[i].average_variance * share;
    }
    return response_.back().average_variance;
  }

 private:
  std::vector<double> curvature_;
  std::vector<NoiseResponse> response_;
};

}  // namespace

NoiseResponse noise_response(const DescentLaw& law, double h) {
  const auto steps = static_cast<std::size_t>(law.steps);
  const auto averaged = static_cast<std::size_t>(law.averaged);
  // total[t]: sum of the iterates up to t, in answer to a unit of noise in the first step.
  std::vector<double> total(steps + 1, 0);
  std::vector<double> square(steps + 1, 0);
  double weight = 0;
  double velocity = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    velocity = law.momentum * velocity - law.step_size * (h * weight + (t == 0 ? 1 : 0));
    weight += velocity;
    total[t + 1] = total[t] + weight;
    square[t + 1] = square[t] + weight * weight;
  }
  const double window = static_cast<double>(averaged);
  NoiseResponse response{0, 0};
  for (std::size_t k = 0; k < steps; ++k) {  // noise of step k
    const std::size_t from = steps - averaged > k ? steps - averaged - k : 0;
    const double mean = (total[steps - k] - total[from]) / window;
    response.average_variance += mean * mean;
  }
  double mean_square = 0;
  for (std::size_t t = steps - averaged; t < steps; ++t) mean_square += square[t + 1] / window;
  response.spread = std::max(0.0, mean_square - response.average_variance);
  return response;
}

IterateTrace::IterateTrace(std::int64_t columns, const DescentLaw& law)
    : columns_(columns), law_(law) {
  if (law.steps < 1 || law.averaged < 1 || law.averaged > law.steps) {
    throw base::InternalError("the averaged iterates must be among the steps");
  }
  const auto size = static_cast<std::size_t>(columns);
  if (regresses()) {
    iterates_.reserve(size * static_cast<std::size_t>(law.steps));
    gradients_.reserve(size * static_cast<std::size_t>(law.steps));
  } else {
    window_mean_.assign(size, 0);
    window_square_.assign(size, 0);
  }
}

void IterateTrace::record(std::span<const double> before, std::span<const double> gradient,
                          std::span<const double> after) {
  ++recorded_;
  if (regresses()) {
    iterates_.insert(iterates_.end(), before.begin(), before.end());
    gradients_.insert(gradients_.end(), gradient.begin(), gradient.end());
    return;
  }
  const std::int64_t seen = recorded_ - (law_.steps - law_.averaged);
  if (seen < 1) return;
  for (std::size_t j = 0; j < after.size(); ++j) {  // Welford's update
    const double gap = after[j] - window_mean_[j];
    window_mean_[j] += gap / static_cast<double>(seen);
    window_square_[j] += gap * (after[j] - window_mean_[j]);
  }
}

bool IterateTrace::regresses() const {
  constexpr std::int64_t most_numbers = std::int64_t{1} << 25;  // 256 MB for each of the two lists
  constexpr std::int64_t most_columns = 1000;
  return law_.steps >= 2 * columns_ && columns_ <= most_columns &&
         law_.steps * columns_ <= most_numbers;
}

std::vector<double> IterateTrace::deviations() const {
  if (recorded_ != law_.steps) throw base::InternalError("the trace of iterates is incomplete");
  return regresses() ? by_regression() : by_spread();
}

std::vector<double> IterateTrace::by_regression() const {
  const Eigen::Index rows = law_.steps;
  const Eigen::Index columns = columns_;
  Matrix x = Eigen::Map<const Matrix>(iterates_.data(), rows, columns);
  Matrix y = Eigen::Map<const Matrix>(gradients_.data(), rows, columns);
  x.rowwise() -= x.colwise().mean().eval();
  y.rowwise() -= y.colwise().mean().eval();
  Eigen::MatrixXd gram = x.transpose() * x;
  gram.diagonal().array() += 1e-12 * gram.diagonal().maxCoeff() + 1e-300;
  const Eigen::LDLT<Eigen::MatrixXd> solver(gram);
  const Eigen::MatrixXd answer = solver.solve(x.transpose() * y);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum((answer + answer.transpose()) / 2);
  const ResponseTable table(law_);
  Eigen::VectorXd variance = Eigen::VectorXd::Zero(columns);
  for (Eigen::Index k = 0; k < columns; ++k) {
    const Eigen::VectorXd direction = spectrum.eigenvectors().col(k);
    const double error = regression_bias * law_.noise_deviation *
                         std::sqrt(std::max(0.0, direction.dot(solver.solve(direction))));
    const double curvature = std::max(0.0, spectrum.eigenvalues()[k] - error);
    variance += table.average_variance(curvature) * direction.cwiseAbs2();
  }
  std::vector<double> deviations;
  for (Eigen::Index j = 0; j < columns; ++j) {
    deviations.push_back(law_.noise_deviation * std::sqrt(variance[j]));
  }
  return deviations;
}

std::vector<double> IterateTrace::by_spread() const {
  constexpr double inflation = 3;  // one path's spread varies by about this factor
  const ResponseTable table(law_);
  const double noise = law_.noise_deviation * law_.noise_deviation;
  std::vector<double> deviations;
  for (const double square : window_square_) {
    const double spread = inflation * square / static_cast<double>(law_.averaged) / noise;
    deviations.push_back(law_.noise_deviation *
                         std::sqrt(table.average_variance_at_spread(spread)));
  }
  return deviations;
}

}  // namespace tacet::learn
