#include "tacet/mechanism/local/local_randomizer.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/local/embedding.h"
#include "tacet/mechanism/local/sphere_report.h"
#include "tacet/mechanism/noise/noise_scale.h"
#include "tacet/numeric/elementary.h"
#include "tacet/numeric/rounding.h"
#include "tacet/random/noise/vector_laplace.h"

namespace tacet::mechanism {
namespace {

constexpr std::int64_t max_dimension = 1000000;
// below this, the slack of the random draw is no longer small
constexpr double min_epsilon = 0x1p-30;
constexpr double max_epsilon = 256;
constexpr double rare = 1e-12;  // probability that an honest report is cut
constexpr int sphere_bits = 30;
constexpr int additive_bits = 20;
constexpr int min_bits = 14;

/// Rounded to 24 bits as optimize rounds the clipping norm, since both must have the same grid.
double rounded_norm(double norm) {
  int exponent = 0;
  const double mantissa = std::frexp(norm, &exponent);
  return std::ldexp(std::floor(std::ldexp(mantissa, 24)), exponent - 24);
}

void check_delta(const LocalSpec& spec) {
  const char* name = local_mechanism_names.of(spec.mechanism);
  const bool gaussian = spec.mechanism == LocalMechanism::gaussian;
  if (gaussian && !(spec.delta > 0 && spec.delta < 1)) {
    throw base::UsageError("gaussian reports need a delta in (0, 1), got {}; {}", spec.delta,
                           "privunit needs none");
  }
  if (!gaussian && spec.delta != 0) {
    throw base::UsageError("{} reports are purely private: leave `delta` out (it is {})", name,
                           spec.delta);
  }
}

LocalSpec checked(LocalSpec spec) {
  if (!(spec.epsilon >= min_epsilon && spec.epsilon <= max_epsilon)) {
    throw base::UsageError(
        "epsilon of a local report must be above 0 (2^-30 at least) and at most {}, got {}",
        max_epsilon, spec.epsilon);
  }
  if (spec.dimension < 1 || spec.dimension > max_dimension) {
    throw base::UsageError(
        "a local report has 1 to {} coordinates, got {}; give hashed columns and texts fewer bits",
        max_dimension, spec.dimension);
  }
  if (!(spec.clipping_norm >= 0x1p-500 && spec.clipping_norm <= 0x1p500)) {
    throw base::UsageError("the clipping norm must be positive and finite, got {}",
                           spec.clipping_norm);
  }
  check_delta(spec);
  spec.clipping_norm = rounded_norm(spec.clipping_norm);
  spec.embedding = resolved_embedding(spec.embedding, spec.dimension, spec.epsilon);
  return spec;
}

/// Rounds a constant that is computed in floating point up to 24 bits, so that all machines have
/// the same one.
double cut_at(double value) { return std::nextafter(static_cast<float>(value), HUGE_VALF); }

/// The length that a Gamma variable of this shape exceeds with that probability.
double gamma_length(double shape, double probability) {
  return boost::math::gamma_q_inv(shape, probability);
}

/// So far from 0 is a normal vector of d coordinates with that probability only.
double normal_length(double d, double probability) {
  return std::sqrt(2 * gamma_length(0.5 * d, probability));
}

}  // namespace

LocalRandomizer LocalRandomizer::calibrate(const LocalSpec& spec) { return LocalRandomizer(spec); }

LocalRandomizer::LocalRandomizer(const LocalSpec& spec)
    : spec_(checked(spec)),
      event_(privacy::PureDp{spec_.epsilon, privacy::Adjacency::replace_one}),
      noise_{.mechanism = spec_.mechanism,
             .dimension = spec_.dimension,
             .clipping_norm = spec_.clipping_norm,
             .coordinates = spec_.dimension} {
  if (reports_direction(spec_.mechanism)) {
    resolve_directions();
  } else if (spec_.mechanism == LocalMechanism::gaussian) {
    resolve_gaussian();
  } else {
    resolve_laplace();
  }
}

void LocalRandomizer::resolve_directions() {
  norm_bits_ = sphere_bits;
  if (spec_.embedding == Embedding::lift) ++noise_.coordinates;
  const bool plane = spec_.mechanism == LocalMechanism::privunitg;
  double mean = 0;
  if (noise_.coordinates == 1 && !plane) {
    // Randomised response (Warner 1965): true with odds e^epsilon, rounded down.
    bit_ = {numeric::round_up(1 / (1 + numeric::exp(spec_.epsilon)) * numeric::amply_up), false};
    noise_.inside = bit_.inside();
    noise_.threshold = 1;
    mean = 1 - 2 * bit_.smaller;
  } else {
    const CapPlan plan{plane ? CapShape::plane : CapShape::angle, noise_.coordinates,
                       spec_.epsilon};
    cap_ = make_cap(plan, spec_.mechanism == LocalMechanism::djw ? 0 : best_threshold(plan));
    bit_ = cap_->bit;
    noise_.inside = bit_.inside();
    noise_.tail = 0.5 * (cap_->tail.low + cap_->tail.high);
    noise_.threshold = plane ? cap_->threshold / cap_->scale : cap_->threshold;
    mean = cap_->mean;
  }
  const auto d = static_cast<double>(noise_.coordinates);
  const double g = spec_.clipping_norm;
  noise_.amplitude = g / mean;
  // E<V, u>^2 (docs/proofs/local_randomizers.md, section 4); 1 and nothing across for one
  // coordinate.
  noise_.along = plane ? 1 + noise_.threshold * mean
                       : (d == 1 ? 1 : (1 + (d - 1) * noise_.threshold * mean) / d);
  noise_.across = plane ? 1 : (d == 1 ? 0 : (1 - noise_.along) / (d - 1));
  const double square = noise_.amplitude * noise_.amplitude;
  noise_.variance = std::max(square * noise_.along - g * g, d == 1 ? 0 : square * noise_.across);
  if (plane) {
    // A report is at most e^epsilon times as likely as a candidate. It is rounded in units of its
    // grid.
    noise_.max_norm = cut_at(noise_.amplitude * (normal_length(d, rare * std::exp(-spec_.epsilon)) +
                                                 0.5 * std::sqrt(d) / cap_->scale));
  } else {
    noise_.norm = noise_.amplitude;
    noise_.max_norm = noise_.amplitude;
  }
}

void LocalRandomizer::resolve_grid(double reach) {
  // Reports are cut to 32 bits, so wide noise needs a coarser grid.
  const double room = 0x1p31 / (1 + reach / spec_.clipping_norm);
  norm_bits_ = std::min(additive_bits, room < 1 ? 0 : std::ilogb(room));
  // Coordinates are rounded to the grid, by half a unit each.
  noise_.max_norm = cut_at(noise_.max_norm + 0.5 * std::sqrt(static_cast<double>(spec_.dimension)) *
                                                 std::ldexp(spec_.clipping_norm, -norm_bits_));
  if (norm_bits_ >= min_bits) return;
  throw base::GuaranteeError(
      "the noise of {} for {} coordinates at epsilon {} does not fit reports of 32 bits; take the "
      "mechanism privunit, or a larger epsilon",
      local_mechanism_names.of(spec_.mechanism), spec_.dimension, spec_.epsilon);
}

void LocalRandomizer::resolve_laplace() {
  const auto d = static_cast<double>(spec_.dimension);
  const double g = spec_.clipping_norm;
  const bool joint = spec_.mechanism == LocalMechanism::l2_laplace;
  // Two gradients differ by at most 2 G, or 2 G sqrt(d) in L1 norm
  // (docs/proofs/local_randomizers.md, section 5).
  const double relative = numeric::divide_up(joint ? 2 : 2 * numeric::sqrt_up(d), spec_.epsilon);
  noise_.noise_scale = relative * g;
  noise_.symmetric = true;
  noise_.range = 0.5 / noise_.noise_scale;
  const double square = noise_.noise_scale * noise_.noise_scale;
  noise_.variance = joint ? (d + 1) * square : 2 * square;
  const double length = gamma_length(d, rare);
  noise_.max_norm = cut_at(
      g + noise_.noise_scale *
              (joint ? length : std::min(length, std::sqrt(d) * (std::log(d) - std::log(rare)))));
  // One coordinate: (1 - beta^2)^(-(d+1)/2) e^(-beta t) by Chernoff's bound, in scales.
  const double x = std::log(2 * d / rare);
  resolve_grid(noise_.noise_scale * (joint ? std::sqrt(2 * (d + 1) * x) + x : x));
  grid_scale_ = internal::noise_scale(relative, std::ldexp(1.0, norm_bits_));
}

void LocalRandomizer::resolve_gaussian() {
  const double multiplier = accounting::gaussian::sigma_for(2, privacy::Epsilon(spec_.epsilon),
                                                            privacy::Delta(spec_.delta));
  event_ = privacy::Gaussian{multiplier};
  const auto d = static_cast<double>(spec_.dimension);
  noise_.noise_scale = multiplier * spec_.clipping_norm;
  noise_.symmetric = true;
  noise_.variance = noise_.noise_scale * noise_.noise_scale;
  noise_.max_norm = cut_at(spec_.clipping_norm + noise_.noise_scale * normal_length(d, rare));
  resolve_grid(noise_.noise_scale * std::sqrt(2 * std::log(2 * d / rare)));
  grid_scale_ = internal::noise_scale(multiplier, std::ldexp(1.0, norm_bits_));
}

std::int64_t LocalRandomizer::report_bytes() const {
  return report_frame_bytes + 4 * report_coordinates();
}

double LocalRandomizer::expected_candidates() const {
  return cap_.has_value() ? cap_->expected_candidates : 1;
}

std::int64_t LocalRandomizer::claim_words() const {
  if (cap_.has_value()) return sphere_words(*cap_);
  if (reports_direction(spec_.mechanism)) return static_cast<std::int64_t>(draw_words);
  return spec_.mechanism == LocalMechanism::l2_laplace ? random::l2_laplace_words * spec_.dimension
                                                       : spec_.dimension;
}

}  // namespace tacet::mechanism
