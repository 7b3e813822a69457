#include "tacet/privacy/jump.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::privacy::pld {
namespace {

constexpr double u = 0x1p-53;  // unit roundoff

}  // namespace

std::optional<JumpSplit> split_jumps(const GridSum& sum, double largest_rate) {
  if (sum.parts().size() != 1 || sum.parts()[0].count < 2) return std::nullopt;
  const auto& grid = sum.parts()[0].grid;
  const auto count = sum.parts()[0].count;
  const auto times = static_cast<double>(count);
  std::size_t kept = grid.mass.size();
  double rate = 0;
  while (kept > 1) {
    const double more = times * grid.mass[kept - 1];
    if (rate + more > largest_rate || grid.index[kept - 1] <= 0) break;
    rate += more;
    --kept;
  }
  if (rate == 0) return std::nullopt;
  LossGrid small = grid;
  small.index.resize(kept);
  small.mass.resize(kept);
  JumpSplit split{GridSum({{small, count}}), GridSum({{small, count - 1}}), {}, {}, 0};
  for (std::size_t i = kept; i < grid.mass.size(); ++i) {
    if (grid.mass[i] <= 0) continue;
    split.index.push_back(grid.index[i]);
    split.mass.push_back(times * grid.mass[i]);
  }
  split.rate = rate * (1 + 1e-9);
  return split;
}

JumpLaw::JumpLaw(const JumpSplit& split, const GridSum& whole, const TiltedLaw& rest)
    : step_(whole.step()), offset_(whole.offset()), loss_error_(whole.loss_error()) {
  const auto coefficients = rest.coefficients();
  const auto size = static_cast<std::int64_t>(coefficients.size());
  const auto length = size + split.index.back() - split.index.front();
  constexpr std::int64_t longest = std::int64_t{1} << 23;
  if (length > longest) {
    throw base::NumericError("large privacy losses spread too far beside a fine grid");
  }
  low_ = rest.low() + split.index.front();
  // e^{-loss} must stay a number, and a precise one.
  constexpr double largest_loss = 300;
  const double first = static_cast<double>(low_) * step_;
  const double last = static_cast<double>(low_ + length) * step_;
  if (!(first > -largest_loss && last < largest_loss)) {
    throw base::NumericError("large privacy losses exceed what can be taken apart");
  }
  std::vector<double> mass(static_cast<std::size_t>(length), 0);
  const double factor = std::exp(rest.log_mass());
  for (std::size_t j = 0; j < split.index.size(); ++j) {
    const double p = split.mass[j] * factor;
    double* target = &mass[static_cast<std::size_t>(split.index[j] - split.index.front())];
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
      target[i] += p * std::max(coefficients[i], 0.0);
    }
  }
  above_.assign(mass.size() + 1, 0);
  weighted_.assign(mass.size() + 1, 0);
  for (std::size_t i = mass.size(); i-- > 0;) {
    const double y = static_cast<double>(low_ + static_cast<std::int64_t>(i)) * step_;
    above_[i] = above_[i + 1] + mass[i];
    weighted_[i] = weighted_[i + 1] + mass[i] * std::exp(-y);
  }
  // Each coefficient of the rest counts at most once for a large loss; what lies outside of its
  // transform, or wraps, too.
  const double n = static_cast<double>(length);
  error_ = split.rate *
           (static_cast<double>(size) * rest.round_off() + 3 * std::exp(rest.log_tail()) +
            8 * u * (n + largest_loss)) *
           (1 + 1e-6);
  factor_error_ = rest.mass_error() + 2 * mass_slack;
  several_ = 0.5 * split.rate * split.rate * (1 + 1e-9);
}

double JumpLaw::sum_above(double shifted) const {
  if (!std::isfinite(shifted)) {
    throw base::NumericError("a privacy loss is compared with a threshold that is not a number");
  }
  const double first = std::floor(shifted / step_) + 1 - static_cast<double>(low_);
  const auto last = static_cast<double>(above_.size() - 1);
  const auto i = static_cast<std::size_t>(std::clamp(first, 0.0, last));
  // Nothing lies above, and e^shifted may overflow.
  if (first >= last) return 0;
  return std::max(0.0, above_[i] - std::exp(shifted) * weighted_[i]);
}

double JumpLaw::delta_above(double eps) const {
  const double shifted = eps - offset_ - loss_error_;
  return (sum_above(shifted) + error_) * std::exp(factor_error_) + several_;
}

double JumpLaw::delta_below(double eps) const {
  const double shifted = eps - offset_ + loss_error_;
  return std::max(0.0, (sum_above(shifted) - error_) * std::exp(-factor_error_));
}

}  // namespace tacet::privacy::pld
