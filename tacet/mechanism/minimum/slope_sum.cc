#include "tacet/mechanism/minimum/slope_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace {

constexpr int slope_unit_bits = 30;
constexpr std::int64_t block = 1024;

}  // namespace

SlopeSum::SlopeSum(std::int64_t records, SlopesAt slopes, SlopeRange range)
    : records_(records),
      slopes_(std::move(slopes)),
      range_(std::move(range)),
      unit_(0),
      steepest_(0),
      width_(0) {
  const bool sound = range_.steepest >= 0x1p-900 && range_.steepest <= 0x1p900 &&
                     range_.width > 0 && range_.width <= 2 * range_.steepest;
  if (!sound || records < 0 || records > max_records) {
    throw base::UsageError(
        "slopes need a finite bound above 0, a width of at most twice that and at most {} records, "
        "got {}, {} and {}",
        max_records, range_.steepest, range_.width, records);
  }
  unit_ = std::ldexp(1.0, std::ilogb(range_.steepest) - slope_unit_bits);
  // One unit more, and two for the range: a legal slope is never cut because of its rounding.
  steepest_ = static_cast<std::int64_t>(std::ceil(range_.steepest / unit_)) + 1;
  width_ = static_cast<std::int64_t>(std::ceil(range_.width / unit_)) + 2;
}

std::int64_t SlopeSum::sensitivity(privacy::Adjacency adjacency) const {
  if (adjacency == privacy::Adjacency::replace_one) return std::min(width_, 2 * steepest_);
  return steepest_;
}

std::int64_t SlopeSum::open(privacy::AccessKey /*key*/, double point) const {
  const auto steepest = static_cast<double>(steepest_);
  // The interval of this point, public: at most width_ wide and within the steepest slopes.
  const double top = std::clamp(std::ceil(range_.largest(point) / unit_) + 1, -steepest, steepest);
  const double bottom = std::max(top - static_cast<double>(width_), -steepest);
  std::array<double, block> slopes{};
  std::int64_t sum = 0;
  for (std::int64_t first = 0; first < records_; first += block) {
    const auto count = static_cast<std::size_t>(std::min(block, records_ - first));
    slopes_(point, first, std::span(slopes).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      const double slope = std::isnan(slopes[i]) ? 0 : slopes[i] / unit_;
      sum += std::llrint(std::clamp(slope, bottom, top));
    }
  }
  return sum;
}

}  // namespace tacet::mechanism
