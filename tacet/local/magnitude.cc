#include "tacet/local/magnitude.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "tacet/numeric/elementary.h"
#include "tacet/numeric/exp_each.h"

namespace tacet::local {
namespace {

constexpr std::size_t node_count = 64;  // 40 reach 1e-15 already
constexpr double infinity = std::numeric_limits<double>::infinity();
// Where the integrand is below e^-45 of its largest value it is left out.
constexpr double depth = 45;
// Beyond it 1 - e^-z is 1 in doubles.
constexpr double far = 100;

using Nodes = std::array<double, node_count>;

struct Rule {
  Nodes places;  // in (0, 1)
  Nodes weights;
};

// Newton's method on the Legendre polynomial of degree 64, by its recursion.
Rule gauss_legendre() {
  Rule rule{};
  constexpr auto n = static_cast<double>(node_count);
  for (std::size_t i = 0; i < node_count; ++i) {
    double x = -numeric::sine_cosine((static_cast<double>(i) + 0.75) / (2 * n + 1)).cosine;
    double slope = 0;
    for (int iteration = 0; iteration < 10; ++iteration) {
      double before = 1;
      double value = x;
      for (std::size_t k = 2; k <= node_count; ++k) {
        const auto order = static_cast<double>(k);
        const double next = ((2 * order - 1) * x * value - (order - 1) * before) / order;
        before = value;
        value = next;
      }
      slope = n * (before - x * value) / ((1 - x) * (1 + x));
      x -= value / slope;
    }
    rule.places[i] = (1 + x) / 2;
    rule.weights[i] = 1 / ((1 - x) * (1 + x) * slope * slope);
  }
  return rule;
}

const Rule& rule() {
  static const Rule made = gauss_legendre();
  return made;
}

// exp(-P r^2 + Q r) on the part of [0, 1] that counts, divided by its largest value e^top.
struct Support {
  double top;
  double width;  // of that part
  Nodes r;
  Nodes density;
};

Support support_of(double p, double q) {
  Support support{};
  const auto& x = rule().places;
  if (p > 0 && q < 2 * p) {
    const double peak = q / (2 * p);
    const double reach = std::sqrt(depth / p);
    const double low = std::max(0.0, peak - reach);
    const double high = std::min(1.0, peak + reach);
    support.top = q * (q / (4 * p));
    support.width = high - low;
    for (std::size_t i = 0; i < node_count; ++i) {
      support.r[i] = low + support.width * x[i];
      const double from_peak = support.r[i] - peak;
      support.density[i] = -p * (from_peak * from_peak);
    }
  } else {
    // Largest at r = 1; counted from there, so that nothing cancels.
    const double slope = q - 2 * p;
    const double denominator = slope + std::sqrt(slope * slope + 4 * p * depth);
    support.top = q - p;
    support.width = denominator > 0 ? std::min(1.0, 2 * depth / denominator) : 1;
    for (std::size_t i = 0; i < node_count; ++i) {
      const double t = support.width * x[i];
      support.r[i] = 1 - t;
      support.density[i] = -(slope * t + p * (t * t));
    }
  }
  numeric::exp_each(support.density);
  return support;
}

// e^(-2 Q r).
Nodes reflected(const Support& support, double q) {
  Nodes out;
  for (std::size_t i = 0; i < node_count; ++i) out[i] = -std::min(2 * q * support.r[i], far);
  numeric::exp_each(out);
  return out;
}

// 1 - e^-z for z in [0, 1], without cancellation: its series.
double one_minus_exp(double z) {
  double sum = 0;
  for (int k = 20; k >= 2; --k) sum = (1 - sum) * z / k;
  return z * (1 - sum);
}

}  // namespace

double log_abs_h(double p, double q) {
  q = std::fabs(q);
  if (q == 0) return -infinity;
  const auto support = support_of(p, q);
  const auto& weights = rule().weights;
  double sum = 0;
  const double highest = support.r.back() > support.r.front() ? support.r.back() : support.r[0];
  if (2 * q * highest < 1) {
    for (std::size_t i = 0; i < node_count; ++i) {
      sum += weights[i] * support.r[i] * support.density[i] * one_minus_exp(2 * q * support.r[i]);
    }
  } else {
    // What cancels at small r is a small part of the sum.
    const auto mirror = reflected(support, q);
    for (std::size_t i = 0; i < node_count; ++i) {
      sum += weights[i] * support.r[i] * support.density[i] * (1 - mirror[i]);
    }
  }
  return support.top + numeric::log(support.width * sum / 2);
}

double log_f(double p, double q) {
  q = std::fabs(q);
  const auto support = support_of(p, q);
  const auto mirror = reflected(support, q);
  const auto& weights = rule().weights;
  double sum = 0;
  for (std::size_t i = 0; i < node_count; ++i) {
    sum += weights[i] * support.density[i] * (1 + mirror[i]);
  }
  return support.top + numeric::log(support.width * sum / 2);
}

double Magnitude::value() const { return sign == 0 ? 0 : sign * numeric::exp(log_size); }

Magnitude Wealth::magnitude() const {
  if (gain == 0) return {-infinity, 0};
  const double log_size = numeric::log(initial) + numeric::log(range) +
                          log_abs_h(range * range * penalty, range * gain);
  return {log_size, gain < 0 ? -1 : 1};
}

double Wealth::log_bound() const {
  return numeric::log(initial) + log_f(range * range * penalty, range * gain);
}

Conjugate wealth_conjugate(const Wealth& wealth, double v) {
  const auto value_at = [&](double gain) {
    const Wealth there{wealth.initial, wealth.range, gain, wealth.penalty};
    return v * gain - numeric::exp(there.log_bound());
  };
  if (!(v > 0)) return {value_at(0), 0};
  // The magnitude grows in x: its root is where the derivative v - m vanishes.
  const double aim = numeric::log(v);
  const auto beyond = [&](double gain) {
    return Wealth{wealth.initial, wealth.range, gain, wealth.penalty}.magnitude().log_size >= aim;
  };
  double low = 0;
  double high = 1 / wealth.range;
  while (!beyond(high)) {
    low = high;
    high *= 2;
  }
  for (int step = 0; step < 200; ++step) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (beyond(middle) ? high : low) = middle;
  }
  return {value_at(high), high};
}

}  // namespace tacet::local
