#pragma once

#include <cstdint>
#include <vector>

namespace tacet::accounting::pld {

/// The law of a GridSum tilted by theta, from one transform, with a bound of its round-off. The
/// transform is no longer than delta at its thresholds needs: masses below a threshold do not count
/// and may wrap around, masses far above count e^{-theta distance} only. What wraps or is left out
/// is bounded and added on the safe side: docs/proofs/accountant.md, section 4.
struct TiltedLaw {
  double theta = 0;
  double step = 0;
  double offset = 0;
  double infinite_mass = 0;
  double loss_error = 0;  ///< absolute error of the summed loss
  /// Masses relative to e^{log_mass} from index `low` on, each off by at most round_off and by a
  /// factor of e^{+-mass_error}; e^{log_tail} lies below `low`, and above `high`.
  std::vector<double> coefficients;
  double log_mass = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double round_off = 0;
  double mass_error = 0;
  double log_tail = 0;
  double total_round_off = 0;  ///< bounds the sum of all masses' errors
  double law_error = 0;  ///< bounds what all masses inherit from laws that were composed before

  /// Bounds of log delta at eps (in the sum's own scale, offsets included) with round-off and what
  /// lies outside the window on the safe side.
  [[nodiscard]] double log_delta_above(double eps) const;
  [[nodiscard]] double log_delta_below(double eps) const;
};

}  // namespace tacet::accounting::pld
