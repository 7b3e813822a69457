#include "tacet/report/figure/axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/report/figure/labels.h"

namespace tacet::report {
namespace {

// Differences of numbers within these ends are finite.
constexpr double largest_number = 1e300;
constexpr double smallest_positive = 1e-300;

/// The least of 1, 2 and 5 times a power of ten that is at least `value`.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    // A step that is right but for the last bits of a division is right.
    if (digit * power >= value * (1 - 1e-9)) return digit * power;
  }
  return 10 * power;
}

struct Ends {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  [[nodiscard]] bool empty() const { return low > high; }
};

Ends ends_of(std::span<const double> values, Scale scale) {
  Ends ends;
  for (const double value : values) {
    if (!std::isfinite(value) || (scale == Scale::logarithmic && value <= 0)) continue;
    const double kept = std::clamp(value, -largest_number, largest_number);
    ends.low = std::min(ends.low, kept);
    ends.high = std::max(ends.high, kept);
  }
  return ends;
}

}  // namespace

Axis::Axis(const AxisSpec& spec, std::span<const double> values, int ticks)
    : scale_(spec.scale), text_(spec.text) {
  auto ends = ends_of(values, scale_);
  if (scale_ == Scale::logarithmic) {
    if (ends.empty()) ends = {0.1, 1};
    low_ = std::max(ends.low, smallest_positive);
    high_ = std::max(ends.high, low_);
    place_logarithmic(ticks);
    return;
  }
  if (ends.empty()) ends = {0, 1};
  if (spec.with_zero) ends = {std::min(ends.low, 0.0), std::max(ends.high, 0.0)};
  // Equal numbers lie in the middle of an axis that is wide enough to tell them from its ends.
  const double size = std::max(std::abs(ends.low), std::abs(ends.high));
  if (ends.high - ends.low <= 1e-9 * size || ends.high == ends.low) {
    const double room = size > 0 ? size / 10 : 1;
    ends = {ends.low - room, ends.high + room};
  }
  low_ = ends.low;
  high_ = ends.high;
  place_linear(ticks, spec.whole);
}

void Axis::add_tick(double value, double step) {
  if (text_) {
    ticks_.push_back({value, text_(value)});
    return;
  }
  const double size = std::max(std::abs(low_), std::abs(high_));
  const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(size / step))) + 1, 3, 15);
  ticks_.push_back({value, number_text(value, digits)});
}

void Axis::place_linear(int ticks, bool whole) {
  double step = round_step((high_ - low_) / std::max(ticks - 1, 1));
  if (whole) step = std::max(step, 1.0);
  const double first = std::floor(low_ / step + 1e-9);
  const double last = std::ceil(high_ / step - 1e-9);
  low_ = std::min(first * step, low_);
  high_ = std::max(last * step, high_);
  for (double at = first; at <= last; at += 1) add_tick(at * step, step);
}

void Axis::place_logarithmic(int ticks) {
  const double decades = std::log10(high_ / low_);
  if (3 * decades <= ticks) {
    // 1, 2 and 5 in every decade.
    std::vector<double> all;
    for (double power = std::floor(std::log10(low_)) - 1; power <= std::ceil(std::log10(high_)) + 1;
         power += 1) {
      for (const double digit : {1.0, 2.0, 5.0}) all.push_back(digit * std::pow(10.0, power));
    }
    auto last = std::ranges::lower_bound(all, high_ * (1 - 1e-9));
    auto first = std::ranges::upper_bound(all, low_ * (1 + 1e-9)) - 1;
    if (last - first < 2) {  // one number, which may be a tick
      first -= *first >= low_ * (1 - 1e-9) ? 1 : 0;
      last += *last <= high_ * (1 + 1e-9) ? 1 : 0;
    }
    low_ = std::min(low_, *first);
    high_ = std::max(high_, *last);
    for (auto at = first; at <= last; ++at) ticks_.push_back({*at, number_text(*at, 3)});
    return;
  }
  const double every = std::max(1.0, round_step(decades / std::max(ticks - 1, 1)));
  const double first = std::floor(std::log10(low_) / every + 1e-9);
  const double last = std::ceil(std::log10(high_) / every - 1e-9);
  for (double at = first; at <= last; at += 1) {
    const double value = std::pow(10.0, at * every);
    ticks_.push_back({value, number_text(value, 3)});
  }
  low_ = std::min(low_, ticks_.front().value);
  high_ = std::max(high_, ticks_.back().value);
}

double Axis::share(double value) const {
  if (std::isnan(value) || value <= low_) return 0;
  if (value >= high_) return 1;
  if (scale_ == Scale::logarithmic) {
    return (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_));
  }
  return (value - low_) / (high_ - low_);
}

}  // namespace tacet::report
