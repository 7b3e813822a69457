#include "tacet/accounting/routes/rdp.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/accounting/loss/mixture.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::rdp {
namespace {

using numeric::infinity;
using numeric::log1p_exp;
constexpr double pi = 3.14159265358979323846;
constexpr double max_points = 50000;

/// e^x - 1 - x.
double second_order(double x) {
  if (std::fabs(x) > 0.05) return std::expm1(x) - x;
  double term = 0.5 * x * x;
  double sum = term;
  for (int k = 3; k < 12; ++k) sum += (term *= x / k);
  return sum;
}

/// log of e^g - 1 - alpha (e^a - 1) - (1 - alpha) (e^b - 1) with g = alpha a + (1 - alpha) b, which
/// is positive: x^alpha y^(1 - alpha) is jointly convex.
double log_replaced_excess(double alpha, double a, double b) {
  const double g = alpha * a + (1 - alpha) * b;
  if (g > 50) {
    const double rest =
        alpha * std::exp(a - g) + (1 - alpha) * std::exp(b - g);  // the constants cancel
    return g + (rest > 0 && rest < 1 ? std::log1p(-rest) : 0);
  }
  // Here e^b may overflow, and it dominates the sum: alpha > 1, so the term (alpha - 1) e^b is
  // left.
  if (b > 600) return b + std::log(alpha - 1) + safety;
  const double sum = second_order(g) - alpha * second_order(a) + (alpha - 1) * second_order(b);
  return sum > 0 ? std::log(sum) : -infinity;
}

/// The points at which the integrand is summed, and e^-exponent, which bounds the relative error of
/// A. For
/// Im x| <= theta sigma^2 with theta < pi, the integrand is analytic. Its modulus is at most
/// e^{theta^2 sigma^2 / 2} cos(theta / 2)^-(alpha - 1) times that on the real line
/// (docs/proofs/replaced_record.md, section 4), and -log cos(theta / 2) <= 0.154 theta^2 up to
/// theta = 2.
struct Line {
  double step;
  double reach;
  double exponent;
};
Line line_for(double q, double sigma, double alpha) {
  const double variance = sigma * sigma;
  const double exponent = 40 - 2 * std::log(q) + 2 * std::max(0.0, std::log(sigma));
  const double growth = 0.5 * variance + 0.154 * (alpha - 1);
  const double theta = std::min(2.0, std::sqrt(exponent / growth));
  const double step = 2 * pi * theta * variance / (exponent + 1 + theta * theta * growth);
  return {std::min(step, sigma / 6), std::sqrt(2 * exponent) * sigma, exponent};
}

/// log(A - 1), A = E[k(x)^alpha k(-x)^(1 - alpha)] over x ~ N(0, sigma^2) with k(x) = 1 - q + q
/// e^{(2x - 1) / (2 sigma^2)}, rounded up; infinity where it would take too many points. Uses the
/// trapezoid rule on the integrand without its two linear terms, whose means are 0.
double log_replaced_moment_excess(double q, double sigma, double alpha) {
  const double variance = sigma * sigma;
  const auto line = line_for(q, sigma, alpha);
  const double low = -1 - line.reach;
  if ((2 * alpha + line.reach - low) / line.step > max_points) return infinity;
  std::vector<double> logs;
  double largest = -infinity;
  double tail = -infinity;
  for (std::int64_t i = 0;; ++i) {
    const double x = low + static_cast<double>(i) * line.step;
    const double density = -0.5 * x * x / variance;
    const double a = pairs::mixed_loss(q, (2 * x - 1) / (2 * variance));
    const double other = (-2 * x - 1) / (2 * variance);
    const double b = pairs::mixed_loss(q, other);
    logs.push_back(log_replaced_excess(alpha, a, b) + density);
    largest = std::max(largest, logs.back());
    // beyond this point the integrand falls by at least this factor per step
    const double share = q * std::exp(std::min(other, 0.0) - b);
    const double log_ratio = line.step * (alpha + (alpha - 1) * share - x) / variance;
    if (other > 0 || log_ratio > -0.1) continue;
    const double ratio = std::exp(log_ratio);
    tail = alpha * a + (1 - alpha) * b + density + std::log(ratio / (1 - ratio));
    if (tail < largest - 60 || static_cast<double>(i) > max_points) break;
  }
  double sum = 0;
  for (const double value : logs) sum += std::exp(value - largest);
  const double unit = std::log(line.step / sigma) - numeric::log_sqrt_2pi;
  const double inside = numeric::log_add_exp(largest + std::log(sum), tail) + unit;
  // Left of the first point the integrand is at most q (alpha + (alpha - 1) e^{...}): two normal
  // tails.
  const double left = std::log(2 * alpha * q) - line.exponent;
  const double of_rule = std::log(4.0) - line.exponent + numeric::log_add_exp(0, inside);
  return numeric::log_add_exp(numeric::log_add_exp(inside, left), of_rule);
}

}  // namespace

double replaced_gaussian(double q, double sigma, double alpha) {
  if (q == 0 || std::isinf(sigma)) return 0;
  if (q == 1) return gaussian(2 / sigma, alpha);
  // at smaller rates no quadrature resolves q^2
  if (!(sigma > 0) || q < 1e-140) return infinity;
  const double bound =
      log1p_exp(log_replaced_moment_excess(q, sigma, alpha)) / (alpha - 1) * (1 + safety);
  return std::isnan(bound) ? infinity : bound;
}

double replaced_pure(double q, double epsilon, double alpha) {
  if (q == 0 || epsilon == 0) return 0;
  if (std::isinf(epsilon)) return infinity;
  // The worst pair has three losses e', 0 and -e', with the masses u / (1 + e^epsilon) and v / (1 +
  // e^epsilon) at the ends: replaced_record.md, section 3.
  const double log_u = pairs::mixed_loss(q, epsilon);
  const double log_v = pairs::mixed_loss(q, -epsilon);
  const double largest = log_u - log_v;
  const double log_share = -log1p_exp(epsilon);
  const double x = (alpha - 1) * largest;
  const double max = largest * (1 + safety);
  if (x > 50) {
    const double log_moment = numeric::log_add_exp(x + log_u + log_share, log_v);
    return std::min(max, std::max(0.0, log_moment + 1e-15) / (alpha - 1) * (1 + safety));
  }
  const double up = std::exp(log_u + log_share) * std::expm1(x);
  const double down = std::exp(log_v + log_share) * std::expm1(-x);
  const double excess = up + down + 1e-15 * (up - down);
  return std::min(max, std::log1p(excess) / (alpha - 1) * (1 + safety));
}

double replaced(double q, const Curve& base, double alpha) {
  double best = infinity;
  for (const double split : {2.0, 1.25}) {
    const double other = split / (split - 1);
    const double order = alpha - 1 / split;
    best = std::min(best, order / (alpha - 1) * poisson_remove(q, base, split * alpha) +
                              poisson_add(q, base, other * order));
  }
  return best * (1 + safety);
}

}  // namespace tacet::accounting::rdp
