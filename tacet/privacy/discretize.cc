#include "tacet/privacy/discretize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

}  // namespace

double narrowest(const LossRange& range) {
  return 0x1p-40 * std::max(std::fabs(range.low), std::fabs(range.high)) + 1e-290;
}

LossRange loss_range(const pairs::Pair& pair, double log_tail) {
  double low = pair.lower_quantile(std::max(log_tail, log_low_tail));
  double high = pair.upper_quantile(log_tail);
  if (std::isfinite(pair.lowest())) low = std::max(low, pair.lowest());
  if (std::isfinite(pair.highest())) high = std::min(high, pair.highest());
  return {low, std::max(low, high)};
}

namespace {

/// Grid indices from 0 outwards to at least `steps` away, ever further apart.
std::vector<std::int64_t> spread_out(double steps, double step, const Resolution& resolution,
                                     bool upwards) {
  std::vector<std::int64_t> ends{0};
  double widest = 1;
  double scale = infinity;  // distance in steps at which intervals become wider
  const double spread = resolution.moments.spread;
  if (!resolution.uniform && spread > 0) {
    widest = resolution.theta > 0 ? 0.25 / (resolution.theta * spread) : infinity;
    scale = 4 * spread / step;
  }
  std::int64_t width = 1;
  while (static_cast<double>(ends.back()) < steps) {
    const auto doubled = static_cast<double>(2 * width);
    const auto distance = static_cast<double>(ends.back());
    // Far below the mean a tilt leaves nothing, however wide the intervals are.
    const bool free = !upwards && resolution.theta * distance * step > 60;
    if ((free || doubled <= widest) && distance >= doubled * scale) width *= 2;
    ends.push_back(ends.back() + width);
    if (static_cast<std::int64_t>(ends.size()) * cells_per_step > largest_table) {
      throw base::NumericError(
          fmt::format("a loss grid of step {} would need more than {} cells", step, largest_table));
    }
  }
  return ends;
}

/// All grid indices, ascending, from `first` to at least `last`, finest around `centre`.
std::vector<std::int64_t> grid_ends(std::int64_t first, double last, std::int64_t centre,
                                    double step, const Resolution& resolution) {
  const auto at_centre = static_cast<double>(centre);
  const auto upwards = spread_out(last - at_centre, step, resolution, true);
  auto downwards = spread_out(at_centre - static_cast<double>(first), step, resolution, false);
  while (downwards.size() > 1 && centre - downwards[downwards.size() - 2] <= first) {
    downwards.pop_back();
  }
  downwards.back() = std::min(downwards.back(), centre - first);
  std::vector<std::int64_t> ends;
  ends.reserve(upwards.size() + downwards.size());
  for (auto it = downwards.rbegin(); it + 1 != downwards.rend(); ++it) ends.push_back(centre - *it);
  for (const auto end : upwards) ends.push_back(centre + end);
  return ends;
}

/// Adds what stands at one loss to a cell. The ratio of both together follows from their surpluses
/// over the larger one, which loses nothing.
void add_to_cell(CellTable& table, std::size_t cell, const pairs::Masses& atom) {
  auto& p = table.p[cell];
  auto& ratio = table.log_ratio[cell];
  const double reference = p > 0 ? std::max(ratio, atom.log_ratio) : atom.log_ratio;
  double excess = surplus(atom.p, atom.log_ratio, reference);
  if (p > 0) excess += surplus(p, ratio, reference);
  p += atom.p;
  ratio = reference - std::log1p(-excess / p);
  table.ratio_error[cell] = std::max(table.ratio_error[cell], atom.ratio_error) + 0x1p-48;
}

/// Masses of the cells between `edges` and of what lies beyond them.
void fill_cells(const pairs::Pair& pair, const std::vector<double>& edges, CellTable& table) {
  std::vector<pairs::Masses> masses(edges.size() - 1);
  pair.fill(edges, masses);
  for (const auto& one : masses) {
    table.p.push_back(one.p);
    table.log_ratio.push_back(one.log_ratio);
    table.ratio_error.push_back(one.ratio_error);
  }
  const auto place = [&](const pairs::Masses& atom, double loss) {
    if (atom.p <= 0) return;
    if (loss == table.anchor) {
      table.anchor_atom = atom.p;
      return;
    }
    // The cell (low, high] with the loss inside.
    const auto above = std::lower_bound(edges.begin(), edges.end(), loss) - edges.begin();
    const auto last = static_cast<std::ptrdiff_t>(masses.size());
    add_to_cell(table, static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above, 1, last) - 1),
                atom);
  };
  const auto low_atom = pair.lowest_atom();
  if (edges.front() <= pair.lowest() && low_atom.p > 0) {
    place(low_atom, pair.lowest());
  } else {
    table.below = pair.interval(-infinity, edges.front());
  }
  const auto high_atom = pair.highest_atom();
  if (edges.back() >= pair.highest() && high_atom.p > 0) {
    place(high_atom, pair.highest());
  } else {
    table.above = pair.interval(edges.back(), infinity);
  }
  // The true ratio lies inside the cell; rounding must not move it out.
  for (std::size_t i = 0; i < table.p.size(); ++i) {
    if (!std::isfinite(table.log_ratio[i])) table.ratio_error[i] = edges[i + 1] - edges[i];
    table.log_ratio[i] =
        table.p[i] == 0 ? edges[i] : std::clamp(table.log_ratio[i], edges[i], edges[i + 1]);
  }
  table.infinite = pair.infinite_mass();
}

}  // namespace

