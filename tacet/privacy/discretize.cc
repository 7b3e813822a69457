#include "tacet/privacy/discretize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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
  const double scale = std::fabs(reference) + std::fabs(excess / p);
  table.ratio_error[cell] = std::max(table.ratio_error[cell], atom.ratio_error) + 0x1p-48 * scale;
}

/// Masses of the cells between `edges` and of what lies beyond them.
void fill_cells(const pairs::Pair& pair, const std::vector<double>& edges, bool far_on_grid,
                CellTable& table) {
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
    if (loss == table.far_loss && far_on_grid) {
      table.far_atom = atom.p;
      return;
    }
    // The cell (low, high] with the loss inside.
    const auto above = std::lower_bound(edges.begin(), edges.end(), loss) - edges.begin();
    const auto last = static_cast<std::ptrdiff_t>(masses.size());
    add_to_cell(table, static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above, 1, last) - 1),
                atom);
  };
  place(pair.zero_atom(), 0);
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

namespace {

/// Where the losses end with a mass at both ends and the grid, up to rounding, meets both, makes
/// the end that is not the anchor the last grid point.
bool end_on_grid(const pairs::Pair& pair, const LossRange& range, bool from_low, bool from_top,
                 CellTable& table) {
  if (!from_low && !from_top) return false;
  const auto atom = from_low ? pair.highest_atom() : pair.lowest_atom();
  const double loss = from_low ? pair.highest() : pair.lowest();
  if (!(atom.p > 0) || (from_low ? range.high : range.low) != loss) return false;
  const double exact = (loss - table.anchor) / table.step;
  const double index = std::round(exact);
  if (!(std::fabs(exact - index) < 1e-6) || index == 0) return false;
  table.far_loss = loss;
  table.far_index = static_cast<std::int64_t>(index);
  auto& ends = table.ends;
  if (from_low) {
    while (!ends.empty() && ends.back() >= table.far_index) ends.pop_back();
    ends.push_back(table.far_index);
  } else {
    ends.erase(ends.begin(), std::upper_bound(ends.begin(), ends.end(), table.far_index));
    ends.insert(ends.begin(), table.far_index);
  }
  return true;
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
  // What stands at 0 must stay there: else a grid around the mean would spread it over a step.
  const double centre_loss = pair.zero_atom().p > 0 ? 0 : mean;
  const auto top = pair.highest_atom();
  const bool from_top = pair.lattice() == 0 && top.p > 0 && close(pair.highest());
  const bool from_low = pair.lattice() > 0 || (!from_top && close(pair.lowest()));
  table.downwards = from_top || (!from_low && close(pair.highest()));
  table.anchor = from_low ? pair.lowest() : (table.downwards ? pair.highest() : centre_loss);
  const double first = std::floor((range.low - table.anchor) / step);
  // One step more: an atom at the largest loss may round to just above the last edge.
  const double last = table.downwards ? 0 : std::ceil((range.high - table.anchor) / step) + 1;
  const double centre = std::round((centre_loss - table.anchor) / step);
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
  const bool far_on_grid = end_on_grid(pair, range, from_low, from_top, table);
  if (table.ends.size() < 2) table.ends = {start - 1, start};
  std::vector<double> edges{table.loss(table.ends.front())};
  edges.reserve(table.ends.size() * cells_per_step);
  for (std::size_t i = 0; i + 1 < table.ends.size(); ++i) {
    const double low = table.loss(table.ends[i]);
    const double width = static_cast<double>(table.ends[i + 1] - table.ends[i]) * step;
    for (int k = 1; k < cells_per_step; ++k) edges.push_back(low + width * k / cells_per_step);
    edges.push_back(table.loss(table.ends[i + 1]));
  }
  if (far_on_grid) (from_low ? edges.back() : edges.front()) = table.far_loss;
  fill_cells(pair, edges, far_on_grid, table);
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
  const auto stand = [&](std::int64_t index, double p) {
    const auto at = std::lower_bound(grid.index.begin(), grid.index.end(), index);
    grid.mass[static_cast<std::size_t>(at - grid.index.begin())] += p;
  };
  if (cells.anchor_atom > 0) stand(0, cells.anchor_atom);
  if (cells.far_atom > 0) {
    stand(cells.far_index, cells.far_atom);
    grid.loss_error = std::max(0.0, cells.far_loss - cells.loss(cells.far_index));
  }
  grid.infinite = cells.infinite + cells.above.p;
  return grid;
}

namespace {

/// Fills the buckets of lower_grid: from the anchored end up to where the losses are most frequent,
/// then from the other end back. Masses so grow along the way, and a bucket never has to reach far
/// for what brings its joint ratio to a grid point: its surplus over that point falls to zero.
class Merger {
 public:
  Merger(const CellTable& cells, LossGrid& grid) : cells_(cells), grid_(grid) {
    p_ = cells.p;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      exact_.push_back(cells.log_ratio[i]);
      error_.push_back(cells.ratio_error[i]);
    }
    // The tail beyond the other end is one cell more; at the anchored end it was dropped, which
    // lowers every delta.
    const auto& end = cells.downwards ? cells.below : cells.above;
    if (end.p > 0 && std::isfinite(end.log_ratio)) {
      const auto place = cells.downwards ? 0 : static_cast<std::ptrdiff_t>(p_.size());
      p_.insert(p_.begin() + place, end.p);
      exact_.insert(exact_.begin() + place, end.log_ratio);
      error_.insert(error_.begin() + place, end.ratio_error);
      extra_below_ = cells.downwards ? 1 : 0;
    }
    high_ = p_.size();
  }

