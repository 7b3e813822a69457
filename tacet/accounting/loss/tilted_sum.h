#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tacet/accounting/loss/grid_sum.h"
#include "tacet/accounting/loss/tilted_law.h"
#include "tacet/numeric/fft.h"

namespace tacet::accounting::pld {

/// Thresholds (in the sum's own scale, offsets included) at which a law will be asked for delta.
struct Thresholds {
  double low;
  double high;
  double log_tail = 0;  ///< of what may lie outside the transform; 0: as delta there needs
};

struct PowerState;

/// Composes two sums of the same step and counts together: one as the real, one as the imaginary
/// part of the same transforms.
class TwinTransform {
 public:
  TwinTransform(const GridSum& first, const GridSum& second) : sums_{&first, &second} {}

  /// Tilts both by theta >= 0. A transform longer than 2^largest_bits is a NumericError.
  /// A long one is replaced by two short ones where that is possible, see staged_sum.h; the laws
  /// then stand on a coarser grid.
  void run(double theta, const Thresholds& thresholds, int largest_bits);
  /// The whole laws but for tails of e^log_tail, by one transform.
  void run_whole(double theta, double log_tail, int largest_bits);
  [[nodiscard]] const TiltedLaw& first() const { return laws_[0]; }
  [[nodiscard]] const TiltedLaw& second() const { return laws_[1]; }
  /// The length of the last transform.
  [[nodiscard]] std::size_t length() const { return length_; }

 private:
  /// One for each frequency that stands for its mirror image too, of both measures.
  using States = std::vector<std::array<PowerState, 2>>;
  /// The frequencies of one part's masses, and what raising them to its count takes.
  struct Spectrum {
    std::vector<double> re;
    std::vector<double> im;
    std::array<double, 2> still{};  ///< mass at index 0, which is left out
    std::int64_t count = 0;
    double tau = 0;  ///< bounds a frequency's error
    double negligible_square = 0;

    /// Multiplies both states of frequency j, whose mirror image stands at m.
    void raise_into(std::array<PowerState, 2>& states, std::size_t j, std::size_t m) const;
  };

  int prepare(double theta, const Thresholds& thresholds);
  void transform(double theta, int bits, int largest_bits);
  Spectrum spectrum(std::size_t part, double theta);
  void multiply_in(std::size_t part, double theta, States& states);
  void invert(double theta, const States& states);

  std::array<const GridSum*, 2> sums_;
  std::array<TiltedLaw, 2> laws_;
  std::unique_ptr<numeric::Fft> fft_;
  std::size_t length_ = 0;
};

}  // namespace tacet::accounting::pld
