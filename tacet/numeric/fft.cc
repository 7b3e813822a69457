#include "tacet/numeric/fft.h"

#include <bit>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/fft_levels.h"
#include "tacet/numeric/rounding.h"

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
  const std::size_t full = n < 8 ? 8 : n;
  const Octant octant(full);
  const std::size_t stride = full / n;
  const auto set = [&](std::size_t index, long double cosine, long double minus_sine) {
    if (index % stride != 0 || index / stride >= half) return;
    cosines_[half + index / stride] = static_cast<double>(cosine);
    minus_sines_[half + index / stride] = static_cast<double>(minus_sine);
  };
  const std::size_t quarter = full / 4;
  for (std::size_t k = 0; k <= full / 8; ++k) {
    const auto [cosine, sine] = octant.at(k);
    set(k, cosine, -sine);
    set(quarter + k, -sine, -cosine);
    if (k == 0 || k == full / 8) continue;
    set(quarter - k, sine, -cosine);
    set(2 * quarter - k, -cosine, -sine);
  }
  for (auto level = half / 2; level >= 1; level /= 2) {
    for (std::size_t k = 0; k < level; ++k) {
      cosines_[level + k] = cosines_[2 * level + 2 * k];
      minus_sines_[level + k] = minus_sines_[2 * level + 2 * k];
    }
  }
}

void Fft::forward(double* real, double* imaginary) const {
  internal::forward_levels({real, imaginary, size(), cosines_.data(), minus_sines_.data()});
}

void Fft::inverse(double* real, double* imaginary) const {
  const auto n = size();
  internal::inverse_levels({real, imaginary, n, cosines_.data(), minus_sines_.data()});
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
