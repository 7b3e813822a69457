#include "tacet/learn/plan/coefficient_noise.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The eigenvalues of a symmetric matrix that was estimated with errors lie farther apart than the
/// true ones: the k-th is moved by the sum over j of v_kj / (l_k - l_j), where v is the variance of
/// the matrix element between the two eigenvectors (second-order perturbation theory). That is
/// undone here. Eigenvalues that are close to each other move by at most their errors.
Eigen::VectorXd drawn_together(const Eigen::VectorXd& eigenvalues,
                               const Eigen::VectorXd& variances) {
  Eigen::VectorXd result = eigenvalues;
  for (Eigen::Index k = 0; k < eigenvalues.size(); ++k) {
    for (Eigen::Index j = 0; j < eigenvalues.size(); ++j) {
      if (j == k) continue;
      const double variance = (variances[k] + variances[j]) / 4;
      const double apart = eigenvalues[k] - eigenvalues[j];
      if (variance > 0) result[k] -= variance * apart / (apart * apart + variance);
    }
  }
  return result;
}

/// If a path hardly returns, the regression of the pull on the place overstates the pull (Dickey,
/// Fuller 1979). Over n steps that keep all but a share of their movement, it does so by a few over
/// n, and more with many columns. The factor was found by simulation (coefficient_noise_test.cc).
double regression_bias(const DescentLaw& law, std::int64_t columns) {
  constexpr double a_column = 0.65;
  return a_column * static_cast<double>(columns + 3) * (1 - law.momentum) /
         (law.step_size * static_cast<double>(law.steps));
}

// The response to noise as a function of the curvature, in a table: 0, then a geometric grid.
// Linear interpolation between grid points is never too small, since the function is convex and
// decreasing.
class ResponseTable {
 public:
  explicit ResponseTable(const DescentLaw& law) {
    constexpr int points = 120;
    constexpr double smallest = 1e-7;  // in units of the curvature bound
    curvature_.push_back(0);
    for (int i = 0; i < points; ++i) {
      curvature_.push_back(law.curvature * std::pow(smallest, 1 - i / (points - 1.0)));
    }
    for (const double h : curvature_) response_.push_back(averaged_variance(law, h));
  }

  [[nodiscard]] double at(double h) const {
    const double clamped = std::clamp(h, 0.0, curvature_.back());
    const auto right = std::ranges::upper_bound(curvature_, clamped) - curvature_.begin();
    const auto i =
        static_cast<std::size_t>(std::min<std::ptrdiff_t>(right, std::ssize(curvature_) - 1));
    const double share = (clamped - curvature_[i - 1]) / (curvature_[i] - curvature_[i - 1]);
    return response_[i - 1] * (1 - share) + response_[i] * share;
  }
  [[nodiscard]] double largest() const { return *std::ranges::max_element(response_); }

 private:
  std::vector<double> curvature_;
  std::vector<double> response_;
};

}  // namespace

double averaged_variance(const DescentLaw& law, double h) {
  const auto steps = static_cast<std::size_t>(law.steps);
  const auto averaged = static_cast<std::size_t>(law.averaged);
  // total[t]: the sum of the iterates up to t in response to a unit of noise in the first step.
  std::vector<double> total(steps + 1, 0);
  double weight = 0;
  double velocity = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    velocity = law.momentum * velocity - law.step_size * (h * weight + (t == 0 ? 1 : 0));
    weight += velocity;
    total[t + 1] = total[t] + weight;
  }
  double variance = 0;
  for (std::size_t k = 0; k < steps; ++k) {  // noise of step k
    const std::size_t from = steps - averaged > k ? steps - averaged - k : 0;
    const double mean = (total[steps - k] - total[from]) / static_cast<double>(averaged);
    variance += mean * mean;
  }
  return variance;
}

double largest_averaged_variance(const DescentLaw& law) { return ResponseTable(law).largest(); }

double expected_spread(const DescentLaw& law) {
  const auto steps = static_cast<std::size_t>(law.steps);
  const auto averaged = static_cast<std::size_t>(law.averaged);
  const std::size_t first = steps - averaged;
  // response[k]: the weight k steps after a unit of noise; total[k]: the sum up to there.
  std::vector<double> response(steps + 1, 0);
  std::vector<double> total(steps + 1, 0);
  double velocity = 0;
  for (std::size_t k = 1; k <= steps; ++k) {
    velocity = law.momentum * velocity - (k == 1 ? law.step_size : 0);
    response[k] = response[k - 1] + velocity;
    total[k] = total[k - 1] + response[k];
  }
  double iterates = 0;
  double variance = 0;  // of an iterate, which has the noise of all steps before it
  for (std::size_t t = 0; t < steps; ++t) {
    variance += response[t] * response[t];
    if (t >= first) iterates += variance / static_cast<double>(averaged);
  }
  double of_mean = 0;
  for (std::size_t step = 0; step + 1 < steps; ++step) {
    const std::size_t begin = std::max(first, step + 1) - step;
    const double mean =
        (total[steps - 1 - step] - total[begin - 1]) / static_cast<double>(averaged);
    of_mean += mean * mean;
  }
  return std::max(0.0, iterates - of_mean);
}

