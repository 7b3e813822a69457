#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"
#include "tacet/optimize/solver/domain.h"

/// The projections in any real type: doubles for the solvers, wide floats for the route of last
/// resort, whose rounding must not count.
namespace tacet::optimize::internal {

/// Membership tests allow this many units of relative rounding.
constexpr double membership_slack = 4 * numeric::unit_roundoff;

template <typename Real>
Real centre_of(const Ball& ball, std::size_t j) {
  return ball.centre.empty() ? Real(0) : Real(ball.centre[j]);
}

template <typename Real>
Real distance_from_centre(const Ball& ball, std::span<const Real> point) {
  using std::sqrt;
  Real square = 0;
  for (std::size_t j = 0; j < point.size(); ++j) {
    const Real difference = point[j] - centre_of<Real>(ball, j);
    square += difference * difference;
  }
  return sqrt(square);
}

template <typename Real>
bool inside(const Ball& ball, std::span<const Real> point) {
  return distance_from_centre<Real>(ball, point) <= Real(ball.radius * (1 + membership_slack));
}

template <typename Real>
void project_onto(const WholeSpace&, std::span<Real>) {}

template <typename Real>
void project_onto(const Ball& ball, std::span<Real> point) {
  const Real distance = distance_from_centre<Real>(ball, point);
  if (distance <= Real(ball.radius)) return;
  const Real scale = Real(ball.radius) / distance;
  for (std::size_t j = 0; j < point.size(); ++j) {
    const Real centre = centre_of<Real>(ball, j);
    point[j] = centre + (point[j] - centre) * scale;
  }
}

// Both constraints are active: the spheres meet in a sphere around `middle` in the hyperplane
// orthogonal to the line between the centres.
template <typename Real>
void project_onto_rim(const Lens& lens, std::span<Real> point) {
  using std::sqrt;
  const std::size_t columns = point.size();
  std::vector<Real> axis(columns);
  Real square = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    axis[j] = centre_of<Real>(lens.second, j) - centre_of<Real>(lens.first, j);
    square += axis[j] * axis[j];
  }
  const Real apart = sqrt(square);
  const Real r1 = Real(lens.first.radius);
  const Real r2 = Real(lens.second.radius);
  const Real along = (square + r1 * r1 - r2 * r2) / (2 * apart);
  const Real rest = r1 * r1 - along * along;
  const Real rim = rest > 0 ? Real(sqrt(rest)) : Real(0);
  Real height = 0;  // of the point over the middle, along the axis
  for (std::size_t j = 0; j < columns; ++j) {
    axis[j] /= apart;
    height += (point[j] - centre_of<Real>(lens.first, j) - along * axis[j]) * axis[j];
  }
  Real length = 0;
  for (std::size_t j = 0; j < columns; ++j) {
    const Real middle = centre_of<Real>(lens.first, j) + along * axis[j];
    const Real aside = point[j] - middle - height * axis[j];
    length += aside * aside;
  }
  length = sqrt(length);
  for (std::size_t j = 0; j < columns; ++j) {
    const Real middle = centre_of<Real>(lens.first, j) + along * axis[j];
    const Real aside = point[j] - middle - height * axis[j];
    point[j] = length > 0 ? Real(middle + rim * aside / length) : middle;
  }
}

template <typename Real>
void project_onto(const Lens& lens, std::span<Real> point) {
  std::vector<Real> trial(point.begin(), point.end());
  project_onto<Real>(lens.first, trial);
  if (inside<Real>(lens.second, trial)) {
    std::copy(trial.begin(), trial.end(), point.begin());
    return;
  }
  trial.assign(point.begin(), point.end());
  project_onto<Real>(lens.second, trial);
  if (inside<Real>(lens.first, trial)) {
    std::copy(trial.begin(), trial.end(), point.begin());
    return;
  }
  project_onto_rim<Real>(lens, point);
}

template <typename Real>
void project_onto(const Box& box, std::span<Real> point) {
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (point[j] < Real(box.lower[j])) point[j] = Real(box.lower[j]);
    if (point[j] > Real(box.upper[j])) point[j] = Real(box.upper[j]);
  }
}

template <typename Real>
void project_onto(const Simplex& simplex, std::span<Real> point) {
  std::vector<Real> sorted(point.begin(), point.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  Real sum = 0;
  Real threshold = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const Real candidate = (sum - Real(simplex.total)) / Real(static_cast<double>(k + 1));
    if (k > 0 && !(sorted[k] > candidate)) break;
    threshold = candidate;
  }
  for (Real& value : point) value = value > threshold ? Real(value - threshold) : Real(0);
}

template <typename Real>
void project_onto(const Domain& domain, std::span<Real> point) {
  std::visit([&](const auto& set) { project_onto<Real>(set, point); }, domain);
}

}  // namespace tacet::optimize::internal
