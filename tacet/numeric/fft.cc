#include "tacet/numeric/fft.h"

#include <bit>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/unit_roundoff.h"

namespace tacet::numeric {
namespace {

constexpr int largest_log2_size = 24;

/// cos and sin of 2 pi k / n for 0 <= k < n / 8 by a product of two tables in extended precision,
/// so that rounding to double is the only error that counts.
class Octant {
 public:
  explicit Octant(std::size_t n) : n_(n) {
    std::size_t octant = n / 8;
    while ((std::size_t{1} << (2 * shift_)) < octant) ++shift_;
    const auto block = std::size_t{1} << shift_;
    for (std::size_t k = 0; k < block; ++k) fine_.push_back(point(k));
    for (std::size_t k = 0; k <= octant; k += block) coarse_.push_back(point(k));
  }

  struct Point {
    long double cosine;
    long double sine;
  };

  [[nodiscard]] Point at(std::size_t k) const {
    const auto& a = coarse_[k >> shift_];
    const auto& b = fine_[k & ((std::size_t{1} << shift_) - 1)];
    return {a.cosine * b.cosine - a.sine * b.sine, a.sine * b.cosine + a.cosine * b.sine};
  }

 private:
  [[nodiscard]] Point point(std::size_t k) const {
    const long double angle = 6.283185307179586476925286766559005768L *
                              static_cast<long double>(k) / static_cast<long double>(n_);
    return {std::cos(angle), std::sin(angle)};
  }

  std::size_t n_;
  int shift_ = 0;
  std::vector<Point> fine_;
  std::vector<Point> coarse_;
};

}  // namespace

Fft::Fft(int log2_size) : log2_size_(log2_size) {
  if (log2_size < 0 || log2_size > largest_log2_size) {
    throw base::UsageError("a transform's length must be 2^0 to 2^{}, got 2^{}", largest_log2_size,
                           log2_size);
  }
  const auto n = size();
  cosines_.assign(n, 1);
  minus_sines_.assign(n, 0);
  if (n < 2) return;
  // The top level's factors by symmetry from one octant; the lower levels are every second one.
  const auto half = n / 2;
  const Octant octant(n < 8 ? 8 : n);
  const std::size_t full = n < 8 ? 8 : n;
  for (std::size_t k = 0; k < half; ++k) {
    const std::size_t index = k * (full / n);
    const std::size_t quarter = full / 4;
    const std::size_t within = index % quarter;
    const bool swap = within > full / 8;
    const auto point = octant.at(swap ? quarter - within : within);
    const long double cosine = swap ? point.sine : point.cosine;
    const long double sine = swap ? point.cosine : point.sine;
    const bool second_quadrant = index >= quarter;
    cosines_[half + k] = static_cast<double>(second_quadrant ? -sine : cosine);
    minus_sines_[half + k] = static_cast<double>(second_quadrant ? -cosine : -sine);
  }
  for (auto level = half / 2; level >= 1; level /= 2) {
    for (std::size_t k = 0; k < level; ++k) {
      cosines_[level + k] = cosines_[2 * level + 2 * k];
      minus_sines_[level + k] = minus_sines_[2 * level + 2 * k];
    }
  }
}

void Fft::forward(double* real, double* imaginary) const {
  const auto n = size();
  for (auto half = n / 2; half >= 1; half /= 2) {
    const double* cosine = cosines_.data() + half;
    const double* sine = minus_sines_.data() + half;
    for (std::size_t start = 0; start < n; start += 2 * half) {
      double* top_re = real + start;
      double* top_im = imaginary + start;
      double* low_re = top_re + half;
      double* low_im = top_im + half;
      for (std::size_t k = 0; k < half; ++k) {
        const double difference_re = top_re[k] - low_re[k];
        const double difference_im = top_im[k] - low_im[k];
        top_re[k] += low_re[k];
        top_im[k] += low_im[k];
        low_re[k] = difference_re * cosine[k] - difference_im * sine[k];
        low_im[k] = difference_re * sine[k] + difference_im * cosine[k];
      }
    }
  }
}

void Fft::inverse(double* real, double* imaginary) const {
  const auto n = size();
  for (std::size_t half = 1; half < n; half *= 2) {
    const double* cosine = cosines_.data() + half;
    const double* sine = minus_sines_.data() + half;
    for (std::size_t start = 0; start < n; start += 2 * half) {
      double* top_re = real + start;
      double* top_im = imaginary + start;
      double* low_re = top_re + half;
      double* low_im = top_im + half;
      for (std::size_t k = 0; k < half; ++k) {
        // The conjugate factor.
        const double turned_re = low_re[k] * cosine[k] + low_im[k] * sine[k];
        const double turned_im = low_im[k] * cosine[k] - low_re[k] * sine[k];
        low_re[k] = top_re[k] - turned_re;
        low_im[k] = top_im[k] - turned_im;
        top_re[k] += turned_re;
        top_im[k] += turned_im;
      }
    }
  }
  const double scale = 1.0 / static_cast<double>(n);  // a power of two: exact
  for (std::size_t i = 0; i < n; ++i) {
    real[i] *= scale;
    imaginary[i] *= scale;
  }
}

std::size_t Fft::mirror(std::size_t position) {
  if (position < 2) return position;
  const auto block = std::bit_floor(position);
  return 3 * block - 1 - position;
}

double Fft::error_bound(int log2_size) { return 1.01 * 4.3 * unit_roundoff * (log2_size + 1); }

}  // namespace tacet::numeric
