#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacet::accounting::pld {

/// The law of a GridSum tilted by theta, from one transform, with a bound of its round-off. The
/// transform is no longer than delta at its thresholds needs: masses below a threshold do not count
/// and may wrap around, masses far above count e^{-theta distance} only. What wraps or is left out
/// is bounded and added on the safe side.
class TiltedLaw {
 public:
  /// Bounds of log delta at eps (in the sum's own scale, offsets included) with round-off and what
  /// lies outside the window on the safe side.
  [[nodiscard]] double log_delta_above(double eps) const;
  [[nodiscard]] double log_delta_below(double eps) const;

  /// The law itself: masses relative to e^{log_mass} from index low() on, each off by at most
  /// round_off(), and by a factor of e^{+-mass_error()}; e^{log_tail()} lies on either side.
  [[nodiscard]] std::span<const double> coefficients() const { return coefficients_; }
  [[nodiscard]] std::int64_t low() const { return low_; }
  [[nodiscard]] double log_mass() const { return log_moment_; }
  [[nodiscard]] double round_off() const { return round_off_; }
  /// Bounds the sum of all masses' errors.
  [[nodiscard]] double total_round_off() const { return total_round_off_; }
  [[nodiscard]] double mass_error() const { return mass_error_; }
  /// Bounds what all masses together inherit from laws that were composed before.
  [[nodiscard]] double law_error() const { return law_error_; }
  [[nodiscard]] double log_tail() const { return log_tail_; }
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] double offset() const { return offset_; }
  [[nodiscard]] double loss_error() const { return loss_error_; }

 private:
  friend class TwinTransform;
  struct Sums {
    double positive = 0;
    double negative = 0;
    double weights = 0;
    bool cut = false;
  };
  [[nodiscard]] Sums sums_above(double shifted) const;
  [[nodiscard]] double outside(double shifted, bool cut) const;
  [[nodiscard]] double one_end(double shifted, double sign) const;

  double theta_ = 0;
  double step_ = 0;
  double offset_ = 0;
  double log_moment_ = 0;
  double infinite_mass_ = 0;
  double mass_error_ = 0;  ///< log of the factor by which masses may be off
  double loss_error_ = 0;  ///< absolute error of the summed loss
  double round_off_ = 0;   ///< bound of each coefficient's absolute error
  double total_round_off_ = 0;
  double law_error_ = 0;
  double log_tail_ = 0;  ///< of what lies below low_, and of what lies above high_
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  std::vector<double> coefficients_;  ///< from index low_ on
};

}  // namespace tacet::accounting::pld
