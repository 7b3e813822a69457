#include "tacet/learn/theory/rates.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace {

void check(const RateProblem& problem) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  const auto counts = [&](double value) { return value >= 1 && std::isfinite(value); };
  if (!counts(problem.rows) || !counts(problem.columns) || !counts(problem.rank)) {
    throw base::UsageError("rates need at least one row, one column and a rank of 1");
  }
  if (problem.rank > problem.columns) {
    throw base::UsageError("the rank, {:g}, is at most the number of columns, {:g}", problem.rank,
                           problem.columns);
  }
  if (!positive(problem.radius) || !positive(problem.row_norm) || !positive(problem.label_bound) ||
      !positive(problem.curvature) || !positive(problem.slope) || !positive(problem.epsilon)) {
    throw base::UsageError(
        "rates need bounds, a radius and an epsilon that are above 0 and finite");
  }
}

double smooth_norm(const RateProblem& problem, double radius) {
  return std::sqrt(problem.curvature) * radius * problem.row_norm;
}

/// The smaller one of the terms without and with the number of columns. `beyond` is the h^2 that
/// the upper bound has and the lower bound has not.
double smooth_price(const RateProblem& problem, double h, double beyond) {
  const double label = problem.label_bound;
  const double records = problem.rows * problem.epsilon;
  const double any_columns =
      (std::pow(h, 4.0 / 3) * std::pow(label, 2.0 / 3) + beyond) / std::pow(records, 2.0 / 3);
  return std::min(any_columns, std::sqrt(problem.columns) * (h * label + beyond) / records);
}

double lipschitz_norm(const RateProblem& problem, double radius) {
  return problem.slope * radius * problem.row_norm;
}

double lipschitz_rate(const RateProblem& problem, double norm) {
  const double records = problem.rows * problem.epsilon;
  return norm * (1 / std::sqrt(problem.rows) +
                 std::min(1 / std::sqrt(records), std::sqrt(problem.rank) / records));
}

}  // namespace

RateBounds smooth_rates(const RateProblem& problem) {
  check(problem);
  const double label = problem.label_bound;
  const double trivial = label * label;  // of the zero model
  const double sampling = 1 / std::sqrt(problem.rows);
  const double records = problem.rows * problem.epsilon;
  const double h = smooth_norm(problem, problem.radius);
  const double searched = smooth_norm(problem, std::max(problem.radius, 1.0));
  const double unknown = (searched * std::max(label, 1.0) + trivial) * sampling +
                         smooth_price(problem, searched, searched * searched) +
                         (trivial + searched * searched) / records;
  return {.lower = std::min(trivial, h * label * sampling + smooth_price(problem, h, 0)),
          .known_norm = std::min(trivial, h * label * sampling + smooth_price(problem, h, h * h)),
          .unknown_norm = std::min(trivial, unknown)};
}

RateBounds lipschitz_rates(const RateProblem& problem) {
  check(problem);
  const double trivial = problem.label_bound * problem.label_bound;
  const double known = lipschitz_rate(problem, lipschitz_norm(problem, problem.radius));
  const double searched = lipschitz_norm(problem, std::max(problem.radius, 1.0));
  const double unknown = lipschitz_rate(problem, searched) + trivial / std::sqrt(problem.rows) +
                         (trivial + searched) / (problem.rows * problem.epsilon);
  return {.lower = known, .known_norm = known, .unknown_norm = std::min(trivial, unknown)};
}

}  // namespace tacet::learn
