#include "tacet/privacy/objective.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tacet/numeric/roots.h"
#include "tacet/privacy/gaussian.h"

namespace tacet::privacy::objective {
namespace {

constexpr double inverse_sqrt_2pi = 0.39894228040143267794;

/// E(1 - e^{e - s^2/2 - s|N|})_+ in closed form.
double folded_delta(double e, double s) {
  if (s == 0) return e >= 0 ? 0 : -std::expm1(e);
  const double half = 0.5 * s * s;
  if (e >= half) return std::min(1.0, 2 * gaussian::delta(s, e));
  return std::min(1.0, 1 - std::exp(e - half) * (1 - 2 * gaussian::delta(s, half)));
}

/// 8-point Gauss-Legendre over [a, b].
template <typename Function>
double panel(double a, double b, const Function& f) {
  constexpr std::array nodes{0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                             0.96028985649753623168};
  constexpr std::array weights{0.36268378337836198297, 0.31370664587788728734,
                               0.22238103445337447054, 0.10122853629037625915};
  const double mid = 0.5 * (a + b);
  const double half = 0.5 * (b - a);
  double sum = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sum += weights[i] * (f(mid - half * nodes[i]) + f(mid + half * nodes[i]));
  }
  return half * sum;
}

/// E over |N| of the Gaussian delta at e - S^2/2 - S|N| for output noise at mu: the joint delta of
/// the minimum and its noisy release. Split where the argument changes sign.
double joint_delta(double e, double s, double mu) {
  if (s == 0) return gaussian::delta(mu, e);
  const double turn = (e - 0.5 * s * s) / s;
  const double reach = 10 * mu / s;
  constexpr double end = 16;  // beyond it |N| has a mass of 2e-57
  std::vector<double> cuts{0, end};
  for (double x = 0.5; x < end; x += 0.5) cuts.push_back(x);
  for (double i = -20; i <= 20; ++i) cuts.push_back(std::clamp(turn + reach * i / 20, 0.0, end));
  std::sort(cuts.begin(), cuts.end());
  double sum = 0;
  const auto integrand = [&](double x) {
    return 2 * inverse_sqrt_2pi * std::exp(-0.5 * x * x) *
           gaussian::delta(mu, e - 0.5 * s * s - s * x);
  };
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i + 1] > cuts[i]) sum += panel(cuts[i], cuts[i + 1], integrand);
  }
  // The panels resolve every scale; the margin is far above their error.
  return std::min(1.0, sum * (1 + 1e-9) + 2e-57);
}

/// Certified maximum of f(2s cos t) + f(2s sin t) over [0, pi/4] for an increasing f: on each
/// interval the larger ends bound it.
template <typename Increasing>
double worst_angle(double s, const Increasing& f, int intervals) {
  constexpr double quarter_pi = 0.78539816339744830962;
  double worst = 0;
  for (int i = 0; i < intervals; ++i) {
    const double low = quarter_pi * i / intervals;
    const double high = quarter_pi * (i + 1) / intervals;
    worst = std::max(worst, f(2 * s * std::cos(low)) + f(2 * s * std::sin(high)));
  }
  return worst;
}

}  // namespace

double exact_delta(double sigma, double lipschitz, double smoothness, double regularization,
                   double epsilon, Adjacency adjacency) {
  const double e = epsilon - std::log1p(smoothness / regularization);
  const double s = lipschitz / sigma;
  if (adjacency != Adjacency::replace_one) return folded_delta(e, s);
  if (e <= 0) return 1;
  return std::min(1.0, worst_angle(
                           s, [&](double x) { return folded_delta(e, x); }, 4000));
}

double delta(const ObjectivePerturbation& event, double epsilon, Adjacency adjacency) {
  const double e = epsilon - std::log1p(event.smoothness / event.regularization) * (1 + 1e-15);
  const double s = event.lipschitz / event.sigma;
  const double mu = 2 * event.tolerance / (event.regularization * event.output_sigma);
  if (adjacency != Adjacency::replace_one) return joint_delta(e, s, mu);
  if (e <= 0) return 1;
  // The excess of two one-record terms over what the output noise alone leaks. At angle 0 the
  // second term vanishes into that.
  const double alone = gaussian::delta(mu, e);
  const double worst = worst_angle(
                           s, [&](double x) { return joint_delta(e, x, mu); }, 64) -
                       alone * (1 - 1e-9);
  return std::min(1.0, worst);
}

double epsilon(const ObjectivePerturbation& event, double target, Adjacency adjacency) {
  constexpr double largest = 700;
  const auto holds = [&](double e) { return delta(event, e, adjacency) <= target; };
  double high = 1;
  while (!holds(high)) {
    high *= 2;
    if (high > largest) return HUGE_VAL;
  }
  return numeric::bisect_border(high, 0.0, holds, 1e-9);
}

}  // namespace tacet::privacy::objective
