#pragma once

#include <cstdint>
#include <vector>

namespace tacet::accounting::pld {

/// The law of a GridSum tilted by theta, from one transform, with a bound of its round-off. The
/// transform is only as long as delta at the thresholds needs: masses below a threshold do not
/// count and may wrap around, and masses far above count only e^{-theta distance}. Mass that wraps
/// or is left out is bounded and added on the safe side (docs/proofs/accountant.md, section 4).
struct TiltedLaw {
  double theta = 0;
  double step = 0;
  double offset = 0;
  double infinite_mass = 0;
  double loss_error = 0;  ///< absolute error of the summed loss
  /// Masses from index `low` on, relative to e^{log_mass}. Each has an absolute error of at most
  /// round_off and a relative one of at most e^{+-mass_error}. At most e^{log_tail} of the mass
  /// lies below `low`, and as much above `high`.
  std::vector<double> coefficients;
  double log_mass = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double round_off = 0;
  double mass_error = 0;
  double log_tail = 0;
  double total_round_off = 0;  ///< bounds the sum of the absolute errors
  /// bounds the errors that the masses inherit from laws composed in an earlier stage
  double law_error = 0;

  /// Bounds of log delta at eps (in the sum's own scale, offsets included) Round-off and the mass
  /// outside the window are added on the safe side.
  [[nodiscard]] double log_delta_above(double eps) const;
  [[nodiscard]] double log_delta_below(double eps) const;
};

}  // namespace tacet::accounting::pld
