#include "tacet/accounting/loss/components.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/accounting/loss/grid_level.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {

bool is_single(std::span<const Component> components) {
  return components.size() == 1 && components[0].count == 1;
}

double log_tail_for(double log_delta, std::span<const Component> components) {
  constexpr std::int64_t max_uses = std::int64_t{1} << 34;
  std::int64_t total = 0;
  for (const auto& component : components) {
    if (component.count > max_uses - total) {
      throw base::NumericError("more uses than privacy losses can be composed precisely for");
    }
    total += component.count;
  }
  // All tails together take at most a hundred thousandth of delta (e^-11.5).
  return std::max(
      log_delta - 11.5 - std::log(static_cast<double>(std::max<std::int64_t>(total, 1))), -690.0);
}

Scale choose_scale(std::span<const Component> components, double log_tail) {
  double variance = 0;
  double count = 0;
  double range = 0;
  double resolvable = 0;
  std::vector<Resolution> resolutions;
  for (const auto& component : components) {
    const auto ends = loss_range(*component.pair, log_tail);
    range = std::max({range, ends.high - ends.low, narrowest(ends)});
    resolvable = std::max(resolvable, narrowest(ends));
    const auto moments = loss_moments(*component.pair, std::max(log_tail, -40.0));
    resolutions.push_back({moments, false, 0});
    const double spread = moments.spread;
    variance += static_cast<double>(component.count) * spread * spread;
    count += static_cast<double>(component.count);
  }
  const double spread = std::sqrt(variance / std::max(count, 1.0));
  const double coarse = std::clamp(std::min(spread / 3, range / 32), resolvable, largest_step);
  return {coarse, std::max(range * 1e-9, 0.125 * resolvable), std::move(resolutions)};
}

double largest_loss(std::span<const Component> components) {
  double sum = 0;
  for (const auto& component : components) {
    if (component.pair->infinite_mass() > 0) return numeric::infinity;
    sum += static_cast<double>(component.count) * component.pair->highest();
  }
  // Covers the roundings of each largest loss, of the products and of the sum.
  return sum * (1 + 1e-14 * static_cast<double>(components.size() + 1));
}

double affordable_step(double coarse, double epsilon, double theta, double uses) {
  constexpr double cells = 32768;
  const double tilt = std::max(theta, 1e-3);
  const double width = epsilon + 30 / tilt;
  // A grid of about 32768 cells, unless so wide a step would move log delta by more than a fifth of
  // itself. Then up to 2^20 cells, which two stages (staged_sum.h) can still afford.
  const double precise = std::sqrt(1.6 * epsilon / (tilt * uses));
  constexpr double max_cells = 0x1p20;
  const double step =
      std::max(coarse, std::min(width / cells, std::max(width / max_cells, precise)));
  return std::min(step, largest_step);
}

double aligned_step(std::span<const Component> components, double step) {
  if (components.size() != 1) return step;
  const auto& pair = *components[0].pair;
  const double span = pair.highest() - pair.lowest();
  const bool both = pair.lowest_atom().p > 0 && pair.highest_atom().p > 0;
  if (!both || !(span / step < 1e9)) return step;
  return span / std::max(1.0, std::round(span / step));
}

double rough_log_delta(std::span<const Component> components, double epsilon) {
  const double log_tail = -600;
  if (is_single(components)) return log_tail;
  const auto scale = choose_scale(components, log_tail);
  const GridLevel level(
      components, {std::max(scale.first_step, scale.smallest_step), log_tail, scale.resolutions},
      24);
  const double theta = level.tilt_for_mean(epsilon);
  const auto c = level.upper().cumulants(theta);
  return std::min(0.0, c.value - theta * (epsilon - level.upper().offset())) - 20;
}

}  // namespace tacet::accounting::pld