CellTable make_cells(const pairs::Pair& pair, double step, double log_tail,
                     const Resolution& resolution) {
  CellTable table;
  table.step = step;
  const auto range = loss_range(pair, log_tail);
  // An end of the losses anchors the grid when the bulk lies close to it (few records sampled); the
  // largest one rather where it has a mass of its own, which few releases feel.
  const double mean = resolution.moments.mean;
  const double spread = resolution.moments.spread;
  const auto close = [&](double end) {
    return std::isfinite(end) && (spread == 0 || std::fabs(end - mean) < 16 * spread);
  };
  const auto top = pair.highest_atom();
  const bool from_top = pair.lattice() == 0 && top.p > 0 && close(pair.highest());
  const bool from_low = pair.lattice() > 0 || (!from_top && close(pair.lowest()));
  table.downwards = from_top || (!from_low && close(pair.highest()));
  table.anchor = from_low ? pair.lowest() : (table.downwards ? pair.highest() : mean);
  const double first = std::floor((range.low - table.anchor) / step);
  // One step more: an atom at the largest loss may round to just above the last edge.
  const double last = table.downwards ? 0 : std::ceil((range.high - table.anchor) / step) + 1;
  const double centre = std::round((mean - table.anchor) / step);
  if (!(std::fabs(first) < 1e15 && std::fabs(last) < 1e15)) {
    throw base::NumericError(fmt::format("losses beyond the range of a grid of step {}", step));
  }
  const auto start = from_low ? std::int64_t{0} : static_cast<std::int64_t>(first);
  table.ends = grid_ends(start, last, static_cast<std::int64_t>(std::clamp(centre, first, last)),
                         step, resolution);
  if (table.downwards) {
    while (table.ends.size() > 1 && table.ends[table.ends.size() - 2] >= 0) table.ends.pop_back();
    table.ends.back() = 0;
  }
  if (table.ends.size() < 2) table.ends = {start - 1, start};
  std::vector<double> edges{table.loss(table.ends.front())};
  edges.reserve(table.ends.size() * cells_per_step);
  for (std::size_t i = 0; i + 1 < table.ends.size(); ++i) {
    const double low = table.loss(table.ends[i]);
    const double width = static_cast<double>(table.ends[i + 1] - table.ends[i]) * step;
    for (int k = 1; k < cells_per_step; ++k) edges.push_back(low + width * k / cells_per_step);
    edges.push_back(table.loss(table.ends[i + 1]));
  }
  fill_cells(pair, edges, table);
  return table;
}