  void run() {
    sign_ = cells_.downwards ? -1 : 1;
    // The bucket at the anchor reaches half a step; its own log ratio becomes the offset, so that
    // a bulk of tiny losses is represented exactly.
    Rest near{0, 0};
    if (cells_.anchor_atom > 0 && cells_.ends.front() < 0 && cells_.ends.back() > 0) {
      // An anchor amid the losses stays alone; both ends are far.
      grid_.offset = cells_.anchor;
      add(0, cells_.anchor_atom);
      near = take_odd_end();
    } else {
      start_bucket();
    }
    place_far_atom();
    const auto peak = fullest();
    while (!empty() && rest_p_ == 0 && (sign_ > 0 ? low_ <= peak : high_ > peak)) {
      const auto low = low_;
      const auto high = high_;
      fill();
      if (rest_p_ == 0) continue;
      // Nothing ahead makes up for the start: these cells wait for those of the second phase.
      low_ = low;
      high_ = high;
      rest_p_ = 0;
      break;
    }
    sign_ = -sign_;
    const auto far = take_odd_end();
    while (!empty() && rest_p_ == 0) fill();
    flush(far);
    flush(near);
    flush(rest());
    std::sort(buckets_.begin(), buckets_.end());
    for (const auto& [index, p] : buckets_) {
      if (p == 0) continue;
      if (!grid_.index.empty() && grid_.index.back() == index) {
        grid_.mass.back() += p;
      } else {
        grid_.index.push_back(index);
        grid_.mass.push_back(p);
      }
    }
  }

 private:
  [[nodiscard]] bool empty() const { return low_ >= high_; }
  [[nodiscard]] std::size_t current() const { return sign_ > 0 ? low_ : high_ - 1; }
  void next_cell() { sign_ > 0 ? ++low_ : --high_; }
  void add(std::int64_t index, double p) {
    if (p > 0) buckets_.emplace_back(index, p);
  }

  /// A cell's log ratio, rounded down: more Q than there is lowers every delta.
  [[nodiscard]] double ratio(std::size_t cell) const { return exact_[cell] - error_[cell]; }

  /// The width in steps of the interval that a cell belongs to.
  [[nodiscard]] double width(std::size_t cell) const {
    const auto last = cells_.ends.size() - 2;
    const auto inside = cell < extra_below_ ? 0 : cell - extra_below_;
    const auto interval = std::min(inside / cells_per_step, last);
    return static_cast<double>(cells_.ends[interval + 1] - cells_.ends[interval]);
  }

  /// The cell in the middle of the interval with the largest mass that is left.
  [[nodiscard]] std::size_t fullest() const {
    std::size_t best = low_;
    double most = 0;
    for (auto j = low_; j < high_; j += cells_per_step) {
      double mass = 0;
      for (auto i = j; i < std::min<std::size_t>(j + cells_per_step, high_); ++i) mass += p_[i];
      if (mass > most) {
        most = mass;
        best = std::min<std::size_t>(j + cells_per_step / 2, high_ - 1);
      }
    }
    return best;
  }

