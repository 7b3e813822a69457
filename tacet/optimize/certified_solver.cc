#include "tacet/optimize/certified_solver.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <functional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/optimize/certificate.h"
#include "tacet/optimize/regularized_objective.h"

namespace tacet::optimize {
namespace internal {
namespace {
constexpr double rounding = 0x1p-53;
}

RegularizedObjective::RegularizedObjective(const data::Dataset& dataset, RowRange rows,
                                           const RegularizedProblem& problem,
                                           base::ThreadPool& threads)
    : problem_(problem), sums_(dataset, problem.loss, rows, threads) {}

CertifiedGradient RegularizedObjective::gradient(std::span<const double> weights,
                                                 Precision precision,
                                                 std::vector<double>* curvatures) const {
  CertifiedGradient result = sums_.gradient(weights, precision, curvatures);
  const double size = norm(result.sum) + problem_.l2 * (norm(weights) + norm(problem_.centre)) +
                      norm(problem_.linear);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double centre = problem_.centre.empty() ? 0 : problem_.centre[j];
    result.sum[j] += problem_.l2 * (weights[j] - centre);
    if (!problem_.linear.empty()) result.sum[j] += problem_.linear[j];
  }
  result.error += 8 * rounding * size;
  return result;
}

CertifiedMinimum RegularizedObjective::certify(std::span<const double> weights) const {
  const auto here = gradient(weights, Precision::fine);
  CertifiedMinimum found{{weights.begin(), weights.end()}, 0, SolverRoute::fast};
  if (!constrained()) {
    found.distance_bound = gradient_certificate(here.sum, here.error, problem_.l2);
    return found;
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
                                              problem_.l2);
  const auto* ball = std::get_if<Ball>(&problem_.domain);
  if (ball != nullptr && ball->centre.empty()) {
    found.distance_bound = std::min(
        found.distance_bound,
        ball_certificate(found.weights, there.sum, there.error, ball->radius, problem_.l2, m));
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

/// Solves (H + l2 I) p = g for the Hessian H at some earlier point: one factorisation serves
/// several steps as long as they shrink the gradient.
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
  void refresh(const std::vector<double>& curvatures) {
    ready_ = true;
    if (!direct_) {
      curvatures_ = curvatures;
      diagonal_ = objective_.sums().hessian_diagonal(curvatures);
      for (double& value : diagonal_) value += objective_.problem().l2;
      return;
    }
    Eigen::MatrixXd hessian = objective_.sums().hessian(curvatures);
    hessian.diagonal().array() += objective_.problem().l2;
    factor_.compute(hessian);
  }
  [[nodiscard]] bool ready() const { return ready_; }

  /// -(H + l2 I)^{-1} g, for conjugate gradients to the relative residual `forcing`; `budget`
  /// counts the passes over the records.
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
        image[j] += objective_.problem().l2 * direction[j];
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
  Eigen::LLT<Eigen::MatrixXd> factor_;
  std::vector<double> curvatures_;
  std::vector<double> diagonal_;
};

struct NewtonState {
  std::vector<double> weights;
  std::int64_t passes = 0;  // left
};

/// Newton's method without a constraint until the gradient's norm is at most `goal`, the passes are
/// used up or nothing improves. Lines are searched by slopes alone: near the minimum they are known
/// far more exactly than values.
void newton(const RegularizedObjective& objective, double goal, NewtonState& state,
            const base::Supervision& supervision) {
  NewtonSystem system(objective);
  Precision precision = Precision::coarse;
  std::vector<double> curvatures;
  auto here = objective.gradient(state.weights, precision, &curvatures);
  double size = norm(here.sum);
  const double first_size = size;
  bool stale = true;
  bool fresh = false;  // whether the system is that of the present point
  for (--state.passes; state.passes > 0 && size > goal;) {
    cancel_point(supervision);
    if (precision == Precision::coarse && size < 16 * here.error) {
      precision = Precision::fine;
      here = objective.gradient(state.weights, precision, &curvatures);
      --state.passes;
      size = norm(here.sum);
      if (!(size > goal)) break;
    }
    if (stale || !system.ready()) {
      system.refresh(curvatures);
      fresh = true;
      state.passes -= 2;
    }
    // Quadratic convergence in the end, little work on systems that are far from the last one.
    const double forcing = std::clamp(std::sqrt(size / first_size), 1e-4, 0.1);
    const auto step = system.step(here.sum, std::max(forcing, 0.3 * goal / size), state.passes);
    const double slope = dot(step, here.sum);
    if (!(slope < 0)) return;
    double length = 1;
    bool accepted = false;
    while (!accepted && state.passes > 0 && length > 1e-10) {
      std::vector<double> trial = state.weights;
      for (std::size_t j = 0; j < trial.size(); ++j) trial[j] += length * step[j];
      if (!finite(trial)) return;
      auto there = objective.gradient(trial, precision, &curvatures);
      --state.passes;
      const double end_slope = dot(step, there.sum);
      accepted = end_slope <= -0.5 * slope;
      if (!accepted) {
        length *= std::max(0.1, slope / (slope - end_slope));
        continue;
      }
      const double next_size = norm(there.sum);
      if (precision == Precision::fine && next_size >= size) {
        if (fresh) return;  // rounding is all that is left
        here = objective.gradient(state.weights, precision, &curvatures);
        --state.passes;
        stale = true;
        break;
      }
      stale = !system.direct() || next_size > 0.1 * size;
      fresh = false;
      state.weights = std::move(trial);
      here = std::move(there);
      size = next_size;
    }
    if (!accepted) return;
  }
}

/// A good start for little: Newton's method on the first 1/16 of the records (which are
/// exchangeable as far as utility is concerned), their loss scaled up by shrinking everything else.
void warm_start(const data::Dataset& dataset, RowRange rows, const RegularizedProblem& problem,
                base::ThreadPool& threads, NewtonState& state,
                const base::Supervision& supervision) {
  constexpr std::int64_t share = 16;
  if (rows.count() < 8192) return;
  RegularizedProblem small = problem;
  small.domain = WholeSpace{};
  small.l2 = problem.l2 / share;
  for (double& value : small.linear) value /= share;
  const RegularizedObjective objective(dataset, {rows.first, rows.first + rows.count() / share},
                                       small, threads);
  NewtonState start{state.weights, 30};
  const double goal = 1e-3 * static_cast<double>(rows.count() / share) * dataset.norm_bound() *
                      std::min(1.0, problem.loss.slope_bound());
  newton(objective, goal, start, supervision);
  if (finite(start.weights)) state.weights = std::move(start.weights);
}

CertifiedMinimum fast_route(const data::Dataset& dataset, RowRange rows,
                            const RegularizedProblem& problem, double tolerance,
                            std::int64_t passes, const RegularizedObjective& objective,
                            base::ThreadPool& threads, const base::Supervision& supervision) {
  NewtonState state{problem.centre, passes};
  if (state.weights.empty()) state.weights.assign(objective.columns(), 0.0);
  if (passes > 1) {
    warm_start(dataset, rows, problem, threads, state, supervision);
    newton(objective, 0.25 * tolerance * problem.l2, state, supervision);
  }
  if (objective.constrained()) project(problem.domain, state.weights);
  return objective.certify(state.weights);
}

/// Steps after which the theorem's bound (l2/2) D^2 <= (1 - kappa^{-1/2})^k (F - F* + (l2/2) D0^2)
/// leaves at most half the tolerance, from a point at most `distance` away.
double accelerated_length(double kappa, double excess_over_l2, double tolerance) {
  const double ratio = std::max(2.0, 8 * excess_over_l2 / (tolerance * tolerance));
  return kappa > 1 ? std::ceil(std::log(ratio) / -std::log1p(-1 / std::sqrt(kappa))) + 1 : 2;
}

double accelerated_length(const RegularizedObjective& objective, const CertifiedMinimum& start,
                          double tolerance) {
  const double l2 = objective.problem().l2;
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
  const double root = std::sqrt(m / objective.problem().l2);
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
    auto found = objective.certify(x);
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
                               facts.norm_bound / facts.l2;
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
      work, most_work, facts.l2, facts.rows));
}

CertifiedMinimum minimise_certified(const data::Dataset& dataset, RowRange rows,
                                    const RegularizedProblem& problem, double tolerance,
                                    base::ThreadPool& threads, const base::Supervision& supervision,
                                    const SolverLimits& limits) {
  const auto columns = static_cast<std::size_t>(dataset.columns());
  if (!(problem.l2 > 0) || !std::isfinite(problem.l2) || !(tolerance > 0)) {
    throw base::UsageError(
        fmt::format("a certified minimum needs a positive l2 and tolerance, got {} and {}",
                    problem.l2, tolerance));
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