LossGrid upper_grid(const CellTable& cells) {
  LossGrid grid;
  grid.offset = cells.anchor;
  grid.step = cells.step;
  grid.index = cells.ends;
  grid.mass.assign(cells.ends.size(), 0);
  for (std::size_t i = 0; i + 1 < cells.ends.size(); ++i) {
    const double loss = cells.loss(cells.ends[i]);
    const double share =
        -std::expm1(-static_cast<double>(cells.ends[i + 1] - cells.ends[i]) * cells.step);
    double p = 0;
    double excess = 0;
    double error = 0;
    for (std::size_t j = i * cells_per_step; j < (i + 1) * cells_per_step; ++j) {
      p += cells.p[j];
      excess += surplus(cells.p[j], cells.log_ratio[j], loss);
      // Of the ratio itself, and of forming its difference to the loss.
      error += cells.p[j] * (cells.ratio_error[j] + 0x1p-51 * (std::fabs(loss) + share));
    }
    const double upper = std::clamp(excess / share, 0.0, p);
    grid.mass[i] += p - upper;
    grid.mass[i + 1] += std::min(p, upper + 1.1 * error / share);
  }
  grid.mass.front() += cells.below.p;
  if (cells.anchor_atom > 0) {
    const auto at = std::lower_bound(grid.index.begin(), grid.index.end(), 0);
    grid.mass[static_cast<std::size_t>(at - grid.index.begin())] += cells.anchor_atom;
  }
  grid.infinite = cells.infinite + cells.above.p;
  return grid;
}

namespace {

/// Fills the buckets of lower_grid from the anchored end onwards: upwards, or mirrored downwards,
/// where a bucket is full when its surplus falls to zero.
class Merger {
 public:
  Merger(const CellTable& cells, LossGrid& grid)
      : cells_(cells), grid_(grid), sign_(cells.downwards ? -1 : 1) {}

