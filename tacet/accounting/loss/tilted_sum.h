#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tacet/accounting/loss/grid_sum.h"
#include "tacet/accounting/loss/tilted_law.h"
#include "tacet/numeric/fft.h"

namespace tacet::accounting::pld {

/// The range of thresholds (in the sum's own scale, offsets included) at which a law will be asked
/// for delta.
struct Thresholds {
  double low;
  double high;
  /// of the mass that may lie outside the transform; 0: chosen from delta at the thresholds
  double log_tail = 0;
};

struct PowerState;

/// Composes two sums with the same step and counts together: one as the real part and one as the
/// imaginary part of the same transforms.
class TwinTransform {
 public:
  TwinTransform(const GridSum& first, const GridSum& second) : sums_{&first, &second} {}

  /// Tilts both by theta >= 0. A transform longer than 2^largest_bits is a NumericError. If
  /// possible, two short transforms replace a long one (staged_sum.h); the laws are then on a
  /// coarser grid.
  void run(double theta, const Thresholds& thresholds, int largest_bits);
  /// The complete laws, except for tails of e^log_tail, by one transform.
  void run_whole(double theta, double log_tail, int largest_bits);
  [[nodiscard]] const TiltedLaw& first() const { return laws_[0]; }
  [[nodiscard]] const TiltedLaw& second() const { return laws_[1]; }
  /// The length of the last transform.
  [[nodiscard]] std::size_t length() const { return length_; }

 private:
  /// The states of both measures, one entry for each frequency and its mirror image.
  using States = std::vector<std::array<PowerState, 2>>;
  /// The transform of one part's masses, and what is needed to raise it to its count.
  struct Spectrum {
    std::vector<double> re;
    std::vector<double> im;
    std::array<double, 2> still{};  ///< mass at index 0, which is left out
    std::int64_t count = 0;
    double tau = 0;  ///< bounds a frequency's error
    double negligible_square = 0;

    /// Multiplies both states of frequency j, whose mirror image has the index m.
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
