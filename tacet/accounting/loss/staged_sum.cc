#include "tacet/accounting/loss/staged_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "tacet/accounting/loss/tilted_sum.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

/// How many losses are composed into one law, and how many steps make one step of the coarser grid.
struct Plan {
  std::int64_t count = 0;
  std::int64_t steps = 0;
};

/// With this many times r^2 losses in one law, cutting the laws to a grid r times as wide adds a
/// tenth of the present grid's error.
constexpr std::int64_t count_per_square = 10;

/// The plan whose two transforms have the smallest sum of lengths.
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

/// The composed law as cells of the coarser grid, without its offset. Every mass moves by its
/// round-off to the safe side: more mass on losses is dearer, less is cheaper.
CellTable cells_of(const TiltedLaw& law, End end, double theta, std::int64_t steps) {
  const double step = law.step;
  CellTable table;
  table.step = step * static_cast<double>(steps);
  const double shift = end == End::above ? law.round_off : -law.round_off;
  const auto low = law.low;
  const auto high = low + static_cast<std::int64_t>(law.coefficients.size()) - 1;
  // The interval (k, k + 1] contains the points k steps + 1 to (k + 1) steps.
  const auto floor_div = [&](std::int64_t a) {
    return a >= 0 ? a / steps : -((-a + steps - 1) / steps);
  };
  const auto first = floor_div(low - 1);
  const auto last = floor_div(high - 1);
  for (auto k = first; k <= last + 1; ++k) table.ends.push_back(k);
  const double largest =
      theta * step * static_cast<double>(std::max(std::abs(low), std::abs(high)));
  if (!(largest + std::fabs(law.log_mass) < 600)) {
    throw base::NumericError("a composed privacy loss exceeds the range of numbers");
  }
  const auto& c = law.coefficients;
  const auto per_cell = steps / cells_per_step;
  for (auto cell = first * cells_per_step; cell < (last + 1) * cells_per_step; ++cell) {
    const auto top = (cell + 1) * per_cell;
    const double top_loss = static_cast<double>(top) * step;
    double p = 0;
    double change = 0;  // sum of p (1 - e^{top - y})
    for (auto j = top - per_cell + 1; j <= top; ++j) {
      if (j < low || j > high) continue;
      const double m = std::max(0.0, c[static_cast<std::size_t>(j - low)] + shift);
      const double mass = m * std::exp(law.log_mass - theta * static_cast<double>(j) * step);
      p += mass;
      change -= mass * std::expm1(static_cast<double>(top - j) * step);
    }
    table.p.push_back(p);
    // P / Q of the merged outcomes
    table.log_ratio.push_back(p > 0 ? top_loss - std::log1p(-change / p) : top_loss);
    table.ratio_error.push_back(numeric::ulps(8) * (std::fabs(top_loss) + table.step));
  }
  return table;
}

/// Completes a composed law on the coarser grid.
void finish(LossGrid& grid, const TiltedLaw& law, double theta) {
  const double moment = log_moment(grid, theta) + theta * grid.offset;
  // Mass outside of the transform is missing in the upper law and wraps around in the lower law.
  grid.law_error = (2 * std::exp(law.log_tail) + law.law_error) * (1 + 1e-9);
  grid.moment_drop = std::max(0.0, law.log_mass - moment);
  const double largest = std::max(
      std::fabs(static_cast<double>(law.low)),
      std::fabs(static_cast<double>(law.low) + static_cast<double>(law.coefficients.size())));
  grid.mass_error = law.mass_error + 8 * numeric::unit_roundoff *
                                         (std::fabs(law.log_mass) + theta * largest * law.step + 8);
  grid.loss_error += law.loss_error;
  grid.offset += law.offset;
}

/// Composes the pieces of both sums one by one.
class Composer {
 public:
  Composer(const Staging& staging, const Plan& plan, double uses)
      // the loss of each law counts as often as the law is used
      : theta_(staging.theta), log_tail_(staging.log_tail - std::log(8 * uses)), plan_(plan) {}

  /// Adds `count` losses of each law, composed into one law that is used `times` times.
  void add(const LossGrid& upper, const LossGrid& lower, std::int64_t count, std::int64_t times) {
    if (count == 0 || times == 0) return;
    const GridSum one_above({{upper, count}});
    const GridSum one_below({{lower, count}});
    TwinTransform twin(one_above, one_below);
    twin.run_whole(theta_, log_tail_, longest_bits);
    moved_above_ += append(twin.first(), one_above, End::above, times);
    moved_below_ += append(twin.second(), one_below, End::below, times);
  }

  [[nodiscard]] StagedSums sums() && {
    return {GridSum(std::move(above_)), GridSum(std::move(below_)),
            std::max(moved_above_, moved_below_)};
  }

 private:
  static constexpr int longest_bits = 18;

  /// Returns the mass that round-off may have moved.
  double append(const TiltedLaw& law, const GridSum& one, End end, std::int64_t times) {
    auto cells = cells_of(law, end, theta_, plan_.steps);
    cells.infinite = one.infinite_mass(end);
    auto grid = end == End::above ? upper_grid(cells) : lower_grid(cells);
    finish(grid, law, theta_);
    (end == End::above ? above_ : below_).push_back({std::move(grid), times});
    return static_cast<double>(times) * static_cast<double>(law.coefficients.size()) *
           law.round_off;
  }

  double theta_;
  double log_tail_;
  Plan plan_;
  std::vector<CountedGrid> above_;
  std::vector<CountedGrid> below_;
  double moved_above_ = 0;
  double moved_below_ = 0;
};

}  // namespace

std::optional<StagedSums> staged(const GridSum& upper, const GridSum& lower,
                                 const Staging& staging) {
  const auto plan = shortest(upper, staging);
  if (!plan) return std::nullopt;
  const double uses = static_cast<double>(upper.steps()) / static_cast<double>(plan->count);
  Composer composer(staging, *plan, uses + static_cast<double>(upper.parts().size()));
  try {
    for (std::size_t i = 0; i < upper.parts().size(); ++i) {
      const auto& above = upper.parts()[i];
      const auto& below = lower.parts()[i].grid;
      composer.add(above.grid, below, plan->count, above.count / plan->count);
      composer.add(above.grid, below, above.count % plan->count, 1);
    }
  } catch (const base::NumericError&) {
    // The transform is too long or the numbers are too large; one stage may still work.
    return std::nullopt;
  }
  return std::move(composer).sums();
}

}  // namespace tacet::accounting::pld
