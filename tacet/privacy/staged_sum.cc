#include "tacet/privacy/staged_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/tilted_sum.h"

namespace tacet::privacy::pld {
namespace {

/// How many losses go into one law, and how many steps into one of the coarser grid.
struct Plan {
  std::int64_t count = 0;
  std::int64_t steps = 0;
};

/// c uses in steps r times as wide cost what c / r^2 uses cost on the present grid, each.
constexpr std::int64_t count_per_square = 10;

/// The plan whose two transforms are shortest together.
std::optional<Plan> shortest(const GridSum& upper, const Staging& staging) {
  const CountedGrid* main = &upper.parts().front();
  for (const auto& part : upper.parts()) {
    if (part.count > main->count) main = &part;
  }
  const double direct = std::exp2(staging.direct_bits);
  double best = direct / 3;
  std::optional<Plan> plan;
  for (std::int64_t r = cells_per_step; r <= 256; r *= 2) {
    const auto count = count_per_square * r * r;
    if (main->count < 4 * count) break;
    const GridSum some({{main->grid, count}});
    const auto window =
        chernoff_window(some, staging.theta, some.cumulants(staging.theta), staging.log_tail);
    const auto length = std::bit_ceil(static_cast<std::uint64_t>(window.high - window.low + 3));
    const double work = static_cast<double>(length) + direct / static_cast<double>(r);
    if (work < best) {
      best = work;
      plan = {count, r};
    }
  }
  return plan;
}

/// What a composed law lost or holds too much, in masses under its tilt.
struct Kept {
  std::int64_t first;  ///< coefficients kept
  std::int64_t last;
  double error;
};

/// Round-off and tails are cut off at both ends: untilted, they could outweigh everything.
Kept keep(const TiltedLaw& law) {
  const auto c = law.coefficients();
  const auto size = static_cast<std::int64_t>(c.size());
  const double least = 4 * law.round_off();
  Kept kept{0, size - 1, 0};
  double dropped = 0;
  const auto negligible = [&](std::int64_t i) { return c[static_cast<std::size_t>(i)] <= least; };
  while (kept.first < kept.last && negligible(kept.first)) {
    dropped += std::max(0.0, c[static_cast<std::size_t>(kept.first++)]);
  }
  while (kept.last > kept.first && negligible(kept.last)) {
    dropped += std::max(0.0, c[static_cast<std::size_t>(kept.last--)]);
  }
  // A tail on either side that wraps is missing there and too much elsewhere.
  kept.error =
      (law.total_round_off() + 4 * std::exp(law.log_tail()) + dropped + law.law_error()) * 1.01;
  return kept;
}

/// The composed law as cells of the coarser grid, its offset apart.
CellTable cells_of(const TiltedLaw& law, const Kept& kept, double theta, std::int64_t steps) {
  const double step = law.step();
  CellTable table;
  table.step = step * static_cast<double>(steps);
  const auto low = law.low() + kept.first;
  const auto high = law.low() + kept.last;
  // The interval (k, k + 1] holds the points k steps + 1 to (k + 1) steps.
  const auto floor_div = [&](std::int64_t a) {
    return a >= 0 ? a / steps : -((-a + steps - 1) / steps);
  };
  const auto first = floor_div(low - 1);
  const auto last = floor_div(high - 1);
  for (auto k = first; k <= last + 1; ++k) table.ends.push_back(k);
  const auto c = law.coefficients();
  const auto per_cell = steps / cells_per_step;
  for (auto cell = first * cells_per_step; cell < (last + 1) * cells_per_step; ++cell) {
    const auto top = (cell + 1) * per_cell;
    const double top_loss = static_cast<double>(top) * step;
    double p = 0;
    double change = 0;  // sum of p (1 - e^{top - y})
    for (auto j = top - per_cell + 1; j <= top; ++j) {
      if (j < low || j > high) continue;
      const double m = std::max(0.0, c[static_cast<std::size_t>(j - law.low())]);
      const double mass = m * std::exp(law.log_mass() - theta * static_cast<double>(j) * step);
      p += mass;
      change -= mass * std::expm1(static_cast<double>(top - j) * step);
    }
    table.p.push_back(p);
    // P / Q of outcomes that were merged.
    table.log_ratio.push_back(p > 0 ? top_loss - std::log1p(-change / p) : top_loss);
    table.ratio_error.push_back(0x1p-49 * (std::fabs(top_loss) + table.step));
  }
  return table;
}

/// One law of `count` losses of a part on the coarser grid, as it will be used.
void finish(LossGrid& grid, const TiltedLaw& law, const Kept& kept, double theta) {
  const double moment = log_moment(grid, theta) + theta * grid.offset;
  // Its error is relative to the moment before it was cut anew; a lower law has less.
  grid.law_error = kept.error * std::exp(std::max(0.0, law.log_mass() - moment));
  constexpr double u = 0x1p-53;
  const double largest = std::max(std::fabs(static_cast<double>(law.low())),
                                  std::fabs(static_cast<double>(law.low()) +
                                            static_cast<double>(law.coefficients().size())));
  grid.mass_error = law.mass_error() +
                    8 * u * (std::fabs(law.log_mass()) + theta * largest * law.step() + 8);
  grid.loss_error += law.loss_error();
  grid.offset += law.offset();
}

}  // namespace

std::optional<SumPair> staged(const GridSum& upper, const GridSum& lower, const Staging& staging) {
  const auto plan = shortest(upper, staging);
  if (!plan) return std::nullopt;
  std::vector<CountedGrid> above;
  std::vector<CountedGrid> below;
  const auto add = [&](std::size_t part, std::int64_t count, std::int64_t times) {
    if (count == 0 || times == 0) return;
    const GridSum one_above({{upper.parts()[part].grid, count}});
    const GridSum one_below({{lower.parts()[part].grid, count}});
    TwinTransform twin(one_above, one_below);
    twin.run_whole(staging.theta, staging.log_tail, staging.direct_bits);
    for (const auto* law : {&twin.first(), &twin.second()}) {
      const bool is_upper = law == &twin.first();
      const auto kept = keep(*law);
      auto cells = cells_of(*law, kept, staging.theta, plan->steps);
      cells.infinite = is_upper ? one_above.infinite_mass(Side::above)
                                : one_below.infinite_mass(Side::below);
      auto grid = is_upper ? upper_grid(cells) : lower_grid(cells);
      finish(grid, *law, kept, staging.theta);
      (is_upper ? above : below).push_back({std::move(grid), times});
    }
  };
  for (std::size_t i = 0; i < upper.parts().size(); ++i) {
    const auto total = upper.parts()[i].count;
    add(i, plan->count, total / plan->count);
    add(i, total % plan->count, 1);
  }
  return SumPair{GridSum(std::move(above)), GridSum(std::move(below))};
}

}  // namespace tacet::privacy::pld
