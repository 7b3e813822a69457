#include "tacet/privacy/discretize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"

namespace tacet::privacy::pld {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t largest_table = std::int64_t{1} << 22;

/// P(1 - e^{l - r}) of a cell with mass p and log ratio r: p - e^l q without cancellation.
double surplus(double p, double log_ratio, double loss) {
  const double x = loss - log_ratio;
  if (std::fabs(x) < 0.01) {
    // expm1 by its series; the next term is below 0.01^7 / 8!.
    return -p * x *
           (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * (1 + x / 6 * (1 + x / 7))))));
  }
  return -p * std::expm1(x);
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const auto quotient = a / b;
  return quotient * b > a ? quotient - 1 : quotient;
}

}  // namespace

LossRange loss_range(const pairs::Pair& pair, double log_tail) {
  double low = pair.lower_quantile(std::max(log_tail, log_low_tail));
  double high = pair.upper_quantile(log_tail);
  if (std::isfinite(pair.lowest())) low = std::max(low, pair.lowest());
  if (std::isfinite(pair.highest())) high = std::min(high, pair.highest());
  return {low, std::max(low, high)};
}

CellTable make_cells(const pairs::Pair& pair, double step, double log_tail) {
  CellTable table;
  table.width = step / cells_per_step;
  const auto range = loss_range(pair, log_tail);
  const bool finite_low = std::isfinite(pair.lowest());
  table.downwards = !finite_low && std::isfinite(pair.highest());
  table.anchor = finite_low ? pair.lowest() : (table.downwards ? pair.highest() : 0);
  const double cells_below = (range.low - table.anchor) / table.width;
  const double cells_above = (range.high - table.anchor) / table.width;
  if (!(cells_above - cells_below < static_cast<double>(largest_table))) {
    throw base::NumericError(
        fmt::format("a loss grid of step {} would need more than {} cells", step, largest_table));
  }
  const auto first_step =
      floor_div(static_cast<std::int64_t>(std::floor(cells_below)), cells_per_step);
  auto last_step = -floor_div(-static_cast<std::int64_t>(std::ceil(cells_above)), cells_per_step);
  // One more step: an atom at the largest loss may round to just above the last edge.
  if (!table.downwards) ++last_step;
  last_step = std::max(last_step, first_step + 1);
  table.first = first_step * cells_per_step;
  const auto count = (last_step - first_step) * cells_per_step;
  table.p.reserve(static_cast<std::size_t>(count));
  table.log_ratio.reserve(static_cast<std::size_t>(count));
  std::vector<double> edges(static_cast<std::size_t>(count) + 1);
  for (std::int64_t i = 0; i <= count; ++i) {
    edges[static_cast<std::size_t>(i)] = table.edge(table.first + i);
  }
  std::vector<pairs::Masses> masses(static_cast<std::size_t>(count));
  pair.fill(edges, masses);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    table.p.push_back(masses[i].p);
    // The true ratio lies inside the cell; rounding must not move it out.
    table.log_ratio.push_back(
        masses[i].p == 0 ? edges[i] : std::clamp(masses[i].log_ratio, edges[i], edges[i + 1]));
  }
  table.below = pair.interval(-infinity, edges.front());
  table.above = pair.interval(edges.back(), infinity);
  table.infinite = pair.infinite_mass();
  return table;
}

LossGrid upper_grid(const CellTable& cells) {
  LossGrid grid;
  grid.offset = cells.anchor;
  grid.step = cells.width * cells_per_step;
  grid.first = cells.first / cells_per_step;
  const auto steps = cells.p.size() / cells_per_step;
  grid.mass.assign(steps + 1, 0);
  const double share = -std::expm1(-grid.step);
  // The masses and ratios of a cell carry a relative error of some 32 units.
  constexpr double cell_error = 0x1p-47;
  for (std::size_t i = 0; i < steps; ++i) {
    const double loss = cells.edge(cells.first + static_cast<std::int64_t>(i) * cells_per_step);
    double p = 0;
    double excess = 0;
    for (std::size_t j = i * cells_per_step; j < (i + 1) * cells_per_step; ++j) {
      p += cells.p[j];
      excess += surplus(cells.p[j], cells.log_ratio[j], loss);
    }
    const double upper = std::clamp(excess / share, 0.0, p);
    grid.mass[i] += p - upper;
    grid.mass[i + 1] += std::min(p, upper + p * cell_error / share);
  }
  grid.mass.front() += cells.below.p;
  grid.infinite = cells.infinite + cells.above.p;
  return grid;
}

