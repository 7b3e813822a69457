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
  // total[t]: sum of the iterates up to t, in answer to a unit of noise in the first step.
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

IterateTrace::IterateTrace(std::int64_t columns, const DescentLaw& law)
    : columns_(columns), law_(law) {
  if (law.steps < 1 || law.averaged < 1 || law.averaged > law.steps) {
    throw base::InternalError("the averaged iterates must be among the steps");
  }
  if (!regresses()) return;
  const auto size = static_cast<std::size_t>(columns) * static_cast<std::size_t>(law.averaged);
  iterates_.reserve(size);
  gradients_.reserve(size);
}

void IterateTrace::record(std::span<const double> before, std::span<const double> gradient,
                          double count) {
  ++recorded_;
  // The way there has another curvature than the place where the path stays.
  if (!regresses() || recorded_ <= law_.steps - law_.averaged) return;
  iterates_.insert(iterates_.end(), before.begin(), before.end());
  for (const double sum : gradient) gradients_.push_back(sum / count);
}

bool IterateTrace::regresses() const {
  constexpr std::int64_t steps_a_column = 5;
  constexpr std::int64_t most_numbers = std::int64_t{1} << 25;  // 256 MB for each of the two lists
  constexpr std::int64_t most_columns = 1000;
  return columns_ <= most_columns && law_.averaged >= steps_a_column * columns_ &&
         law_.averaged * columns_ <= most_numbers;
}

std::vector<double> IterateTrace::standard_deviations() const {
  if (recorded_ != law_.steps) throw base::InternalError("the trace of iterates is incomplete");
  auto found = regresses() ? by_regression() : without_curvature();
  const bool bounded = std::ranges::all_of(found, [](double d) { return std::isfinite(d); });
  return bounded ? found : std::vector<double>{};
}

std::vector<double> IterateTrace::by_regression() const {
  const Eigen::Index rows = law_.averaged;
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
    const double error = regression_bias * law_.standard_deviation *
                         std::sqrt(std::max(0.0, direction.dot(solver.solve(direction))));
    const double curvature = std::max(0.0, spectrum.eigenvalues()[k] - error);
    variance += table.at(curvature) * direction.cwiseAbs2();
  }
  std::vector<double> deviations;
  for (Eigen::Index j = 0; j < columns; ++j) {
    deviations.push_back(law_.standard_deviation * std::sqrt(variance[j]));
  }
  return deviations;
}

std::vector<double> IterateTrace::without_curvature() const {
  const double standard_deviation =
      law_.standard_deviation * std::sqrt(ResponseTable(law_).largest());
  return std::vector<double>(static_cast<std::size_t>(columns_), standard_deviation);
}

}  // namespace tacet::learn
