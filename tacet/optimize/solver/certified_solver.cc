#include "tacet/optimize/solver/certified_solver.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/optimize/solver/certificate.h"
#include "tacet/optimize/solver/regularized_objective.h"

namespace tacet::optimize {
namespace internal {
namespace {

constexpr double rounding = 0x1p-53;

// Far enough from the surface that no rounding matters.
bool well_inside(const Ball& ball, std::span<const double> point) {
  std::vector<double> from_middle(point.begin(), point.end());
  for (std::size_t j = 0; j < ball.centre.size(); ++j) from_middle[j] -= ball.centre[j];
  return norm(from_middle) <= ball.radius * (1 - 0x1p-30);
}

}  // namespace

RegularizedObjective::RegularizedObjective(const data::Dataset& dataset, RowRange rows,
                                           const RegularizedProblem& problem,
                                           base::ThreadPool& threads)
    : problem_(problem), sums_(dataset, problem.loss, rows, threads) {}

CertifiedGradient RegularizedObjective::gradient(std::span<const double> weights,
                                                 Precision precision,
                                                 std::vector<double>* curvatures) const {
  CertifiedGradient result = sums_.gradient(weights, precision, curvatures);
  const double size = norm(result.sum) + problem_.sum_l2 * (norm(weights) + norm(problem_.centre)) +
                      norm(problem_.linear);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double centre = problem_.centre.empty() ? 0 : problem_.centre[j];
    result.sum[j] += problem_.sum_l2 * (weights[j] - centre);
    if (!problem_.linear.empty()) result.sum[j] += problem_.linear[j];
  }
  result.error += 8 * rounding * size;
  return result;
}

CertifiedMinimum RegularizedObjective::certify(std::span<const double> weights,
                                               double enough) const {
  const auto here = gradient(weights, Precision::fine);
  CertifiedMinimum found{{weights.begin(), weights.end()}, 0, SolverRoute::fast};
  if (!constrained()) {
    found.distance_bound = gradient_certificate(here.sum, here.error, problem_.sum_l2);
    return found;
  }
  const auto* ball = std::get_if<Ball>(&problem_.domain);
  if (ball != nullptr && well_inside(*ball, weights)) {
    // For any point of the domain, mu |w - w*|^2 <= <grad F(w), w - w*>.
    found.distance_bound = gradient_certificate(here.sum, here.error, problem_.sum_l2);
    if (found.distance_bound <= enough) return found;
  }
  const double m = smoothness();
  for (std::size_t j = 0; j < weights.size(); ++j) found.weights[j] -= here.sum[j] / m;
  project(problem_.domain, found.weights);
  const auto there = gradient(found.weights, Precision::fine);
  found.distance_bound = residual_certificate(problem_.domain,
                                              {.from = weights,
                                               .from_gradient = here.sum,
                                               .to = found.weights,
                                               .to_gradient = there.sum,
                                               .gradient_error = here.error + there.error,
                                               .step = m},
                                              problem_.sum_l2);
  if (ball != nullptr && ball->centre.empty()) {
    found.distance_bound = std::min(
        found.distance_bound,
        ball_certificate(found.weights, there.sum, there.error, ball->radius, problem_.sum_l2, m));
  }
  return found;
}

}  // namespace internal