IterateTrace::IterateTrace(std::int64_t columns, const DescentLaw& law)
    : columns_(columns), law_(law) {
  if (law.steps < 1 || law.averaged < 1 || law.averaged > law.steps) {
    throw base::InternalError("the averaged iterates must be among the steps");
  }
  if (watches()) {
    means_.resize(static_cast<std::size_t>(columns), 0);
    squares_.resize(static_cast<std::size_t>(columns), 0);
  }
  if (!regresses()) return;
  const auto size = static_cast<std::size_t>(columns) * static_cast<std::size_t>(law.steps);
  iterates_.reserve(size);
  gradients_.reserve(size);
}

void IterateTrace::record(std::span<const double> before, std::span<const double> gradient,
                          double count) {
  ++recorded_;
  const std::int64_t seen = recorded_ - (law_.steps - law_.averaged);
  if (!means_.empty() && seen > 0) {
    for (std::size_t j = 0; j < means_.size(); ++j) {
      const double from = before[j] - means_[j];
      means_[j] += from / static_cast<double>(seen);
      squares_[j] += from * (before[j] - means_[j]);
    }
  }
  if (!regresses()) return;
  iterates_.insert(iterates_.end(), before.begin(), before.end());
  for (const double sum : gradient) gradients_.push_back(sum / count);
}

bool only_bounds_noise(std::int64_t steps, std::int64_t columns) {
  constexpr std::int64_t steps_per_column = 15;
  constexpr std::int64_t max_numbers = std::int64_t{1} << 25;  // 256 MB per list
  constexpr std::int64_t max_columns = 1000;
  return columns > max_columns || steps < steps_per_column * columns ||
         steps * columns > max_numbers;
}

bool IterateTrace::watches() const {
  // Over fewer stretches of independent noise even a walk without any pull may hardly move.
  constexpr double min_stretches = 10;
  constexpr std::int64_t max_watched = 1000;
  const double stretches = static_cast<double>(law_.averaged) * (1 - law_.momentum);
  return !regresses() && columns_ <= max_watched && stretches >= min_stretches;
}

bool IterateTrace::refutes_no_curvature() const {
  if (means_.empty()) return false;
  constexpr double too_large = 3;
  const double steps = static_cast<double>(law_.averaged);
  const double min =
      law_.stddev * law_.stddev * expected_spread(law_) * steps / (too_large * too_large);
  const auto calm = std::ranges::count_if(squares_, [&](double squares) { return squares < min; });
  return 2 * calm > columns_;
}

bool IterateTrace::regresses() const { return !only_bounds_noise(law_.steps, columns_); }

std::vector<double> IterateTrace::stddevs() const {
  if (recorded_ != law_.steps) throw base::InternalError("the trace of iterates is incomplete");
  auto found = regresses() ? by_regression() : without_curvature();
  const bool bounded = std::ranges::all_of(found, [](double d) { return std::isfinite(d); });
  return bounded ? found : std::vector<double>{};
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
  const auto& directions = spectrum.eigenvectors();
  Eigen::VectorXd errors(columns);  // variances of the estimates
  for (Eigen::Index k = 0; k < columns; ++k) {
    const Eigen::VectorXd direction = directions.col(k);
    errors[k] = law_.stddev * law_.stddev * std::max(0.0, direction.dot(solver.solve(direction)));
  }
  const auto curvatures = drawn_together(spectrum.eigenvalues(), errors);
  const double bias = regression_bias(law_, columns_);
  const ResponseTable table(law_);
  Eigen::VectorXd variance = Eigen::VectorXd::Zero(columns);
  for (Eigen::Index k = 0; k < columns; ++k) {
    variance += table.at(curvatures[k] - bias) * directions.col(k).cwiseAbs2();
  }
  std::vector<double> stddevs;
  for (Eigen::Index j = 0; j < columns; ++j) {
    stddevs.push_back(law_.stddev * std::sqrt(variance[j]));
  }
  return stddevs;
}

std::vector<double> IterateTrace::without_curvature() const {
  if (refutes_no_curvature()) return {};
  const double stddev = law_.stddev * std::sqrt(largest_averaged_variance(law_));
  return std::vector<double>(static_cast<std::size_t>(columns_), stddev);
}

}  // namespace tacet::learn
