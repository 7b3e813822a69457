#include "tacet/optimize/solver/newton_search.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tacet::optimize::internal {
namespace {

using Vector = Eigen::VectorXd;

constexpr std::size_t max_cholesky_columns = 1500;

/// Solves (H + (l2 + shift) I) p = g for the Hessian H at some earlier point: one factorisation
/// serves several steps as long as they shrink the gradient. The first Hessians are estimated from
/// some of the records, which is nearly as good where records are alike and far cheaper.
class NewtonSystem {
 public:
  explicit NewtonSystem(const RegularizedObjective& objective) : objective_(objective) {
    const auto columns = objective.columns();
    if (columns > max_cholesky_columns) return;
    const auto work = objective.sums().work();
    const double size = static_cast<double>(columns);
    // A Hessian costs about as much as this many products with vectors.
    constexpr double products = 60;
    direct_ =
        work.products + size * size * size / 6 <= products * 2 * work.entries + size * size * 400;
  }

  [[nodiscard]] bool direct() const { return direct_; }
  /// Takes the curvatures of the present point into use.
  void refresh(const std::vector<double>& curvatures, double shift) {
    ready_ = true;
    added_ = objective_.problem().sum_l2 + shift;
    if (!direct_) {
      curvatures_ = curvatures;
      diagonal_ = objective_.sums().hessian_diagonal(curvatures);
      for (double& value : diagonal_) value += added_;
      return;
    }
    constexpr std::int64_t rows_per_column = 256;
    constexpr int estimates = 2;
    const auto columns = static_cast<std::int64_t>(objective_.columns());
    Eigen::MatrixXd hessian = refreshed_++ < estimates
                                  ? objective_.sums().hessian(curvatures, rows_per_column * columns)
                                  : objective_.sums().hessian(curvatures);
    hessian.diagonal().array() += added_;
    factor_.compute(hessian);
  }
  [[nodiscard]] bool ready() const { return ready_; }

  /// -(H + (l2 + shift) I)^{-1} g, for conjugate gradients to the relative residual `forcing`;
  /// `budget` counts the passes over the records.
  [[nodiscard]] std::vector<double> step(std::span<const double> gradient, double forcing,
                                         std::int64_t& budget) const {
    if (!direct_) return conjugate_gradients(gradient, forcing, budget);
    const Eigen::Map<const Vector> g(gradient.data(), static_cast<Eigen::Index>(gradient.size()));
    const Vector p = -factor_.solve(g);
    return {p.begin(), p.end()};
  }

 private:
  [[nodiscard]] std::vector<double> conjugate_gradients(std::span<const double> gradient,
                                                        double forcing,
                                                        std::int64_t& budget) const {
    const std::size_t columns = gradient.size();
    std::vector<double> p(columns, 0.0);
    std::vector<double> residual(columns);
    std::vector<double> scaled(columns);
    for (std::size_t j = 0; j < columns; ++j) {
      residual[j] = -gradient[j];
      scaled[j] = residual[j] / diagonal_[j];
    }
    std::vector<double> direction = scaled;
    double product = dot(residual, scaled);
    const double goal = forcing * forcing * product;
    while (product > goal && budget-- > 0) {
      auto image = objective_.sums().curved(direction, curvatures_);
      for (std::size_t j = 0; j < columns; ++j) {
        image[j] += added_ * direction[j];
      }
      const double length = product / dot(direction, image);
      if (!(length > 0) || !std::isfinite(length)) break;
      for (std::size_t j = 0; j < columns; ++j) {
        p[j] += length * direction[j];
        residual[j] -= length * image[j];
        scaled[j] = residual[j] / diagonal_[j];
      }
      const double next = dot(residual, scaled);
      for (std::size_t j = 0; j < columns; ++j) {
        direction[j] = scaled[j] + next / product * direction[j];
      }
      product = next;
    }
    return p;
  }

  const RegularizedObjective& objective_;
  bool direct_ = false;
  bool ready_ = false;
  int refreshed_ = 0;
  double added_ = 0;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  std::vector<double> curvatures_;
  std::vector<double> diagonal_;
};

/// A point of a search, and what must vanish there: the gradient g or, on a sphere with the middle
/// c, its part along the surface, g + nu (w - c) with the multiplier nu = -<g, w - c> / |w - c|^2.
struct NewtonPoint {
  std::vector<double> residual;
  std::vector<double> normal;  // w - c; empty without a sphere
  double multiplier = 0;
  double size = 0;  // of the residual
  double error = 0;
};

class NewtonSearch {
 public:
  NewtonSearch(const RegularizedObjective& objective, const Ball* sphere)
      : objective_(objective), sphere_(sphere), system_(objective) {}

