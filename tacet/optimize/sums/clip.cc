#include "tacet/optimize/sums/clip.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::optimize {

std::int32_t scalar_bound(std::int64_t norm, std::int64_t squared_norm) {
  if (squared_norm <= 0) return 0;
  const std::int64_t square = norm * norm / squared_norm;
  auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return static_cast<std::int32_t>(root);
}

FirstOfUnits::FirstOfUnits(const data::Dataset& dataset, std::int64_t max_per_unit)
    : dataset_(dataset), max_per_unit_(max_per_unit), seen_(dataset.spool()) {
  if (dataset.has_units()) seen_.resize(static_cast<std::size_t>(dataset.unit_count()), 0);
}

bool FirstOfUnits::takes_part(std::int64_t row) {
  if (!dataset_.has_units()) return true;
  const auto unit = dataset_.unit_of(row);
  return unit >= 0 && seen_[static_cast<std::size_t>(unit)]++ < max_per_unit_;
}

base::SpooledVector<std::int32_t> scalar_bounds(const data::Dataset& dataset,
                                                const ContributionLimit& limit) {
  const std::int64_t share = (std::int64_t{1} << limit.norm_bits) / limit.max_records_per_unit;
  FirstOfUnits first(dataset, limit.max_records_per_unit);
  base::SpooledVector<std::int32_t> bounds(dataset.spool());
  bounds.reserve(static_cast<std::size_t>(dataset.rows()));
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    bounds.push_back(first.takes_part(i) ? scalar_bound(share, dataset.squared_norm(i)) : 0);
  }
  return bounds;
}

double clamp_scalar(double scalar, std::int32_t bound) {
  const double limit = bound;
  clamp_each(std::span(&scalar, 1), std::span(&limit, 1));
  return scalar;
}

void clamp_each(std::span<double> scalars, std::span<const double> limits) {
  constexpr double max = std::numeric_limits<double>::max();
  // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer; |scalar| <= 2^30 here.
  constexpr double shift = 0x1.8p52;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const double limit = limits[i];
    double scalar = scalars[i];
    scalar = std::fabs(scalar) <= max ? scalar : 0;
    scalar = scalar < -limit ? -limit : scalar;
    scalar = limit < scalar ? limit : scalar;
    scalars[i] = (scalar + shift) - shift;
  }
}

void clamp_scalars(std::span<double> scalars, std::int32_t bound) {
  double largest = 0;
  for (double& scalar : scalars) {
    if (!std::isfinite(scalar)) scalar = 0;
    largest = std::max(largest, std::fabs(scalar));
  }
  if (largest == 0) return;
  double square = 0;
  for (const double scalar : scalars) square += (scalar / largest) * (scalar / largest);
  // In two factors, because the norm itself may overflow.
  const double shrink =
      static_cast<double>(bound) / largest / std::sqrt(square) * numeric::amply_down;
  __extension__ using Wide = unsigned __int128;
  Wide total = 0;
  for (double& scalar : scalars) {
    scalar = std::trunc(shrink < 1 ? scalar * shrink : scalar);
    const auto magnitude = static_cast<Wide>(std::fabs(scalar));
    total += magnitude * magnitude;
  }
  const auto allowed = static_cast<Wide>(bound) * static_cast<Wide>(bound);
  if (total > allowed) std::ranges::fill(scalars, 0.0);
}

double checked_clipping_norm(const ContributionLimit& limit) {
  if (!(limit.clipping_norm > 0) || !std::isfinite(limit.clipping_norm)) {
    throw base::UsageError("the clipping norm must be positive and finite, got {}",
                           limit.clipping_norm);
  }
  if (limit.norm_bits < 14 || limit.norm_bits > 30) {
    throw base::UsageError(
        "the clipping norm must be 2^14 to 2^30 grid units, got 2^{}; fewer steps or a larger "
        "epsilon need less noise and leave a finer grid",
        limit.norm_bits);
  }
  if (limit.max_records_per_unit < 1 || limit.max_records_per_unit > (std::int64_t{1} << 20)) {
    throw base::UsageError("records per unit must be 1 to 2^20, got {}",
                           limit.max_records_per_unit);
  }
  int exponent = 0;
  const double mantissa = std::frexp(limit.clipping_norm, &exponent);
  return std::ldexp(std::floor(std::ldexp(mantissa, 24)), exponent - 24);
}

}  // namespace tacet::optimize
