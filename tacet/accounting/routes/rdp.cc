#include "tacet/accounting/routes/rdp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/numeric/roots.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::rdp {
namespace {

using numeric::infinity;
using numeric::log1p_exp;
// Beyond this order the real-order quadrature costs more than the sum over integers.
constexpr double largest_quadrature_order = 48;
// Below this noise the quadrature's step, half the variance, would need too many points.
constexpr double smallest_quadrature_sigma = 0.05;
// Sums over all integers up to the order stop at this order. The curve inside may be such a sum
// itself. At higher orders a sample is taken to cost as much as the whole data set.
constexpr double largest_sampled_order = 1024;

double raise(double value) { return value <= 0 ? 0 : value * (1 + safety); }

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// log of (1 + t)^power - 1 - power t for t > -1. The function (1 + t)^power is convex for a power
/// outside of [0, 1], so the difference is positive.
double log_excess(double power, double t, double log1p_t) {
  const double exponent = power * log1p_t;
  if (std::fabs(power * t) < 1e-2 && std::fabs(t) < 1e-2) {
    double term = 0.5 * power * (power - 1) * t * t;
    double sum = term;
    for (int k = 3; k < 12; ++k) {
      term *= (power - k + 1) / k * t;
      sum += term;
    }
    return std::log(sum);
  }
  if (exponent > 50) return exponent + std::log1p(-(1 + power * t) * std::exp(-exponent));
  return std::log(std::expm1(exponent) - power * t);
}

/// log(A - 1) for A = E[(1 - q + q e^u)^power], u = (2x - 1) / (2 sigma^2), x ~ N(0, sigma^2), by
/// the trapezoid rule on the real line. The integrand minus its two first Taylor terms (whose means
/// are 1 and 0) is positive and analytic in |Im x| < pi sigma^2, so the step below leaves a
/// relative error under e^-38.
double log_moment_excess(double q, double sigma, double power) {
  const double variance = sigma * sigma;
  const double step = std::min(sigma / 4, variance / 2);
  const double reach = 13 * sigma;
  const double low = -reach;
  const double high = std::max(1.0, power) + reach;
  const auto count = static_cast<std::int64_t>(std::ceil((high - low) / step));
  std::vector<double> logs;
  logs.reserve(static_cast<std::size_t>(count) + 1);
  double largest = -infinity;
  for (std::int64_t i = 0; i <= count; ++i) {
    const double x = low + static_cast<double>(i) * step;
    const double u = (2 * x - 1) / (2 * variance);
    double t = 0;
    double log1p_t = 0;
    if (u < 600) {
      t = q * std::expm1(u);
      log1p_t = std::log1p(t);
    } else {
      log1p_t = u + std::log(q);
      t = std::exp(std::min(log1p_t, 700.0));
    }
    if (t == 0) continue;
    const double value = log_excess(power, t, log1p_t) - x * x / (2 * variance);
    logs.push_back(value);
    largest = std::max(largest, value);
  }
  double sum = 0;
  for (const double value : logs) sum += std::exp(value - largest);
  return largest + std::log(sum * step / sigma) - numeric::log_sqrt_2pi;
}

/// log(A - 1) at an integer order: the terms k = 0, 1 of the binomial sum cancel against 1.
double log_moment_excess_integer(double q, double sigma, std::int64_t alpha) {
  const double log_q = std::log(q);
  const double log_rest = std::log1p(-q);
  const auto order = static_cast<double>(alpha);
  std::vector<double> logs;
  double largest = -infinity;
  for (std::int64_t i = 2; i <= alpha; ++i) {
    const auto k = static_cast<double>(i);
    const double exponent = (k * k - k) / (2 * sigma * sigma);
    const double growth =
        exponent > 40 ? exponent : std::log(std::expm1(exponent));  // e^-40 is below rounding
    const double rest = i == alpha ? 0 : (order - k) * log_rest;
    logs.push_back(log_choose(order, k) + k * log_q + rest + growth);
    largest = std::max(largest, logs.back());
  }
  double sum = 0;
  for (const double value : logs) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

/// (alpha - 1) r(alpha) is convex in alpha and 0 at alpha = 1: the chord between integers bounds
/// it.
template <typename AtInteger>
double interpolate(double alpha, const AtInteger& at_integer) {
  const double below = std::floor(alpha);
  const double above = std::ceil(alpha);
  const double upper = at_integer(above) * (above - 1);
  if (above == below) return upper / (alpha - 1);
  const double lower = below <= 1 ? 0 : at_integer(below) * (below - 1);
  const double share = alpha - below;
  return (lower * (1 - share) + upper * share) / (alpha - 1);
}

void check_rate(double q) {
  if (!(q >= 0 && q <= 1)) {
    throw base::UsageError("the sampling rate must lie in [0, 1], got {}", q);
  }
}

}  // namespace

void check_order(double alpha) {
  if (!(alpha > 1)) throw base::UsageError("a Renyi order must exceed 1, got {}", alpha);
}

double gaussian(double mu, double alpha) {
  check_order(alpha);
  // Never 0, however small mu is.
  return mu == 0
             ? 0
             : std::max(raise(0.5 * alpha * mu * mu), std::numeric_limits<double>::denorm_min());
}

double laplace(double scale, double alpha) {
  check_order(alpha);
  if (scale == 0) return infinity;
  if (std::isinf(scale)) return 0;
  const double e = 1 / scale;
  // The factor e^{(alpha-1)e} is taken out; the rest lies in (0, 1].
  const double rest = (alpha - 1) / (2 * alpha - 1) * std::expm1(-(2 * alpha - 1) * e);
  return raise(std::max(0.0, e + std::log1p(rest) / (alpha - 1)) + 1e-15 * e);
}

double discrete_laplace(double scale, double distance, double alpha) {
  check_order(alpha);
  if (scale == 0) return infinity;
  // sum_k p(k)^alpha p(k - distance)^(1 - alpha) in three geometric sums. With the factor
  // e^{(alpha-1)e} taken out, they are 1 + rest, and nothing cancels in the rest.
  const double e = distance / scale;
  const double w = (2 * alpha - 1) / scale;
  const double x = std::exp(-1 / scale);
  const double rest = std::expm1(-w * distance) / std::expm1(-w) * x *
                      std::expm1(-2 * (alpha - 1) / scale) / (1 + x);
  return raise(std::max(0.0, e + std::log1p(rest) / (alpha - 1)) + 1e-15 * e);
}

double pure(double epsilon, double alpha) {
  check_order(alpha);
  if (std::isinf(epsilon) || epsilon == 0) return epsilon;
  // log[(e^{alpha e} + e^{(1-alpha) e}) / (1 + e^e)], with the largest exponential taken out.
  const double value =
      (alpha - 1) * epsilon + log1p_exp((1 - 2 * alpha) * epsilon) - std::log1p(std::exp(-epsilon));
  const double precise = 1e-14 * (1 + epsilon);
  return std::min(epsilon, raise(std::max(0.0, value) / (alpha - 1) + precise / (alpha - 1)));
}

double bounded_range(double epsilon, double alpha) {
  check_order(alpha);
  if (epsilon == 0) return 0;
  if (std::isinf(epsilon)) return infinity;
  // The losses are epsilon - t and -t, with weights that make both laws probabilities.
  const auto at = [&](double t) {
    const double log_first = std::log(std::expm1(t)) - std::log(std::expm1(epsilon));
    const double log_second = numeric::log1mexp(log_first);
    return numeric::log_add_exp(log_first + alpha * (epsilon - t), log_second - alpha * t) /
           (alpha - 1);
  };
  if (epsilon > 500) return std::min(epsilon, alpha * epsilon * epsilon / 8);
  // The function is flat at its maximum, so the error of the last bracket is far below the margin
  // added here.
  const double largest =
      -numeric::golden_sections(0, epsilon, 60, [&](double t) { return -at(t); });
  const double best = largest * (1 + 1e-9) + 1e-14;
  return std::min({best, epsilon, raise(alpha * epsilon * epsilon / 8)});
}

double score_selection(const ScoreSelection& event, double alpha) {
  check_order(alpha);
  const double spread = event.eta * event.range_sensitivity;
  const double by_range = bounded_range(spread, alpha);
  const auto untouched = event.candidates - event.support;
  const double x = event.eta * event.score_bound;
  if (untouched <= 0 || spread == 0) return std::min(spread, by_range);
  // A bound of the variance of the loss along the path between the two laws, integrated against the
  // kernel min(t (alpha - 1), alpha - t).
  const double change = event.eta * event.l2_sensitivity;
  const double scale = change * change / static_cast<double>(untouched);
  const double cap = spread * spread / 4;
  const double head = 0.5 * (alpha - 1);
  double integral = 0;
  if (scale == 0) return 0;
  if (scale * std::exp(x) >= cap) {
    integral = cap * (head + 0.5 * (alpha - 1) * (alpha - 1));
  } else {
    const double cut = x == 0 ? alpha : std::clamp(std::log(cap / scale) / x, 1.0, alpha);
    // The integral of (alpha - t) e^{x t} over [1, cut]: 64 Gauss-like panels for small x, else
    // closed form.
    double middle = 0;
    if (x < 1e-3) {
      const double width = cut - 1;
      middle = (alpha - 1) * width - 0.5 * width * width;
      middle *= std::exp(x * cut);
    } else {
      const auto f = [&](double t) {
        return (alpha - t) * std::exp(t * x) / x + std::exp(t * x) / (x * x);
      };
      middle = f(cut) - f(1);
    }
    integral =
        scale * std::exp(x) * head + scale * middle + 0.5 * cap * (alpha - cut) * (alpha - cut);
  }
  return std::min({spread, by_range, raise(integral / (alpha - 1))});
}

double poisson_gaussian(double q, double sigma, double alpha) {
  check_rate(q);
  check_order(alpha);
  if (q == 0 || std::isinf(sigma)) return 0;
  if (sigma == 0) return infinity;
  if (q == 1) return gaussian(1 / sigma, alpha);
  const auto at_integer = [&](double order) {
    const double excess = log_moment_excess_integer(q, sigma, static_cast<std::int64_t>(order));
    return log1p_exp(excess) / (order - 1);
  };
  if (alpha > largest_quadrature_order || alpha == std::floor(alpha) ||
      sigma < smallest_quadrature_sigma) {
    return raise(interpolate(alpha, at_integer));
  }
  return raise(log1p_exp(log_moment_excess(q, sigma, alpha)) / (alpha - 1));
}

namespace {

/// (order - 1) times the divergence of the law with a record to the law without it, at an integer
/// order. Exact binomial expansion of E_Q[(1 - q + q L)^order].
double poisson_remove_moment(double q, const Curve& base, double order) {
  const double log_q = std::log(q);
  const double log_rest = std::log1p(-q);
  double moment = (order - 1) * log_rest + std::log1p(q * (order - 1));
  for (double k = 2; k <= order; ++k) {
    const double rest = k == order ? 0 : (order - k) * log_rest;
    moment =
        numeric::log_add_exp(moment, log_choose(order, k) + rest + k * log_q + (k - 1) * base(k));
  }
  return std::max(0.0, moment);
}

/// The opposite order, for every real order above 1: Taylor's formula with the largest value of the
/// second derivative, at -q.
double poisson_add_moment(double q, const Curve& base, double order) {
  const double growth = base(2);
  if (!(growth > 0)) return 0;
  const double log_growth = growth > 40 ? growth : std::log(std::expm1(growth));
  return log1p_exp(std::log(0.5 * order * (order - 1)) + 2 * std::log(q) -
                   (order + 1) * std::log1p(-q) + log_growth);
}

/// The chord between the two integers around alpha, or the base itself if that is smaller.
template <typename Moment>
double sampled(double q, const Curve& base, double alpha, const Moment& moment) {
  check_rate(q);
  check_order(alpha);
  if (q == 0) return 0;
  if (q == 1 || alpha > largest_sampled_order) return base(alpha);
  const auto at_integer = [&](double order) { return moment(order) / (order - 1) + 1e-15; };
  return std::min(raise(interpolate(alpha, at_integer)), base(alpha));
}

}  // namespace

double poisson_remove(double q, const Curve& base, double alpha) {
  return sampled(q, base, alpha,
                 [&](double order) { return poisson_remove_moment(q, base, order); });
}

double poisson_add(double q, const Curve& base, double alpha) {
  return sampled(q, base, alpha, [&](double order) { return poisson_add_moment(q, base, order); });
}

double poisson(double q, const Curve& base, double alpha) {
  return sampled(q, base, alpha, [&](double order) {
    return std::max(poisson_remove_moment(q, base, order), poisson_add_moment(q, base, order));
  });
}

double fixed_size(double gamma, const Curve& base, double base_limit, double alpha) {
  check_rate(gamma);
  check_order(alpha);
  if (gamma == 0) return 0;
  if (gamma == 1 || alpha > largest_sampled_order) return base(alpha);
  const double log_gamma = std::log(gamma);
  const double log_2 = std::log(2.0);
  const double log_limit = base_limit > 40 ? infinity : std::log(std::expm1(base_limit));
  const auto at_integer = [&](double order) {
    const double second = base(2);
    const double log_first = std::log(4.0) + (second > 40 ? second : std::log(std::expm1(second)));
    double sum = 2 * log_gamma + log_choose(order, 2) +
                 std::min(log_first, second + std::min(log_2, 2 * log_limit));
    for (double j = 3; j <= order; ++j) {
      sum = numeric::log_add_exp(sum, j * log_gamma + log_choose(order, j) + (j - 1) * base(j) +
                                          std::min(log_2, j * log_limit));
    }
    return log1p_exp(sum) / (order - 1);
  };
  return std::min(raise(interpolate(alpha, at_integer)), base(alpha));
}

}  // namespace tacet::accounting::rdp
