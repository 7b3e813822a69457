#include "tacet/learn/plan/wang2021.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/model/loss/loss_smoothness.h"

namespace tacet::learn::wang2021 {
namespace {

// Here the exponent of T in Theorem 9 falls to 1: the root of 2 a^2 + 7 a - 3.
const double switch_on_space = (std::sqrt(73.0) - 7) / 4;

double real(std::int64_t count) { return static_cast<double>(count); }

// n^power rounded up; exact powers are not rounded.
std::int64_t power_of(std::int64_t n, double power) {
  const double value = std::ceil(std::pow(real(n), power) * (1 - 1e-12) - 1e-6);
  if (!(value <= 0x1p40)) {
    throw base::UsageError("the paper's schedule takes {:.3g} steps for {} records; give `steps`",
                           value, n);
  }
  return static_cast<std::int64_t>(value);
}

// lambda and s = sigma^2 / (4 B^2) of Theorem 11.
struct Order {
  double lambda;
  double s;
};
Order order_at(std::int64_t n, std::int64_t T, double epsilon, double delta, double beta) {
  const double lambda = std::log(1 / delta) / ((1 - beta) * epsilon) + 1;
  return {lambda, 3.5 * real(T) * lambda / (real(n) * real(n) * beta * epsilon)};
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

Constants constants(const model::Loss& loss, double norm_bound) {
  const auto facts = model::smoothness(loss);
  return {facts.exponent, facts.constant * std::pow(norm_bound, 1 + facts.exponent),
          norm_bound * model::slope_bound_within(loss, 0), model::largest_loss_at_zero(loss)};
}

double iterate_growth(const Constants& c) {
  const double a = c.alpha;
  if (a == 0) return (c.M + c.L) * (c.M + c.L) + 2 * c.f0;
  if (a == 1) return 2 * c.f0;
  return (1 - a) / (1 + a) * std::pow(c.L, 2 / (1 - a)) + 2 * c.f0;
}

double expansion(const Constants& c, double eta) {
  const double a = c.alpha;
  if (a == 1) return 0;
  return std::sqrt((1 - a) / (1 + a)) * std::pow(std::exp2(-a) * c.L * eta, 1 / (1 - a));
}

double overcount(std::int64_t n, std::int64_t T, double gamma) {
  const double ratio = 3 * real(n) * std::log(real(n) / gamma) / real(T);
  return std::max(std::sqrt(ratio), ratio);
}

double gradient_bound(const Constants& c, double radius) {
  return c.M + c.L * std::pow(radius, c.alpha);
}

double longest_step(const Constants& c, const Run& run) {
  if (c.alpha < 1) return run.radius ? HUGE_VAL : 1;
  return run.radius ? 2 / c.L : std::min(1.0, 1 / c.L);
}

double sensitivity(const Constants& c, const Run& run, double gamma) {
  if (run.eta > longest_step(c, run)) {
    throw base::UsageError("Theorem 7 holds for steps up to {:.6g}, got {:.6g}",
                           longest_step(c, run), run.eta);
  }
  const double visits = real(run.T) / real(run.n) * (1 + overcount(run.n, run.T, gamma));
  const double bound =
      run.radius ? gradient_bound(c, *run.radius)
                 : c.M + c.L * std::pow(iterate_growth(c) * real(run.T) * run.eta, c.alpha / 2);
  const double grown = expansion(c, run.eta);
  return std::sqrt(std::numbers::e) *
         std::sqrt(grown * grown * real(run.T) +
                   4 * bound * bound * run.eta * run.eta * (1 + visits) * visits);
}

OutputNoise output_noise(const Constants& c, const Run& run, double epsilon, double delta) {
  const double moved = sensitivity(c, run, delta / 2);
  if (epsilon <= 1) return {moved * std::sqrt(2 * std::log(2.5 / delta)) / epsilon, false};
  return {
      accounting::gaussian::sigma_for(moved, privacy::Epsilon(epsilon), privacy::Delta(delta / 2)),
      true};
}

double step_size(Theorem theorem, const ScheduleFacts& asked, std::int64_t T) {
  const auto& [n, d, alpha, epsilon, delta] = asked;
  const double root = std::sqrt(real(n));
  const double spread = std::sqrt(real(d) * std::log(1 / delta));
  switch (theorem) {
    case Theorem::output_on_space:
      return std::pow(real(n), 1 / (3 + alpha)) / real(T);
    case Theorem::output_on_ball:
      return 1 / (real(T) * std::max(1 / root, std::sqrt(spread) / std::sqrt(real(n) * epsilon)));
    case Theorem::gradient_on_ball:
      return std::min(root, real(n) * epsilon / spread) / real(T);
  }
  throw base::InternalError("unknown theorem");
}

Schedule schedule(Theorem theorem, const ScheduleFacts& asked) {
  const auto n = asked.n;
  const double alpha = asked.alpha;
  std::int64_t T = n;
  if (theorem == Theorem::output_on_space) {
    if (alpha <= switch_on_space) {
      T = power_of(n, (6 - 3 * alpha - alpha * alpha) / ((1 + alpha) * (3 + alpha)));
    }
  } else if (alpha < 0.5) {
    T = power_of(n, (2 - alpha) / (1 + alpha));
  }
  return {T, step_size(theorem, asked, T)};
}

bool feasible(std::int64_t n, std::int64_t T, double epsilon, double delta, double beta) {
  const auto [lambda, s] = order_at(n, T, epsilon, delta, beta);
  if (!(s >= 0.67)) return false;
  const double argument = real(n) / (lambda * (1 + s));
  return argument > 1 && lambda - 1 <= 2 * s / 3 * std::log(argument);
}

std::optional<GradientNoise> gradient_noise(std::int64_t n, std::int64_t T, double epsilon,
                                            double delta) {
  constexpr int half = 3200;  // logit of beta on [-16, 16] by 0.005
  const auto beta_at = [](int i) { return logistic(0.005 * i); };
  int best = half + 1;
  for (int i = 0; i <= half && best > half; ++i) {
    for (const int side : {-i, i}) {
      if (feasible(n, T, epsilon, delta, beta_at(side))) {
        best = side;
        break;
      }
    }
  }
  if (best > half) return std::nullopt;
  double beta = beta_at(best);
  if (best != 0) {
    double outside = beta_at(best > 0 ? best - 1 : best + 1);
    for (int i = 0; i < 100; ++i) {
      const double middle = (beta + outside) / 2;
      (feasible(n, T, epsilon, delta, middle) ? beta : outside) = middle;
    }
  }
  return gradient_noise_at(n, T, epsilon, delta, beta);
}

GradientNoise gradient_noise_at(std::int64_t n, std::int64_t T, double epsilon, double delta,
                                double beta) {
  const auto [lambda, s] = order_at(n, T, epsilon, delta, beta);
  return {beta, lambda, std::sqrt(s)};
}

}  // namespace tacet::learn::wang2021