  void start_bucket() {
    const auto cell = [&](std::size_t order) {
      return sign_ > 0 ? low_ + order : high_ - 1 - order;
    };
    const bool alone = cells_.anchor_atom > 0;
    const auto count = high_ - low_;
    double p = 0;
    double reference = -infinity;
    std::size_t last = 0;
    while (last < count && (last < cells_per_step / 2 || (p == 0 && !alone))) {
      const auto j = cell(last++);
      p += p_[j];
      if (p_[j] > 0) reference = std::max(reference, ratio(j));
    }
    // A mass at the anchor that outweighs what is close to it stays alone, unless that is most of
    // the rest: tiny losses, which no other bucket could hold.
    const double total = std::accumulate(p_.begin(), p_.end(), 0.0);
    if (cells_.anchor_atom > p && p <= 0.5 * total) {
      grid_.offset = cells_.anchor;
      add(0, cells_.anchor_atom);
      return;
    }
    grid_.offset = cells_.loss(cells_.ends.front());
    if (p > 0) {
      // log(P / Q) from surpluses over the largest ratio, which are negative: nothing cancels.
      if (alone) reference = std::max(reference, cells_.anchor);
      double excess = cells_.anchor_atom * surplus(1, cells_.anchor, reference);
      for (std::size_t i = 0; i < last; ++i) {
        const auto j = cell(i);
        if (p_[j] > 0) excess += surplus(p_[j], ratio(j), reference);
      }
      p += cells_.anchor_atom;
      grid_.offset = reference - std::log1p(-excess / p) * (1 + 0x1p-44);
      add(0, p);
    }
    for (std::size_t i = 0; i < last; ++i) next_cell();
  }

  /// The mass at the other end is a bucket of its own where the offset still lets it stand on the
  /// grid; else it counts among what is left there.
  void place_far_atom() {
    if (cells_.far_atom == 0) return;
    const double position = (cells_.far_loss - grid_.offset) / grid_.step;
    const double nearest = std::round(position);
    const double above = grid_.offset + nearest * grid_.step - cells_.far_loss;
    if (std::fabs(position - nearest) < 1e-6) {
      grid_.loss_error = std::max(grid_.loss_error, above);
      add(static_cast<std::int64_t>(nearest), cells_.far_atom);
      return;
    }
    const auto cell = cells_.downwards ? std::size_t{0} : p_.size();
    const auto at = static_cast<std::ptrdiff_t>(cell);
    p_.insert(p_.begin() + at, cells_.far_atom);
    exact_.insert(exact_.begin() + at, cells_.far_loss);
    error_.insert(error_.begin() + at, 0x1p-50 * std::fabs(cells_.far_loss));
    ++high_;
    if (cells_.downwards) ++extra_below_;
  }

  /// P-mass and log ratio of outcomes that are one.
  struct Rest {
    double p;
    double ratio;
  };

  /// An atom on the grid, up to rounding, stays alone; what rounding raises it by is accounted.
  bool take_on_grid(std::size_t cell) {
    const double exact = exact_[cell];
    const double nearest = std::round((exact - grid_.offset) / grid_.step);
    const double beyond = exact - (grid_.offset + nearest * grid_.step);
    const double tolerance = 0x1p-48 * (std::fabs(exact) + std::fabs(grid_.offset));
    if (!(beyond >= -tolerance && beyond < 1e-7 * grid_.step)) return false;
    grid_.loss_error = std::max(grid_.loss_error, error_[cell] - beyond);
    add(static_cast<std::int64_t>(nearest), p_[cell]);
    next_cell();
    return true;
  }

  void skip_empty() {
    while (!empty() && p_[current()] == 0) next_cell();
  }

  /// Takes cells off the end until half a width is missing to a grid point. Buckets then reach as
  /// far beyond theirs, and each has one point to itself.
  [[nodiscard]] Rest take_odd_end() {
    for (skip_empty(); !empty() && take_on_grid(current());) skip_empty();
    if (empty()) return {0, 0};
    const auto position = [&](std::size_t cell) {
      return sign_ * (ratio(cell) - grid_.offset) / grid_.step;
    };
    const auto start = current();
    const double interval = width(start);
    const double goal = interval * (std::floor(position(start) / interval - 0.65 + 1e-9) + 1.5);
    double p = 0;
    double excess = 0;
    const double reference = ratio(start);
    for (; !empty() && position(current()) < goal - 0.15 * interval; next_cell()) {
      p += p_[current()];
      if (p_[current()] > 0) excess += surplus(p_[current()], ratio(current()), reference);
    }
    return joint(p, excess, std::fabs(excess), reference);
  }

  [[nodiscard]] Rest rest() const { return joint(rest_p_, rest_excess_, rest_terms_, rest_loss_); }

  /// Outcomes of mass p whose surplus over a loss is `excess`, a sum of terms of size `terms`.
  [[nodiscard]] static Rest joint(double p, double excess, double terms, double loss) {
    if (p == 0) return {0, 0};
    // Rounding of the quotient would raise a ratio far above the loss without bound.
    return {p, loss - std::log1p((0x1p-44 * terms - excess) / p) - 0x1p-50 * std::fabs(loss)};
  }

