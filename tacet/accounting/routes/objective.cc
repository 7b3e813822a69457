#include "tacet/accounting/routes/objective.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/memo_cache.h"
#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::objective {
namespace {

using numeric::inverse_sqrt_2pi;

/// E[(1 - e^{e - s^2/2 - s|N|})_+] for N standard normal, in closed form.
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

/// The mean over |N| of the Gaussian delta at e - s^2/2 - s|N|, for output noise at mu: the joint
/// delta of the minimum and its noisy release. The integral is split where the argument changes
/// sign.
double joint_delta(double e, double s, double mu) {
  if (s == 0) return gaussian::delta(mu, e);
  const double turn = (e - 0.5 * s * s) / s;
  const double reach = 10 * mu / s;
  constexpr double end = 13;  // beyond it |N| has a mass of 1.3e-38
  std::vector<double> cuts{0, end};
  for (double x = 0.5; x < end; x += 0.5) cuts.push_back(x);
  for (double i = -10; i <= 10; ++i) cuts.push_back(std::clamp(turn + reach * i / 10, 0.0, end));
  std::sort(cuts.begin(), cuts.end());
  double sum = 0;
  const auto integrand = [&](double x) {
    return 2 * inverse_sqrt_2pi * std::exp(-0.5 * x * x) *
           gaussian::delta(mu, e - 0.5 * s * s - s * x);
  };
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (!(cuts[i + 1] > cuts[i])) continue;
    // The hockey stick increases in x: if it vanishes at the end, it vanishes everywhere before.
    const double max = gaussian::delta(mu, e - 0.5 * s * s - s * cuts[i + 1]);
    sum += max < 1e-40 ? 1e-40 * (cuts[i + 1] - cuts[i]) : panel(cuts[i], cuts[i + 1], integrand);
  }
  // The panels resolve every scale. The margin is far above their error.
  return std::min(1.0, sum * (1 + 1e-9) + 1.4e-38);
}

/// Certified maximum of f(2s cos t) + f(2s sin t) over [0, pi/4] for an increasing f: on an
/// interval, the larger end of each term bounds it. Intervals are halved until the bound of each
/// lies within 1e-4 of the largest value met, or at most `max` times.
template <typename Increasing>
double worst_angle(double s, const Increasing& f, int max = 100) {
  constexpr double quarter_pi = 0.78539816339744830962;
  struct Interval {
    double low;
    double high;
    double at_low;   // f(2s cos low): the first term is largest at the low end
    double at_high;  // f(2s sin high): the second term is largest at the high end
    [[nodiscard]] double bound() const { return at_low + at_high; }
    bool operator<(const Interval& other) const { return bound() < other.bound(); }
  };
  const double first = f(2 * s);
  double met = first + f(0);
  std::priority_queue<Interval> open;
  open.push({0, quarter_pi, first, f(2 * s * std::sin(quarter_pi))});
  for (int i = 0; i < max && open.top().bound() > met * (1 + 1e-4); ++i) {
    const auto worst = open.top();
    open.pop();
    const double middle = 0.5 * (worst.low + worst.high);
    const double by_cos = f(2 * s * std::cos(middle));
    const double by_sin = f(2 * s * std::sin(middle));
    met = std::max(met, by_cos + by_sin);
    open.push({worst.low, middle, worst.at_low, by_sin});
    open.push({middle, worst.high, by_cos, worst.at_high});
  }
  return open.top().bound();
}

/// delta of the exact minimum if a record is replaced; tries up to `max` angles.
double replaced_delta(double e, double s, int max) {
  if (e <= 0) return 1;
  return std::min(1.0, worst_angle(
                           s, [&](double x) { return folded_delta(e, x); }, max));
}

/// The same delta, with the output noise included.
double joint_replaced_delta(double e, double s, double mu) {
  // The excess of the two one-record terms over what the output noise alone leaks. At angle 0 the
  // second term is equal to that.
  const double alone = gaussian::delta(mu, e);
  const double worst =
      worst_angle(s, [&](double x) { return joint_delta(e, x, mu); }) - alone * (1 - 1e-9);
  return std::min(1.0, worst);
}

}  // namespace