namespace {

using internal::dot;
using internal::norm;
using internal::RegularizedObjective;
using Vector = Eigen::VectorXd;

constexpr std::size_t most_cholesky_columns = 1500;
constexpr double most_work = 0x1p42;

void cancel_point(const base::Supervision& supervision) {
  if (supervision.cancel != nullptr) supervision.cancel->throw_if_cancelled();
}

bool finite(std::span<const double> values) {
  // Beyond this size weights are of no use to anybody, and squares would overflow.
  constexpr double largest = 1e100;
  for (const double value : values) {
    if (!(std::fabs(value) < largest)) return false;
  }
  return true;
}

/// Solves (H + (l2 + shift) I) p = g for the Hessian H at some earlier point: one factorisation
/// serves several steps as long as they shrink the gradient. The first Hessians are estimated from
/// some of the records, which is nearly as good where records are alike and far cheaper.
class NewtonSystem {
 public:
  explicit NewtonSystem(const RegularizedObjective& objective) : objective_(objective) {
    const auto columns = objective.columns();
    if (columns > most_cholesky_columns) return;
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
    constexpr std::int64_t rows_a_column = 256;
    constexpr int estimates = 2;
    const auto columns = static_cast<std::int64_t>(objective_.columns());
    Eigen::MatrixXd hessian = refreshed_++ < estimates
                                  ? objective_.sums().hessian(curvatures, rows_a_column * columns)
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

struct NewtonState {
  std::vector<double> weights;
  std::int64_t passes = 0;  // left
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

/// Newton's method until the residual's norm is at most `goal`, the passes are used up or nothing
/// improves: without a constraint, or on the surface of a ball. Lines are searched by slopes alone:
/// near the minimum they are known far more exactly than values.
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
      cancel_point(supervision);
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

/// A good start for little: Newton's method on the first 1/16 of the records (which are
/// exchangeable as far as utility is concerned), their loss scaled up by shrinking everything else.
void warm_start(const data::Dataset& dataset, RowRange rows, const RegularizedProblem& problem,
                base::ThreadPool& threads, NewtonState& state,
                const base::Supervision& supervision) {
  constexpr std::int64_t share = 16;
  if (rows.count() < 8192) return;
  RegularizedProblem small = problem;
  small.domain = WholeSpace{};
  small.sum_l2 = problem.sum_l2 / share;
  for (double& value : small.linear) value /= share;
  const RegularizedObjective objective(dataset, {rows.first, rows.first + rows.count() / share},
                                       small, threads);
  NewtonState start{state.weights, 30};
  const double goal = 1e-3 * static_cast<double>(rows.count() / share) * dataset.norm_bound() *
                      std::min(1.0, problem.loss.slope_bound());
  NewtonSearch(objective, nullptr).run(goal, start, supervision);
  if (finite(start.weights)) state.weights = std::move(start.weights);
}

bool leaves(const Domain& domain, const std::vector<double>& weights) {
  auto nearest = weights;
  project(domain, nearest);
  return nearest != weights;
}

CertifiedMinimum fast_route(const data::Dataset& dataset, RowRange rows,
                            const RegularizedProblem& problem, double tolerance,
                            std::int64_t passes, const RegularizedObjective& objective,
                            base::ThreadPool& threads, const base::Supervision& supervision) {
  NewtonState state{problem.centre, passes};
  if (state.weights.empty()) state.weights.assign(objective.columns(), 0.0);
  if (passes > 1) {
    warm_start(dataset, rows, problem, threads, state, supervision);
    const double goal = 0.25 * tolerance * problem.sum_l2;
    const auto* ball = std::get_if<Ball>(&problem.domain);
    if (!leaves(problem.domain, state.weights)) {
      NewtonSearch(objective, nullptr).run(goal, state, supervision);
    }
    if (ball != nullptr && leaves(problem.domain, state.weights)) {
      project(problem.domain, state.weights);
      if (!NewtonSearch(objective, ball).run(goal, state, supervision)) {
        NewtonSearch(objective, nullptr).run(goal, state, supervision);
      }
    }
  }
  if (objective.constrained()) project(problem.domain, state.weights);
  return objective.certify(state.weights, tolerance);
}

/// Steps after which the theorem's bound (l2/2) D^2 <= (1 - kappa^{-1/2})^k (F - F* + (l2/2) D0^2)
/// leaves at most half the tolerance, from a point at most `distance` away.
double accelerated_length(double kappa, double excess_over_l2, double tolerance) {
  const double ratio = std::max(2.0, 8 * excess_over_l2 / (tolerance * tolerance));
  return kappa > 1 ? std::ceil(std::log(ratio) / -std::log1p(-1 / std::sqrt(kappa))) + 1 : 2;
}

double accelerated_length(const RegularizedObjective& objective, const CertifiedMinimum& start,
                          double tolerance) {
  const double l2 = objective.problem().sum_l2;
  const auto gradient = objective.gradient(start.weights, Precision::fine);
  const double distance = start.distance_bound;
  const double excess =
      (norm(gradient.sum) + gradient.error) * distance + l2 * distance * distance / 2;
  return accelerated_length(objective.smoothness() / l2, excess / l2, tolerance);
}

/// V-FISTA, certified now and then; `best` is replaced where that improves.
void accelerated_route(const RegularizedObjective& objective, double tolerance,
                       const base::Supervision& supervision, CertifiedMinimum& best) {
  const double m = objective.smoothness();
  const double root = std::sqrt(m / objective.problem().sum_l2);
  const double momentum = (root - 1) / (root + 1);
  const std::size_t columns = objective.columns();
  std::vector<double> x = best.weights;
  std::vector<double> y = x;
  const double needed = accelerated_length(objective, best, tolerance);
  if (!(needed < 1e9)) return;
  const auto steps = static_cast<std::int64_t>(needed);
  constexpr std::int64_t between_certificates = 50;
  for (std::int64_t step = 1; step <= steps; ++step) {
    cancel_point(supervision);
    const auto gradient = objective.gradient(y, Precision::fine);
    std::vector<double> next(columns);
    for (std::size_t j = 0; j < columns; ++j) next[j] = y[j] - gradient.sum[j] / m;
    project(objective.problem().domain, next);
    for (std::size_t j = 0; j < columns; ++j) y[j] = next[j] + momentum * (next[j] - x[j]);
    x = std::move(next);
    if (!finite(y)) return;
    if (step % between_certificates != 0 && step != steps) continue;
    auto found = objective.certify(x, tolerance);
    if (found.distance_bound < best.distance_bound) {
      best = std::move(found);
      best.route = SolverRoute::accelerated;
    }
    if (best.distance_bound <= tolerance) return;
  }
}

}  // namespace

std::int64_t fallback_length(const WorkFacts& facts) {
  const double kappa = 1 + static_cast<double>(facts.rows) * facts.curvature * facts.norm_bound *
                               facts.norm_bound / facts.sum_l2;
  constexpr double most = 0x1p62;
  return static_cast<std::int64_t>(std::min(
      most,
      accelerated_length(kappa, (kappa + 0.5) * facts.distance * facts.distance, facts.tolerance)));
}

void check_fallback_work(const WorkFacts& facts) {
  const double work = static_cast<double>(fallback_length(facts)) *
                      static_cast<double>(std::max<std::int64_t>(1, facts.rows));
  if (work <= most_work) return;
  throw base::UsageError(fmt::format(
      "the solver's route of last resort would visit {:.3g} records, above the cap of {:.3g}: it "
      "grows with rows^1.5 / l2^0.5; ask for more regularisation (l2 is {:.4g} for the sum over {} "
      "records) or use the method gradient",
      work, most_work, facts.sum_l2, facts.rows));
}

CertifiedMinimum minimise_certified(const data::Dataset& dataset, RowRange rows,
                                    const RegularizedProblem& problem, double tolerance,
                                    base::ThreadPool& threads, const base::Supervision& supervision,
                                    const SolverLimits& limits) {
  const auto columns = static_cast<std::size_t>(dataset.columns());
  if (!(problem.sum_l2 > 0) || !std::isfinite(problem.sum_l2) || !(tolerance > 0)) {
    throw base::UsageError(
        fmt::format("a certified minimum needs a positive l2 and tolerance, got {} and {}",
                    problem.sum_l2, tolerance));
  }
  if ((!problem.centre.empty() && problem.centre.size() != columns) ||
      (!problem.linear.empty() && problem.linear.size() != columns)) {
    throw base::InternalError("a problem's vectors and the data set differ in their columns");
  }
  (void)checked(problem.domain, columns);
  const RegularizedObjective objective(dataset, rows, problem, threads);
  auto best = fast_route(dataset, rows, problem, tolerance, limits.fast_passes, objective, threads,
                         supervision);
  if (best.distance_bound <= tolerance) return best;
  if (limits.accelerated) accelerated_route(objective, tolerance, supervision, best);
  if (best.distance_bound <= tolerance) return best;

  const auto steps =
      static_cast<std::int64_t>(std::min(0x1p62, accelerated_length(objective, best, tolerance)));
  best.weights = internal::descend_in_wide_floats(dataset, rows, problem, std::move(best.weights),
                                                  steps, supervision);
  // Half the tolerance by the length; the rest is far more than 113 bits and the last rounding
  // lose.
  best.distance_bound = tolerance;
  best.route = SolverRoute::wide;
  return best;
}

}  // namespace tacet::optimize