  void run() {
    // The bucket at the anchor reaches half a step; its own log ratio becomes the offset, so that
    // a bulk of tiny losses is represented exactly.
    start_bucket();
    while (order_ < count()) fill();
    // At the far end the tail joins the last bucket; at the anchored end it was dropped, which
    // lowers every delta.
    const auto& end = cells_.downwards ? cells_.below : cells_.above;
    if (end.p > 0 && (rest_p_ > 0 || std::isfinite(end.log_ratio))) {
      if (rest_p_ == 0) rest_loss_ = end.log_ratio;
      rest_excess_ += surplus(end.p, end.log_ratio - end.ratio_error, rest_loss_);
      rest_p_ += end.p;
    }
    if (rest_p_ > 0) flush();
    std::sort(buckets_.begin(), buckets_.end());
    for (const auto& [index, p] : buckets_) {
      if (!grid_.index.empty() && grid_.index.back() == index) {
        grid_.mass.back() += p;
      } else {
        grid_.index.push_back(index);
        grid_.mass.push_back(p);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t count() const { return cells_.p.size(); }
  [[nodiscard]] std::size_t place(std::size_t order) const {
    return cells_.downwards ? count() - 1 - order : order;
  }
  [[nodiscard]] std::size_t current() const { return place(order_); }
  void next_cell() {
    ++order_;
    left_ = 1;
  }
  void add(std::int64_t index, double p) {
    if (p > 0) buckets_.emplace_back(index, p);
  }

  /// A cell's log ratio, rounded down: more Q than there is lowers every delta.
  [[nodiscard]] double ratio(std::size_t cell) const {
    return cells_.log_ratio[cell] - cells_.ratio_error[cell];
  }

  void start_bucket() {
    const auto first = order_;
    double p = 0;
    double reference = -infinity;
    auto last = first;
    const bool alone = cells_.anchor_atom > 0;
    while (last < count() && (last < cells_per_step / 2 || (p == 0 && !alone))) {
      const auto j = place(last++);
      p += cells_.p[j];
      if (cells_.p[j] > 0) reference = std::max(reference, ratio(j));
    }
    // A mass at the anchor that outweighs what is close to it stays alone.
    if (cells_.anchor_atom > p) {
      grid_.offset = cells_.anchor;
      add(0, cells_.anchor_atom);
      return;
    }
    order_ = last;
    grid_.offset = cells_.loss(cells_.ends.front());
    if (p == 0) return;
    // log(P / Q) from surpluses over the largest ratio, which are negative: nothing cancels.
    if (cells_.anchor_atom > 0) reference = std::max(reference, cells_.anchor);
    double excess = cells_.anchor_atom * surplus(1, cells_.anchor, reference);
    for (auto i = first; i < last; ++i) {
      const auto j = place(i);
      if (cells_.p[j] > 0) excess += surplus(cells_.p[j], ratio(j), reference);
    }
    p += cells_.anchor_atom;
    grid_.offset = reference - std::log1p(-excess / p) * (1 + 0x1p-44);
    add(0, p);
  }

  /// Fills one bucket: from the current cell (of which left_ remains) to where the joint ratio
  /// meets a grid point.
  void fill() {
    while (order_ < count() && cells_.p[current()] == 0) next_cell();
    if (order_ >= count()) return;
    const auto start = current();
    const double exact = cells_.log_ratio[start];
    const double position = (exact - grid_.offset) / grid_.step;
    // An atom on the grid, up to rounding, stays alone; what rounding raises it by is accounted.
    const double nearest = std::round(position);
    const double beyond = exact - (grid_.offset + nearest * grid_.step);
    const double tolerance = 0x1p-48 * (1 + std::fabs(exact));
    if (beyond >= -tolerance && beyond < 1e-7 * grid_.step) {
      grid_.loss_error = std::max(grid_.loss_error, cells_.ratio_error[start] - beyond);
      add(static_cast<std::int64_t>(nearest), left_ * cells_.p[start]);
      next_cell();
      return;
    }
    // A fifth of a width apart, so that buckets do not become needlessly small; from the ratio as
    // it will count, so that a bucket never starts beyond its target.
    const double from = (ratio(start) - grid_.offset) / grid_.step;
    const auto interval = start / cells_per_step;
    const auto width = static_cast<double>(cells_.ends[interval + 1] - cells_.ends[interval]);
    const double target = sign_ * width * std::ceil(sign_ * from / width + 0.2);
    const double loss = grid_.offset + target * grid_.step;
    rest_p_ = 0;
    rest_excess_ = 0;
    rest_loss_ = loss;
    for (; order_ < count(); next_cell()) {
      const auto j = current();
      if (cells_.p[j] == 0) continue;
      const double piece = left_ * cells_.p[j];
      const double change = surplus(piece, ratio(j), loss);
      if (j == start && sign_ * change >= 0) {
        // Rounding alone can do that: the cell goes down to the grid.
        add(static_cast<std::int64_t>(std::floor(from)), piece);
        next_cell();
        return;
      }
      if (sign_ * (rest_excess_ + change) >= 0) {
        close(static_cast<std::int64_t>(target), piece, change);
        return;
      }
      rest_p_ += piece;
      rest_excess_ += change;
    }
  }

  /// The last cell of a bucket is split; a randomised split is post-processing too.
  void close(std::int64_t index, double piece, double change) {
    const double share = std::clamp(-rest_excess_ / change, 0.0, 1.0);
    add(index, rest_p_ + share * piece);
    rest_p_ = 0;
    rest_excess_ = 0;
    left_ *= 1 - share;
    if (left_ < 1e-9) {
      // Upwards the sliver's loss may be lowered into the bucket; downwards that would raise it,
      // and the next bucket takes it.
      if (sign_ > 0) {
        add(index, left_ * cells_.p[current()]);
        next_cell();
      } else if (left_ == 0) {
        next_cell();
      }
    }
  }

  /// What is left becomes one bucket. Outcomes of earlier ones join it so that it too stands on the
  /// grid; without any it is moved down.
  void flush() {
    // Rounding of the quotient would raise a ratio far above rest_loss_ without bound.
    const double quotient = rest_excess_ / rest_p_;
    const double ratio = rest_loss_ - std::log1p(-quotient + 0x1p-44 * (1 + std::fabs(quotient)));
    const double exact = (ratio - grid_.offset) / grid_.step;
    // A ratio that rounding left just below a grid point stays there.
    const double position = std::floor(exact + 1e-7);
    if (!(std::fabs(position) < 1e15)) return;  // dropping mass lowers every delta
    if (exact > position + 1e-7 && joined(position + (sign_ > 0 ? 0 : 1), ratio)) return;
    grid_.loss_error = std::max(grid_.loss_error, grid_.offset + position * grid_.step - ratio);
    add(static_cast<std::int64_t>(position), rest_p_);
  }

  /// Brings the rest to a grid point by merging it with the nearest buckets beyond that point, the
  /// last of them split.
  bool joined(double position, double ratio) {
    const auto offer = [&](const std::pair<std::int64_t, double>& bucket) {
      return surplus(bucket.second, 0, (position - static_cast<double>(bucket.first)) * grid_.step);
    };
    double excess = surplus(rest_p_, ratio, grid_.offset + position * grid_.step);
    auto first = buckets_.size();
    while (first > 0 && excess * (excess + offer(buckets_[first - 1])) > 0) {
      excess += offer(buckets_[--first]);
    }
    if (first == 0) return false;
    const double share = std::clamp(-excess / offer(buckets_[first - 1]), 0.0, 1.0);
    double p = rest_p_ + share * buckets_[first - 1].second;
    buckets_[first - 1].second *= 1 - share;
    for (auto k = first; k < buckets_.size(); ++k) p += buckets_[k].second;
    buckets_.resize(first);
    add(static_cast<std::int64_t>(position), p);
    return true;
  }

  const CellTable& cells_;
  LossGrid& grid_;
  double sign_;
  std::size_t order_ = 0;
  double left_ = 1;
  std::vector<std::pair<std::int64_t, double>> buckets_;
  double rest_p_ = 0;
  double rest_excess_ = 0;
  double rest_loss_ = 0;
};

}  // namespace

LossGrid lower_grid(const CellTable& cells) {
  LossGrid grid;
  grid.step = cells.step;
  grid.infinite = cells.infinite;
  Merger(cells, grid).run();
  if (grid.mass.empty()) {
    grid.index.push_back(0);
    grid.mass.push_back(0);
  }
  return grid;
}

Moments loss_moments(const pairs::Pair& pair, double log_tail) {
  // Cells fine enough for the bulk, however far the tails reach.
  constexpr double log_bulk_tail = -3;
  const auto range = loss_range(pair, log_tail);
  const auto bulk = loss_range(pair, log_bulk_tail);
  const double least = narrowest(range);
  const double width = std::max(bulk.high - bulk.low, least);
  const Moments guess{0.5 * (bulk.low + bulk.high), 0.25 * width};
  const auto cells = make_cells(pair, width / 64, log_tail, {guess, false, 0});
  double total = cells.anchor_atom;
  double first = cells.anchor_atom * cells.anchor;
  double second = first * cells.anchor;
  for (std::size_t i = 0; i < cells.p.size(); ++i) {
    if (cells.p[i] == 0 || !std::isfinite(cells.log_ratio[i])) continue;
    total += cells.p[i];
    first += cells.p[i] * cells.log_ratio[i];
    second += cells.p[i] * cells.log_ratio[i] * cells.log_ratio[i];
  }
  if (total == 0) return guess;
  const double mean = first / total;
  return {mean, std::sqrt(std::max(second / total - mean * mean, 0.0))};
}

}  // namespace tacet::privacy::pld