double exact_delta(double sigma, const Curvature& curvature, double epsilon, Adjacency adjacency) {
  const double e = epsilon - std::log1p(curvature.smoothness / curvature.regularization);
  const double s = curvature.lipschitz / sigma;
  if (adjacency != Adjacency::replace_one) return folded_delta(e, s);
  return replaced_delta(e, s, 4000);
}

double delta(const ObjectivePerturbation& event, double epsilon, Adjacency adjacency) {
  const double e = epsilon - std::log1p(event.smoothness / event.regularization) * (1 + 1e-15);
  const double s = event.lipschitz / event.sigma;
  const double mu = 2 * event.tolerance / (event.regularization * event.output_sigma);
  if (adjacency != Adjacency::replace_one) {
    thread_local MemoCache<3> alone;
    return alone({e, s, mu}, [&] { return joint_delta(e, s, mu); });
  }
  if (e <= 0) return 1;
  thread_local MemoCache<3> replaced;
  return replaced({e, s, mu}, [&] { return joint_replaced_delta(e, s, mu); });
}

std::vector<pairs::Point> exact_profile(const ObjectivePerturbation& event, Adjacency adjacency) {
  constexpr double smallest_delta = 1e-24;
  constexpr double bulk = 1e-13;  // deltas of interest are above it
  constexpr double largest_epsilon = 600;
  constexpr int before = 16;
  constexpr std::size_t max = 4000;
  // The loss is c + S^2/2 + S|N|: delta changes on no finer scale than that, and in the tail delta
  // falls by a constant factor from point to point.
  const double c = std::log1p(event.smoothness / event.regularization) * (1 + 1e-15);
  const double s = event.lipschitz / event.sigma;
  const double scale = 0.1 * distance_factor(adjacency) * s + 1e-12 * (1 + c);
  const bool replaced = adjacency == Adjacency::replace_one;
  std::vector<pairs::Point> points;
  double last = 1;
  const auto add = [&](double epsilon) {
    last = (replaced ? replaced_delta(epsilon - c, s, 100) : folded_delta(epsilon - c, s)) *
           (1 + 1e-12);
    if (last < (points.empty() ? 1.0 : points.back().delta)) points.push_back({epsilon, last});
  };
  for (int i = 0; i < before && c > 0; ++i) add(c * i / before);
  double step = 0.01 * scale;
  for (double epsilon = c; epsilon < largest_epsilon && points.size() < max; epsilon += step) {
    const double earlier = last;
    add(epsilon);
    if (last <= smallest_delta) break;
    // The fall of log delta over the last step predicts the next one.
    const double fall = std::log(earlier / last);
    const double goal = last > bulk ? 0.12 : 0.6;
    step = std::min({scale, 2 * step, fall > 0 ? step * std::max(0.5, goal / fall) : scale});
  }
  return points;
}

namespace {

/// Shrinks [low, high] to a relative `tolerance` around the point at which the decreasing
/// `delta_at` meets the goal. Returns the end at which delta is at most the goal.
template <typename DeltaAt>
double threshold(numeric::ValueAt low, numeric::ValueAt high, double goal, double tolerance,
                 const DeltaAt& delta_at) {
  const auto excess = [&](double delta_value) {
    return std::log(std::max(delta_value, 1e-300)) - std::log(goal) - 1e-14;
  };
  // Below 0 if the goal is met. Exactly 0 counts as not met.
  const auto [inside, outside] = numeric::bracket_root(
      {high.x, excess(high.value)}, {low.x, excess(low.value)},
      [&](double x) { return excess(delta_at(x)); }, tolerance * high.x);
  (void)outside;
  return inside;
}

}  // namespace