  /// Whether the search ended where the sphere holds the minimum in; always without one.
  bool run(double goal, NewtonState& state, const base::Supervision& supervision) {
    auto here = look(state);
    const double first_size = here.size;
    bool stale = true;
    while (state.passes > 0 && here.size > goal && here.multiplier >= 0) {
      if (supervision.cancel != nullptr) supervision.cancel->throw_if_cancelled();
      if (precision_ == Precision::coarse && here.size < 16 * here.error) {
        precision_ = Precision::fine;
        here = look(state);
        continue;
      }
      if (stale || !system_.ready()) {
        system_.refresh(curvatures_, here.multiplier);
        fresh_ = true;
        state.passes -= 2;
      }
      // Quadratic convergence in the end, little work on systems that are far from the last one.
      const double forcing = std::clamp(std::sqrt(here.size / first_size), 1e-4, 0.1);
      const auto step = direction(here, std::max(forcing, 0.3 * goal / here.size), state.passes);
      if (!(dot(step, here.residual) < 0)) break;
      if (!advance(step, state, here, stale)) break;
    }
    return here.multiplier >= 0;
  }

 private:
  NewtonPoint look(NewtonState& state) {
    --state.passes;
    auto gradient = objective_.gradient(state.weights, precision_, &curvatures_);
    NewtonPoint point{.residual = std::move(gradient.sum), .error = gradient.error};
    if (sphere_ != nullptr) {
      point.normal = state.weights;
      for (std::size_t j = 0; j < sphere_->centre.size(); ++j)
        point.normal[j] -= sphere_->centre[j];
      point.multiplier = -dot(point.residual, point.normal) / dot(point.normal, point.normal);
      for (std::size_t j = 0; j < point.normal.size(); ++j) {
        point.residual[j] += point.multiplier * point.normal[j];
      }
    }
    point.size = norm(point.residual);
    return point;
  }

  /// Newton's step; along a sphere the one that stays in the tangent plane.
  std::vector<double> direction(const NewtonPoint& here, double forcing, std::int64_t& passes) {
    auto step = system_.step(here.residual, forcing, passes);
    if (sphere_ == nullptr) return step;
    const auto outward = system_.step(here.normal, forcing, passes);
    const double share = dot(here.normal, step) / dot(here.normal, outward);
    for (std::size_t j = 0; j < step.size(); ++j) step[j] -= share * outward[j];
    return step;
  }

  /// Moves along the step; false when nothing is left to gain.
  bool advance(const std::vector<double>& step, NewtonState& state, NewtonPoint& here,
               bool& stale) {
    const double slope = dot(step, here.residual);
    const auto from = state.weights;
    for (double length = 1; state.passes > 0 && length > 1e-10;) {
      for (std::size_t j = 0; j < from.size(); ++j) state.weights[j] = from[j] + length * step[j];
      if (!finite(state.weights)) break;
      if (sphere_ != nullptr) move_onto_sphere(state.weights);
      auto there = look(state);
      const double end_slope = dot(step, there.residual);
      if (!(end_slope <= -0.5 * slope)) {
        length *= std::max(0.1, slope / (slope - end_slope));
        continue;
      }
      if (precision_ == Precision::fine && there.size >= here.size) {
        state.weights = from;
        if (fresh_) return false;  // rounding is all that is left
        here = look(state);
        stale = true;
        return true;
      }
      stale = !system_.direct() || there.size > 0.1 * here.size;
      fresh_ = false;
      here = std::move(there);
      return true;
    }
    state.weights = from;
    return false;
  }

  void move_onto_sphere(std::vector<double>& weights) const {
    const auto middle = [&](std::size_t j) {
      return sphere_->centre.empty() ? 0 : sphere_->centre[j];
    };
    double square = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      square += (weights[j] - middle(j)) * (weights[j] - middle(j));
    }
    const double scale = sphere_->radius / std::sqrt(square);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      weights[j] = middle(j) + scale * (weights[j] - middle(j));
    }
  }

  const RegularizedObjective& objective_;
  const Ball* sphere_;
  NewtonSystem system_;
  Precision precision_ = Precision::coarse;
  std::vector<double> curvatures_;
  bool fresh_ = false;  // whether the system is that of the present point
};

}  // namespace

bool finite(std::span<const double> values) {
  // Beyond this size weights are of no use to anybody, and squares would overflow.
  constexpr double largest = 1e100;
  for (const double value : values) {
    if (!(std::fabs(value) < largest)) return false;
  }
  return true;
}

bool newton_search(const RegularizedObjective& objective, const Ball* sphere, double goal,
                   NewtonState& state, const base::Supervision& supervision) {
  return NewtonSearch(objective, sphere).run(goal, state, supervision);
}

}  // namespace tacet::optimize::internal
