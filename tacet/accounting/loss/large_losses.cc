#include "tacet/accounting/loss/large_losses.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::unit_roundoff;

}  // namespace

std::optional<LargeLossSplit> split_large_losses(const GridSum& sum, double largest_rate) {
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
  LargeLossSplit split{GridSum({{small, count}}), GridSum({{small, count - 1}}), {}, {}, 0};
  for (std::size_t i = kept; i < grid.mass.size(); ++i) {
    if (grid.mass[i] <= 0) continue;
    split.index.push_back(grid.index[i]);
    split.mass.push_back(times * grid.mass[i]);
  }
  split.rate = rate * (1 + 1e-9);
  return split;
}

LargeLossLaw::LargeLossLaw(const LargeLossSplit& split, const GridSum& whole, const TiltedLaw& rest)
    : step_(rest.step),
      offset_(rest.offset + whole.parts()[0].grid.offset),
      loss_error_(whole.loss_error() + rest.loss_error),
      low_(rest.low) {
  const auto& coefficients = rest.coefficients;
  const auto size = coefficients.size();
  // e^{centre - loss} must stay finite and precise. The centre is 0, unless the rest's own losses
  // lie far from 0, for example because the grid's offset counts many uses.
  constexpr double largest_loss = 300;
  const double first = static_cast<double>(low_) * step_;
  const double width = static_cast<double>(size) * step_;
  const bool near = first > -largest_loss && first + width < largest_loss;
  centre_ = near ? 0 : first + 0.5 * width;
  if (!near && !(0.5 * width < largest_loss && std::fabs(centre_) < 1e9)) {
    throw base::NumericError("privacy losses beside large ones exceed what can be taken apart");
  }
  const double factor = std::exp(rest.log_mass);
  above_.assign(size + 1, 0);
  weighted_.assign(size + 1, 0);
  for (std::size_t i = size; i-- > 0;) {
    const double y = static_cast<double>(low_ + static_cast<std::int64_t>(i)) * step_;
    const double mass = factor * std::max(coefficients[i], 0.0);
    above_[i] = above_[i + 1] + mass;
    weighted_[i] = weighted_[i + 1] + mass * std::exp(centre_ - y);
  }
  large_.reserve(split.index.size());
  for (std::size_t j = 0; j < split.index.size(); ++j) {
    large_.push_back({static_cast<double>(split.index[j]) * whole.step(), split.mass[j]});
  }
  // Each coefficient of the rest counts at most once per large loss, and so do the masses that lie
  // outside of its transform or wrap.
  const auto terms = static_cast<double>(size + large_.size());
  error_ = split.rate *
           (rest.total_round_off + rest.law_error + 3 * std::exp(rest.log_tail) +
            8 * unit_roundoff * (terms + largest_loss + std::fabs(centre_))) *
           (1 + 1e-6);
  factor_error_ = rest.mass_error + 2 * mass_slack;
  several_ = 0.5 * split.rate * split.rate * (1 + 1e-9);
}

/// delta of the rest at a threshold in the rest's own scale.
double LargeLossLaw::rest_delta(double shifted) const {
  const double first = std::floor(shifted / step_) + 1 - static_cast<double>(low_);
  const auto last = static_cast<double>(above_.size() - 1);
  // No loss lies above, and e^{shifted - centre} may overflow.
  if (first >= last) return 0;
  const auto i = static_cast<std::size_t>(std::max(first, 0.0));
  return std::max(0.0, above_[i] - std::exp(shifted - centre_) * weighted_[i]);
}

double LargeLossLaw::sum_above(double shifted) const {
  if (!std::isfinite(shifted)) {
    throw base::NumericError("a privacy loss is compared with a threshold that is not a number");
  }
  double sum = 0;
  for (const auto& one : large_) sum += one.mass * rest_delta(shifted - one.loss);
  return sum;
}

double LargeLossLaw::delta_above(double eps) const {
  const double shifted = eps - offset_ - loss_error_;
  return (sum_above(shifted) + error_) * std::exp(factor_error_) + several_;
}

double LargeLossLaw::delta_below(double eps) const {
  const double shifted = eps - offset_ + loss_error_;
  return std::max(0.0, (sum_above(shifted) - error_) * std::exp(-factor_error_));
}

}  // namespace tacet::accounting::pld