namespace {

double min_epsilon(const ObjectivePerturbation& event, double target, Adjacency adjacency) {
  constexpr double largest = 20000;
  const auto delta_at = [&](double e) { return delta(event, e, adjacency); };
  double low = 0;
  double high = 1;
  double above = delta_at(low);
  if (above <= target) return 0;
  double below = delta_at(high);
  while (!(below <= target)) {
    low = high;
    above = below;
    high *= 2;
    if (high > largest) return HUGE_VAL;
    below = delta_at(high);
  }
  // This close to 0, the relative accuracy of the boundary is one of epsilon too.
  constexpr double smallest = 1e-12;
  while (low == 0 && high > smallest) {
    const double middle = 0.25 * high;
    const double found = delta_at(middle);
    (found <= target ? high : low) = middle;
    (found <= target ? below : above) = found;
  }
  return threshold({low, above}, {high, below}, target, 1e-9, delta_at);
}

/// A power of two times the Lipschitz constant at which the exact minimum is private enough, while
/// at half of it the minimum is not. The sigma of the noisy release is close to it.
double quick_sigma(const Curvature& curvature, double epsilon, double goal, Adjacency adjacency) {
  constexpr double max = 0x1p39;
  double sigma = 1;
  const auto met = [&](double at) {
    return exact_delta(at * curvature.lipschitz, curvature, epsilon, adjacency) <= goal;
  };
  while (sigma < max && !met(sigma)) sigma *= 2;
  while (sigma > 1 / max && met(0.5 * sigma)) sigma *= 0.5;
  return sigma * curvature.lipschitz;
}

}  // namespace

double epsilon(const ObjectivePerturbation& event, double target, Adjacency adjacency) {
  thread_local MemoCache<8> cache;
  return cache({event.sigma, event.lipschitz, event.smoothness, event.regularization,
                event.tolerance, event.output_sigma, target, static_cast<double>(adjacency)},
               [&] { return min_epsilon(event, target, adjacency); });
}

double calibrate_sigma(const Curvature& curvature, Epsilon target, Delta limit,
                       Adjacency adjacency) {
  const double goal = limit.value();
  const auto refuse = [&](const char* why) {
    throw base::GuaranteeError("no noise makes objective perturbation ({:.4g}, {:.4g})-DP: {}",
                               target.value(), goal, why);
  };
  if (!(goal > 0)) refuse("Gaussian noise needs delta above 0");
  const double c = std::log1p(curvature.smoothness / curvature.regularization);
  if (!(c < target.value())) {
    refuse(
        "the curvature of one loss alone, ln(1 + smoothness / regularization), costs more; ask "
        "for more regularization");
  }
  if (!(gaussian::delta(curvature.output_mu, target.value() - c) < goal)) {
    refuse("the noise on the minimum is too small for its tolerance");
  }
  const auto delta_at = [&](double sigma) {
    if (curvature.output_mu == 0) {
      return exact_delta(sigma, curvature, target.value(), adjacency);
    }
    // The tolerance that gives this mu at output noise 1.
    const ObjectivePerturbation event{sigma,
                                      curvature.lipschitz,
                                      curvature.smoothness,
                                      curvature.regularization,
                                      0.5 * curvature.output_mu * curvature.regularization,
                                      1};
    return delta(event, target.value(), adjacency);
  };
  double high = curvature.output_mu == 0 ? curvature.lipschitz
                                         : quick_sigma(curvature, target.value(), goal, adjacency);
  double below = delta_at(high);
  while (!(below <= goal)) {
    high *= 2;
    if (high > 1e12 * curvature.lipschitz) refuse("none of any size was found");
    below = delta_at(high);
  }
  double low = 0.5 * high;
  double above = delta_at(low);
  while (above <= goal) {
    high = low;
    below = above;
    low *= 0.5;
    if (low < 1e-12 * curvature.lipschitz) return high;
    above = delta_at(low);
  }
  return threshold({low, above}, {high, below}, goal, 1e-6, delta_at);
}

double published_sigma(double lipschitz, Epsilon target, Delta limit, Adjacency adjacency) {
  return distance_factor(adjacency) * lipschitz *
         std::sqrt(8 * std::log(2 / limit.value()) + 4 * target.value()) / target.value();
}

double published_regularization(double smoothness, Epsilon target) {
  return 2 * smoothness / target.value();
}

PureShares pure_shares(double smoothness, double regularization, Epsilon target,
                       double output_share) {
  constexpr double margin = 1e-12;  // for the rounding of the sum of the shares
  const double determinant = std::log1p(smoothness / regularization) * (1 + margin);
  const double output = output_share * target.value();
  const double linear = (target.value() - determinant - output) * (1 - margin);
  if (!(linear > 0)) {
    throw base::GuaranteeError(
        "ln(1 + smoothness / regularization) = {:.4g} leaves nothing of epsilon {:.4g}; ask for "
        "more regularization",
        determinant, target.value());
  }
  return {determinant, linear, output};
}

}  // namespace tacet::accounting::objective