namespace {

/// Fills the buckets of lower_grid from the anchored end onwards. `sign` is 1 upwards, -1
/// downwards: downwards everything is mirrored, a bucket is full when its surplus falls to zero.
class Merger {
 public:
  Merger(const CellTable& cells, LossGrid& grid) : cells_(cells), grid_(grid) {}

  void run() {
    const double sign = cells_.downwards ? -1 : 1;
    const auto count = static_cast<std::int64_t>(cells_.p.size());
    // The bucket at the anchor reaches half a step; its own log ratio becomes the offset, so that
    // a bulk of tiny losses is represented exactly.
    auto next = start_bucket(count, sign);
    double left = 1;
    while (next < count) next = fill(next, count, left, sign);
    const auto& end = cells_.downwards ? cells_.below : cells_.above;
    if (end.p > 0) flush_rest(end);
    if (rest_p_ > 0) flush();
  }

 private:
  [[nodiscard]] std::size_t at(std::int64_t order) const {
    const auto count = static_cast<std::int64_t>(cells_.p.size());
    return static_cast<std::size_t>(cells_.downwards ? count - 1 - order : order);
  }

  std::int64_t start_bucket(std::int64_t count, double sign) {
    const auto& end = cells_.downwards ? cells_.above : cells_.below;
    double p = end.p;
    double excess = end.p > 0 ? surplus(end.p, end.log_ratio, 0) : 0;
    std::int64_t order = 0;
    while (order < count && (order < cells_per_step / 2 || p == 0)) {
      const auto j = at(order++);
      p += cells_.p[j];
      if (cells_.p[j] > 0) excess += surplus(cells_.p[j], cells_.log_ratio[j], 0);
    }
    // log(P / Q) with Q = P - excess.
    grid_.offset = p > 0 ? -std::log1p(-excess / p) : 0;
    if (!std::isfinite(grid_.offset)) grid_.offset = cells_.edge(cells_.first);
    add(0, p);
    last_index_ = 0;
    static_cast<void>(sign);
    return order;
  }

  /// Collects cells from `order` on until the bucket's joint ratio meets its grid point; returns
  /// the cell to go on with, of which the fraction `left` remains.
  std::int64_t fill(std::int64_t order, std::int64_t count, double& left, double sign) {
    auto j = at(order);
    while (order < count && cells_.p[at(order)] == 0) {
      ++order;
      left = 1;
    }
    if (order >= count) return order;
    j = at(order);
    const double position = (cells_.log_ratio[j] - grid_.offset) / grid_.step;
    // An atom on the grid, up to the rounding that loss_slack covers, stays alone.
    const double nearest = std::round(position);
    const double beyond = cells_.log_ratio[j] - (grid_.offset + nearest * grid_.step);
    if (beyond >= -0.25 * loss_slack && beyond < 1e-7 * grid_.step) {
      last_index_ = static_cast<std::int64_t>(nearest);
      add(last_index_, left * cells_.p[j]);
      left = 1;
      return order + 1;
    }
    // A fifth of a step apart, so that buckets do not become needlessly small.
    auto index = static_cast<std::int64_t>(sign * std::ceil(sign * position + 0.2));
    if (!std::isfinite(position)) index = last_index_;
    const double loss = grid_.offset + static_cast<double>(index) * grid_.step;
    rest_p_ = 0;
    rest_excess_ = 0;
    rest_loss_ = loss;
    for (; order < count; ++order, left = 1) {
      j = at(order);
      if (cells_.p[j] == 0) continue;
      const double piece = left * cells_.p[j];
      const double change = surplus(piece, cells_.log_ratio[j], loss);
      if (sign * (rest_excess_ + change) >= 0) {
        const double share = std::clamp(-rest_excess_ / change, 0.0, 1.0);
        add(index, rest_p_ + share * piece);
        last_index_ = index;
        left *= 1 - share;
        rest_p_ = 0;
        if (left < 1e-9) {
          // A sliver goes along; its loss is lowered, never raised, upwards; downwards it is the
          // next bucket's.
          if (sign > 0) add(index, left * cells_.p[j]);
          left = sign > 0 ? 1 : left;
          return sign > 0 ? order + 1 : order;
        }
        return order;
      }
      rest_p_ += piece;
      rest_excess_ += change;
    }
    return order;
  }

