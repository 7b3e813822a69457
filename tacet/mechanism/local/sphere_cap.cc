#include "tacet/mechanism/local/sphere_cap.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "tacet/base/error.h"
#include "tacet/numeric/elementary.h"
#include "tacet/numeric/roots.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"
#include "tacet/random/exact/exact_normal.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/source/source.h"

namespace tacet::mechanism {
namespace {

using numeric::Bracketed;

// More than exp, its argument, three roundings and the draws beyond max_candidates change.
constexpr double slack = 0x1p-40;

double middle_of(const Bracketed& value) { return 0.5 * (value.low + value.high); }

double on_grid(double threshold, int bits) {
  return std::ldexp(std::floor(std::ldexp(threshold, bits)), -bits);
}

constexpr int bits = 256;

/// P(Z >= z) for a standard normal Z and a dyadic z in [0, 40].
Bracketed normal_tail(double z) {
  if (z == 0) return {0.5, 0.5};
  int exponent = 0;
  auto odd = static_cast<std::uint64_t>(std::ldexp(std::frexp(z, &exponent), 53));
  exponent -= 53;
  for (; odd % 2 == 0; odd /= 2) ++exponent;
  const auto half = boost::multiprecision::cpp_int(1) << (bits - 1);
  // z = odd 2^exponent is odd / (2 sigma) at sigma = 2^(-exponent - 1).
  const auto centred = random::internal::centred_normal_at(odd, std::ldexp(1, -exponent - 1), bits);
  const auto near = [](const boost::multiprecision::cpp_int& scaled) {
    const boost::multiprecision::cpp_int whole = boost::multiprecision::cpp_int(1) << bits;
    return random::internal::approximate(random::internal::Fraction{scaled, whole});
  };
  return {near(half - centred.high) * numeric::down_ulps(4),
          near(half - centred.low) * numeric::up_ulps(4)};
}

double normal_density(double z) { return numeric::exp(-0.5 * z * z) * numeric::inverse_sqrt_2pi; }

/// The unrounded law, seen from the threshold.
struct Law {
  Bracketed tail;
  double upper_mean;  ///< E[t; t >= threshold]
};

Law law_at(const CapPlan& plan, const numeric::SphereCoordinate* sphere, double threshold) {
  if (plan.shape == CapShape::plane) return {normal_tail(threshold), normal_density(threshold)};
  return {sphere->tail(threshold), sphere->upper_mean(threshold)};
}

/// E<V, u> when the random draw has the odds of the unrounded law.
double ideal_mean(const Law& law, double epsilon) {
  const double odds = numeric::exp(epsilon) - 1;
  return odds * law.upper_mean / (1 + odds * middle_of(law.tail));
}

/// The random draw of odds at most `odds`.
BitLaw draw(double odds) {
  if (odds <= 1) return {odds / (1 + odds) * (1 - slack), true};
  return {std::min(1 / (1 + odds) * (1 + slack), 0.5), false};
}

[[noreturn]] void refuse_coarse(const CapPlan& plan) {
  throw base::GuaranteeError(
      "candidates of {} coordinates are too coarse to prove epsilon {}: the mass of a cap is known "
      "to {:.2g} only; take a larger epsilon",
      plan.coordinates, plan.epsilon, mass_error(plan));
}

void check_two_sides(const CapPlan& plan, const SphereCap& cap) {
  const double low = cap.mass.low;
  const double high = cap.mass.high;
  if (!(low > 0 && high < 1)) refuse_coarse(plan);
  const double smaller = cap.bit.smaller;
  const double odds = cap.bit.inside_is_smaller ? smaller / (1 - smaller) : (1 - smaller) / smaller;
  // Two reports inside, two outside, and one outside against one inside
  // (docs/proofs/local_randomizers.md, section 3).
  const double max = numeric::exp(plan.epsilon) * (1 - slack);
  if (high / low > max || (1 - low) / (1 - high) > max || high / (1 - high) / odds > max) {
    refuse_coarse(plan);
  }
}

void check_candidates(const CapPlan& plan, double expected) {
  // Room for 48 times as many candidates in one keystream block.
  const double words = 50 * expected * static_cast<double>(plan.coordinates);
  if (expected <= max_expected_candidates &&
      words <= static_cast<double>(random::max_block_words)) {
    return;
  }
  throw base::GuaranteeError(
      "epsilon {} needs {:.3g} candidates of {} coordinates for one report; at most 2^20 are "
      "drawn, and 2^33 random words. Take a smaller epsilon, or the mechanism l2_laplace or djw",
      plan.epsilon, expected, plan.coordinates);
}

double searched_threshold(const CapPlan& plan) {
  const bool plane = plan.shape == CapShape::plane;
  const auto sphere = plane ? std::optional<numeric::SphereCoordinate>()
                            : numeric::SphereCoordinate(plan.coordinates);
  const auto* law = sphere.has_value() ? &*sphere : nullptr;
  // The mean exceeds the threshold below the one fixed point and nowhere above it.
  const auto below = [&](double threshold) {
    return ideal_mean(law_at(plan, law, threshold), plan.epsilon) > threshold;
  };
  // Beyond 40 standard deviations no epsilon that is allowed leads.
  const double far = 40 / std::sqrt(static_cast<double>(plan.coordinates));
  return numeric::bisect_threshold(0.0, plane ? 40.0 : std::min(1.0, far), below, numeric::ulps(4));
}

}  // namespace

double mass_error(const CapPlan& plan) {
  const auto d = static_cast<double>(plan.coordinates);
  // sqrt(pi / 32) = 0.31332..., sqrt(1 / (8 pi)) = 0.19947...
  const double constant = plan.shape == CapShape::angle ? 0.31333 : 0.19948;
  const double rounding = constant * std::sqrt(d) / plan.scale;
  // A coordinate leaves 32 bits, or all are 0; each is 0 with the probability P(|Z| <= 1 / (2
  // scale)).
  const double wide = 2 * numeric::normal_cdf(-(0x1p31 - 1) / plan.scale) * d;
  const double zero = std::pow(numeric::normal_interval(-0.5 / plan.scale, 0.5 / plan.scale), d);
  return rounding + 2 * (wide + zero) * (1 + slack);
}

double best_threshold(const CapPlan& plan) {
  // A memo: a server, its state and the check of its rounds ask for the same threshold, one after
  // the other.
  struct Answer {
    CapPlan plan;
    double threshold = 0;
  };
  thread_local std::optional<Answer> last;
  if (!last || last->plan != plan) last = Answer{plan, searched_threshold(plan)};
  return last->threshold;
}

SphereCap make_cap(const CapPlan& plan, double threshold) {
  const bool plane = plan.shape == CapShape::plane;
  const double place = plane ? on_grid(threshold, 40) : on_grid(threshold, 52);
  const auto sphere = plane ? std::optional<numeric::SphereCoordinate>()
                            : numeric::SphereCoordinate(plan.coordinates);
  const Law law = law_at(plan, sphere.has_value() ? &*sphere : nullptr, place);
  const double tail = middle_of(law.tail);
  check_candidates(plan, 1 / tail + 1 / (1 - tail) - 1);
  const double error = mass_error(plan);
  SphereCap cap{
      .shape = plan.shape,
      .coordinates = plan.coordinates,
      .scale = plan.scale,
      .threshold = plane ? place * plan.scale : place,
      .tail = law.tail,
      .mass = {(law.tail.low - error) * (1 - slack), (law.tail.high + error) * (1 + slack)}};
  if (!(cap.mass.low > 0 && cap.mass.high < 1)) refuse_coarse(plan);
  const double growth = numeric::exp(plan.epsilon) * (1 - slack);
  cap.bit = draw(growth * cap.mass.low / (1 - cap.mass.low) * (1 - slack));
  check_two_sides(plan, cap);
  const double inside = cap.bit.inside();
  const double outside = cap.bit.inside_is_smaller ? 1 - inside : cap.bit.smaller;
  cap.mean = law.upper_mean * (inside / tail - outside / (1 - tail));
  cap.expected_candidates = 1 / tail + 1 / (1 - tail) - 1;
  const double rarer = std::min(cap.mass.low, 1 - cap.mass.high);
  cap.max_candidates = static_cast<std::int64_t>(std::ceil(48 / rarer));
  return cap;
}

}  // namespace tacet::mechanism