  /// Fills one bucket: from the current cell to where the joint ratio meets a grid point. What does
  /// not fill one is left as the rest.
  void fill() {
    skip_empty();
    if (empty() || take_on_grid(current())) return;
    const auto start = current();
    // A fifth of a width apart, so that buckets do not become needlessly small; from the ratio as
    // it will count, so that a bucket never starts beyond its target.
    const double from = (ratio(start) - grid_.offset) / grid_.step;
    const double interval = width(start);
    const double target = sign_ * interval * std::ceil(sign_ * from / interval + 0.2);
    const double loss = grid_.offset + target * grid_.step;
    rest_p_ = 0;
    rest_excess_ = 0;
    rest_terms_ = 0;
    rest_loss_ = loss;
    for (; !empty(); next_cell()) {
      const auto j = current();
      if (p_[j] == 0) continue;
      const double change = surplus(p_[j], ratio(j), loss);
      if (j == start && sign_ * change >= 0) {
        // Rounding alone can do that: the cell goes down to the grid.
        add(static_cast<std::int64_t>(std::floor(from)), p_[j]);
        next_cell();
        return;
      }
      if (sign_ * (rest_excess_ + change) >= 0) {
        close(static_cast<std::int64_t>(target), change);
        return;
      }
      rest_p_ += p_[j];
      rest_excess_ += change;
      rest_terms_ += std::fabs(change);
    }
  }

  /// The last cell of a bucket is split; a randomised split is post-processing too.
  void close(std::int64_t index, double change) {
    double& p = p_[current()];
    const double share = std::clamp(-rest_excess_ / change, 0.0, 1.0);
    double joint = rest_p_ + share * p;
    rest_p_ = 0;
    rest_excess_ = 0;
    p *= 1 - share;
    if (1 - share < 1e-9 && (sign_ > 0 || share == 1)) {
      // Upwards the sliver's loss may be lowered into the bucket; downwards that would raise it,
      // and the next bucket takes it.
      joint += p;
      next_cell();
    }
    add(index, joint);
  }

  /// What is left becomes one bucket. Outcomes of others, nearest first, join it so that it too
  /// stands on the grid; without any it is moved down.
  void flush(const Rest& rest) {
    if (rest.p == 0) return;
    const double exact = (rest.ratio - grid_.offset) / grid_.step;
    // A ratio that rounding left just below a grid point stays there.
    const double position = std::floor(exact + 1e-7);
    if (!(std::fabs(position) < 1e15)) return;  // dropping mass lowers every delta
    if (exact > position + 1e-7) {
      const double near = cells_.downwards ? position + 1 : position;
      const double other = cells_.downwards ? position : position + 1;
      if (join(rest, near) || join(rest, other)) return;
    }
    grid_.loss_error =
        std::max(grid_.loss_error, grid_.offset + position * grid_.step - rest.ratio);
    add(static_cast<std::int64_t>(position), rest.p);
  }

  /// Brings the rest to a grid point by merging it with buckets beyond that point, the last of them
  /// split.
  bool join(const Rest& rest, double position) {
    std::vector<std::size_t> others(buckets_.size());
    std::iota(others.begin(), others.end(), std::size_t{0});
    const auto distance = [&](std::size_t k) {
      return std::fabs(static_cast<double>(buckets_[k].first) - position);
    };
    std::sort(others.begin(), others.end(),
              [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
    double excess = surplus(rest.p, rest.ratio, grid_.offset + position * grid_.step);
    const double sign = excess > 0 ? 1 : -1;
    std::vector<std::size_t> whole;
    for (const auto k : others) {
      const auto [index, mass] = buckets_[k];
      const double offer = surplus(mass, 0, (position - static_cast<double>(index)) * grid_.step);
      if (sign * offer >= 0) continue;
      if (sign * (excess + offer) > 0) {
        excess += offer;
        whole.push_back(k);
        continue;
      }
      const double share = std::clamp(-excess / offer, 0.0, 1.0);
      double p = rest.p + share * mass;
      buckets_[k].second *= 1 - share;
      for (const auto taken : whole) p += std::exchange(buckets_[taken].second, 0);
      add(static_cast<std::int64_t>(position), p);
      return true;
    }
    return false;
  }

  const CellTable& cells_;
  LossGrid& grid_;
  std::vector<double> p_;  ///< what is left of the cells' masses
  std::vector<double> exact_;
  std::vector<double> error_;
  std::size_t extra_below_ = 0;
  std::size_t low_ = 0;   ///< the cells that are left begin here
  std::size_t high_ = 0;  ///< and end before this one
  double sign_ = 1;       ///< upwards or downwards
  std::vector<std::pair<std::int64_t, double>> buckets_;
  double rest_p_ = 0;
  double rest_excess_ = 0;
  double rest_terms_ = 0;
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
  double total = cells.anchor_atom + cells.far_atom;
  double first = cells.anchor_atom * cells.anchor + cells.far_atom * cells.far_loss;
  double second = cells.anchor_atom * cells.anchor * cells.anchor +
                  cells.far_atom * cells.far_loss * cells.far_loss;
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