  void flush_rest(const pairs::Masses& end) {
    if (rest_p_ == 0) rest_loss_ = 0;
    rest_excess_ += surplus(end.p, end.log_ratio, rest_loss_);
    rest_p_ += end.p;
  }

  /// What is left becomes one bucket, moved down to the grid.
  void flush() {
    const double ratio = rest_loss_ - std::log1p(-std::min(rest_excess_ / rest_p_, 1 - 1e-16));
    const double position = std::floor((ratio - grid_.offset) / grid_.step - 1e-9);
    if (std::isnan(position) || position < -1e15) return;  // dropping mass lowers every delta
    add(static_cast<std::int64_t>(std::min(position, 1e15)), rest_p_);
  }

  void add(std::int64_t index, double p) {
    if (p <= 0) return;
    if (grid_.mass.empty()) grid_.first = index;
    if (index < grid_.first) {
      const auto missing = static_cast<std::size_t>(grid_.first - index);
      front_.resize(std::max(front_.size(), missing), 0);
      front_[missing - 1] += p;
      return;
    }
    const auto place = static_cast<std::size_t>(index - grid_.first);
    if (grid_.mass.size() <= place) grid_.mass.resize(place + 1, 0);
    grid_.mass[place] += p;
  }

 public:
  /// Joins what was filed below the first index.
  void finish() {
    if (front_.empty()) return;
    std::vector<double> joined(front_.rbegin(), front_.rend());
    joined.insert(joined.end(), grid_.mass.begin(), grid_.mass.end());
    grid_.first -= static_cast<std::int64_t>(front_.size());
    grid_.mass = std::move(joined);
  }

 private:
  const CellTable& cells_;
  LossGrid& grid_;
  std::vector<double> front_;
  std::int64_t last_index_ = 0;
  double rest_p_ = 0;
  double rest_excess_ = 0;
  double rest_loss_ = 0;
};

}  // namespace

LossGrid lower_grid(const CellTable& cells) {
  LossGrid grid;
  grid.step = cells.width * cells_per_step;
  grid.infinite = cells.infinite;
  Merger merger(cells, grid);
  merger.run();
  merger.finish();
  if (grid.mass.empty()) grid.mass.push_back(0);
  return grid;
}

double loss_spread(const pairs::Pair& pair, double log_tail) {
  const auto range = loss_range(pair, log_tail);
  const double width = std::max(range.high - range.low, 1e-300);
  const auto cells = make_cells(pair, cells_per_step * width / 1024, log_tail);
  double total = 0;
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < cells.p.size(); ++i) {
    if (cells.p[i] == 0 || !std::isfinite(cells.log_ratio[i])) continue;
    total += cells.p[i];
    first += cells.p[i] * cells.log_ratio[i];
    second += cells.p[i] * cells.log_ratio[i] * cells.log_ratio[i];
  }
  if (total == 0) return width / 4;
  const double mean = first / total;
  return std::sqrt(std::max(second / total - mean * mean, 0.0));
}

}  // namespace tacet::privacy::pld
