#include "tacet/optimize/sums/vector_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

constexpr std::int64_t max_coordinates = std::int64_t{1} << 24;

std::size_t checked_coordinates(std::int64_t count) {
  if (count < 1 || count > max_coordinates) {
    throw base::UsageError("a sum has 1 to {} numbers, got {}", max_coordinates, count);
  }
  return static_cast<std::size_t>(count);
}

/// Modulo 2^64, as noise wraps: neighbours on either side of the boundary stay neighbours, and no
/// number of records is refused.
void add_wrapping(std::int64_t& sum, std::int64_t value) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                  static_cast<std::uint64_t>(value));
}

/// The square of the length, or the sum of magnitudes, of vectors that are hardly too long.
std::int64_t size_of(std::span<const std::int64_t> vector, Norm norm) {
  std::int64_t size = 0;
  for (const auto v : vector) size += norm == Norm::l1 ? std::abs(v) : v * v;
  return size;
}

/// A sum is emptied when it is handed over.
void check_not_taken(std::span<const std::int64_t> sums) {
  if (sums.empty()) throw base::UsageError("the sum was taken; make another one");
}

double middle_of(double lower, double upper) { return lower + (upper - lower) / 2; }

/// Of (1, 1/2).
double mean_bound(Norm norm) { return norm == Norm::l1 ? 1.5 : std::sqrt(1.25); }

}  // namespace

VectorSum::VectorSum(std::int64_t dimension, Norm norm, double bound, UnitLimit units, int bits)
    : norm_(norm),
      bound_(bound),
      whole_(0),
      units_(std::move(units)),
      clipped_(checked_coordinates(dimension)),
      sums_(clipped_.size()) {
  constexpr double min_bound = 0x1p-990;  // 2^-26 of it is a normal double
  if (!(bound >= min_bound && std::isfinite(bound))) {
    throw base::UsageError("a record's bound must be finite and at least 2^-990, got {}", bound);
  }
  if (bits < 4 || bits > 26) {
    throw base::UsageError("a record's bound is 2^4 to 2^26 grid units, got 2^{}", bits);
  }
  whole_ = std::int64_t{1} << bits;
}

/// `clipped_` from the values. A vector of one's own is a function of one record alone.
void VectorSum::clip(std::span<const double> values) {
  const auto finite = [](double v) { return std::isfinite(v) ? v : 0.0; };
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::fabs(finite(v)));
  std::ranges::fill(clipped_, 0);
  if (largest == 0) return;
  double norm = 0;  // of the values over the largest one, so that nothing overflows
  for (const double v : values) {
    const double share = finite(v) / largest;
    norm += norm_ == Norm::l1 ? std::fabs(share) : share * share;
  }
  if (norm_ == Norm::l2) norm = std::sqrt(norm);
  // How many grid units the largest value becomes.
  double scale = largest <= bound_ / norm ? largest / bound_ : 1 / norm;
  scale *= static_cast<double>(whole_);
  const std::int64_t max = norm_ == Norm::l1 ? whole_ : whole_ * whole_;
  do {
    for (std::size_t j = 0; j < values.size(); ++j) {
      clipped_[j] = static_cast<std::int64_t>(finite(values[j]) / largest * scale);  // toward zero
    }
    scale *= 1 - 0x1p-30;  // for roundings that left it just above
  } while (size_of(clipped_, norm_) > max);
}

void VectorSum::add(std::span<const double> values, std::optional<std::int64_t> unit) {
  check_not_taken(sums_);
  if (values.size() != sums_.size()) {
    throw base::UsageError("a record of {} numbers for a sum of {}", values.size(), sums_.size());
  }
  if (!units_.admits(unit)) return;
  clip(values);
  for (std::size_t j = 0; j < sums_.size(); ++j) add_wrapping(sums_[j], clipped_[j]);
}

privacy::BoundedSum VectorSum::take() && {
  check_not_taken(sums_);
  const auto proof = privacy::Certifier::clipped();
  const double grid = bound_ / static_cast<double>(whole_);
  const std::int64_t bound = whole_ * units_.records();
  auto sum = privacy::BoundedSum::from_certified(proof, std::move(sums_), grid, bound);
  // |v|_2 <= |v|_1, so that the L1 bound is one in either norm.
  return norm_ == Norm::l1 ? std::move(sum).with_absolute_bound(proof, bound) : std::move(sum);
}

Histogram::Histogram(std::int64_t bins, UnitLimit units)
    : units_(std::move(units)), counts_(checked_coordinates(bins)) {}

void Histogram::add(std::int64_t bin, std::optional<std::int64_t> unit) {
  check_not_taken(counts_);
  if (!units_.admits(unit)) return;
  const auto last = std::ssize(counts_) - 1;
  const std::int64_t place = bin < 0 || bin > last ? last : bin;
  add_wrapping(counts_[static_cast<std::size_t>(place)], 1);
}

privacy::BoundedSum Histogram::take() && {
  check_not_taken(counts_);
  const auto proof = privacy::Certifier::clipped();
  // A record is a unit vector: of length 1 in either norm. Several may be one and the same.
  return privacy::BoundedSum::from_certified(proof, std::move(counts_), 1, units_.records())
      .with_absolute_bound(proof, units_.records());
}

MeanSum::MeanSum(double lower, double upper, Norm norm, UnitLimit units, int bits)
    : lower_(lower), upper_(upper), sum_(2, norm, mean_bound(norm), std::move(units), bits) {
  if (!(lower < upper && std::isfinite(lower) && std::isfinite(upper - lower))) {
    throw base::UsageError("a mean needs finite bounds, the lower one below, got {} and {}", lower,
                           upper);
  }
}

void MeanSum::add(double value, std::optional<std::int64_t> unit) {
  const double kept =
      std::isfinite(value) ? std::clamp(value, lower_, upper_) : middle_of(lower_, upper_);
  const double place = (kept - lower_) / (upper_ - lower_) - 0.5;
  sum_.add(std::array{1.0, std::clamp(place, -0.5, 0.5)}, unit);
}

privacy::BoundedSum MeanSum::take() && { return std::move(sum_).take(); }

double MeanSum::mean(std::span<const double> released) const {
  if (released.size() != 2) {
    throw base::UsageError("a mean is made of the 2 released numbers, got {}", released.size());
  }
  if (!(released[0] > 0)) return middle_of(lower_, upper_);
  const double place = std::clamp(released[1] / released[0], -0.5, 0.5) + 0.5;
  return std::clamp(lower_ + place * (upper_ - lower_), lower_, upper_);
}

}  // namespace tacet::optimize
