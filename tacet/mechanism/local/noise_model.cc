#include "tacet/mechanism/local/noise_model.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/numeric/elementary.h"
#include "tacet/numeric/special.h"

namespace tacet::mechanism {
namespace {

/// -ln(1 - u) / u, 0 <= u < 1.
double log_ratio(double u) {
  if (u < 1e-8) return 1 + u / 2 + u * u / 3;
  return -numeric::log(1 - u) / u;
}

/// A coordinate of the unit sphere in m dimensions has E exp(x t) <= exp(x^2 / (2 m)): compare the
/// two series term by term.
double sphere_growth(double x, double dimensions) { return x * x / (2 * dimensions); }

/// A quadrature over the angle: weights of the density sin^(d-2) at the middles of `nodes` equal
/// pieces of (0, pi), split at the cap's boundary. Each part is scaled to the probability that a
/// report lies in it.
struct AngleRule {
  std::vector<double> cosine;
  std::vector<double> weight;
};

void add_part(AngleRule& rule, double from, double to, double probability, double power) {
  constexpr int nodes = 400;
  const std::size_t first = rule.weight.size();
  double sum = 0;
  for (int i = 0; i < nodes; ++i) {
    const double turns = (from + (to - from) * (i + 0.5) / nodes);
    const auto [sine, cosine] = numeric::sine_cosine(turns);
    const double weight = sine <= 0 ? 0 : numeric::exp(power * numeric::log(sine));
    rule.cosine.push_back(cosine);
    rule.weight.push_back(weight);
    sum += weight;
  }
  for (std::size_t i = first; i < rule.weight.size(); ++i) rule.weight[i] *= probability / sum;
}

/// arccos(x) in turns, by bisection of sine_cosine: the same on every machine.
double turns_of_cosine(double x) {
  double low = 0;
  double high = 0.5;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (numeric::sine_cosine(middle).cosine > x ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

AngleRule angle_rule(const NoiseModel& noise) {
  AngleRule rule;
  const double threshold = turns_of_cosine(noise.threshold);
  const auto power = static_cast<double>(noise.coordinates - 2);
  // With many coordinates almost all of the density lies within this distance.
  const double reach = std::min(0.25, 2 / std::sqrt(static_cast<double>(noise.coordinates)));
  add_part(rule, std::max(0.0, std::min(threshold, 0.25 - reach)), threshold, noise.inside, power);
  add_part(rule, threshold, 0.25 + reach, 1 - noise.inside, power);
  return rule;
}

double log_sum(const AngleRule& rule, double linear, double quadratic) {
  double max = -HUGE_VAL;
  for (const double c : rule.cosine) {
    max = std::max(max, linear * c + quadratic * (1 - c * c));
  }
  double sum = 0;
  for (std::size_t i = 0; i < rule.cosine.size(); ++i) {
    const double c = rule.cosine[i];
    sum += rule.weight[i] * numeric::exp(linear * c + quadratic * (1 - c * c) - max);
  }
  return max + numeric::log(sum);
}

double angle_proxy(const NoiseModel& noise, double a) {
  const AngleRule rule = angle_rule(noise);
  const auto others = static_cast<double>(noise.coordinates - 1);
  double worst = 0;
  constexpr int directions = 33;
  constexpr int steps = 48;
  for (int i = 0; i < directions; ++i) {
    const double c = -1 + 2.0 * i / (directions - 1);
    for (int k = 0; k < steps; ++k) {
      // From a / 200 to a, with a constant factor between neighbours.
      const double share = numeric::exp(-5.298317366548036 * (steps - 1 - k) / (steps - 1));
      const double x = a * share * noise.amplitude;
      const double growth = log_sum(rule, x * c, sphere_growth(x, others) * (1 - c * c)) -
                            a * share * noise.clipping_norm * c;
      worst = std::max(worst, 2 * growth / (a * share * a * share));
    }
  }
  return 1.01 * worst;
}

double plane_proxy(const NoiseModel& noise, double a) {
  // ln E exp(t alpha) - t^2 / 2 - t z, where alpha is the truncated normal: its largest share of
  // t^2 / 2.
  const double low = (1 - noise.inside) / (1 - noise.tail);
  const double high = noise.inside / noise.tail;
  const double z = noise.clipping_norm / noise.amplitude;
  double worst = 0;
  constexpr int steps = 400;
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int k = 1; k <= steps; ++k) {
      const double t = sign * a * noise.amplitude * k / steps;
      if (std::fabs(t) < 1e-3) continue;
      const double rate = low + (high - low) * numeric::normal_cdf(t - noise.threshold);
      worst = std::max(worst, 2 / (t * t) * (numeric::log(rate) - t * z));
    }
  }
  return noise.amplitude * noise.amplitude * (1 + 1.01 * worst);
}

}  // namespace

double NoiseModel::second_moment(double gradient_norm) const {
  const auto d = static_cast<double>(dimension);
  const double share = gradient_norm / clipping_norm;
  if (!reports_direction(mechanism)) return gradient_norm * gradient_norm + d * variance;
  const double all = along + static_cast<double>(coordinates - 1) * across;
  const double square = amplitude * amplitude;
  if (coordinates == dimension) return square * all;
  // Leaves out the last coordinate, whose direction has the cosine sqrt(1 - share^2) with u.
  const double last = (1 - share * share) * along + share * share * across;
  return square * (all - last);
}

double NoiseModel::proxy(double a) const {
  if (!(a > 0 && a <= range && std::isfinite(a))) {
    throw base::UsageError("the bound holds for 0 < a <= {}, got {}", range, a);
  }
  const double u = a * noise_scale * a * noise_scale;
  switch (mechanism) {
    case LocalMechanism::l2_laplace:
    case LocalMechanism::coordinate_laplace:
      // (1 - theta^2 beta^2)^(-(d+1)/2) of every marginal, and the like for coordinates: this is
      // the smallest constant, since -ln(1 - u)/u increases (docs/proofs/local_randomizers.md,
      // section 5).
      return variance * log_ratio(u);
    case LocalMechanism::gaussian:
      return variance;
    case LocalMechanism::privunitg:
      return plane_proxy(*this, a);
    case LocalMechanism::privunit:
    case LocalMechanism::djw:
      break;
  }
  // +-B: the lemma of Hoeffding.
  if (coordinates == 1) return amplitude * amplitude;
  return angle_proxy(*this, a);
}

}  // namespace tacet::mechanism
