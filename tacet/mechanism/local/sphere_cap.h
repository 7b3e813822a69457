#pragma once

#include <cstdint>

#include "tacet/numeric/incomplete_beta.h"

namespace tacet::mechanism {

/// Which candidates K a direction U prefers.
enum class CapShape : std::uint8_t {
  angle,  ///< <K, U> >= threshold |K| |U|
  plane   ///< <K, U> >= threshold |U|, the threshold in grid units
};

/// The probability of "inside the cap", as its smaller side: 1 minus it would be rounded.
struct BitLaw {
  double smaller;
  bool inside_is_smaller;
  [[nodiscard]] double inside() const { return inside_is_smaller ? smaller : 1 - smaller; }
};

/// A randomiser of directions. It depends on public numbers only.
///
/// Candidates are integer vectors K of independent rounded Gaussians of standard deviation `scale`,
/// drawn independently of the record (and drawn again if K is 0 or does not fit 32 bits).
/// Candidates are drawn until one lies inside the cap of the direction U and one outside; the first
/// of each kind is kept, and an exact random draw decides which one is sent.
///
/// The probability that a candidate lies inside is the same for all directions up to sqrt(pi d /
/// 32) / scale (angle) or sqrt(d / (8 pi)) / scale (plane), and twice the probability of a redraw:
/// `mass` brackets it. The draw's odds are e^epsilon mass.low / (1 - mass.low), rounded down, so
/// that the report is exactly epsilon-private under replace_one, not up to rounding
/// (docs/proofs/local_randomizers.md, section 3).
struct SphereCap {
  CapShape shape;
  std::int64_t coordinates;
  double scale;
  double threshold;         ///< a dyadic number: gamma, or z times the scale
  numeric::Bracketed tail;  ///< of the unrounded law
  numeric::Bracketed mass;  ///< of every direction's cap
  BitLaw bit;
  double mean;  ///< E<V, u> of the report's direction V (angle) or of K / scale (plane)
  double expected_candidates;
  std::int64_t
      /// after this many, with a probability below 2^-69, the first candidate is sent
      max_candidates;
};

/// The scale of candidates.
inline constexpr double candidate_scale = 0x1p28;
/// More candidates than this, expected, are refused.
inline constexpr double max_expected_candidates = 0x1p20;

/// The inputs for one cap. `coordinates` is at least 2 for an angle, 1 for a plane.
struct CapPlan {
  CapShape shape = CapShape::angle;
  std::int64_t coordinates = 2;
  double epsilon = 1;
  double scale = candidate_scale;

  bool operator==(const CapPlan&) const = default;
};

/// How far the mass of any cap can be from the tail of the unrounded law, because candidates are
/// rounded and some are drawn again.
[[nodiscard]] double mass_error(const CapPlan& plan);

/// The threshold for which reports are most informative: gamma with E<V, u> = gamma, or z with
/// E<K/s, u> = z (Asi, Feldman, Talwar 2022; docs/proofs/local_randomizers.md, section 4).
[[nodiscard]] double best_threshold(const CapPlan& plan);

/// The cap for a threshold of at least 0: gamma below 1, or z. It is rounded to a dyadic number.
/// GuaranteeError if epsilon is too small for the grid of the candidates, or if more than 2^20
/// candidates are expected.
[[nodiscard]] SphereCap make_cap(const CapPlan& plan, double threshold);

}  // namespace tacet::mechanism
