#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tacet/accounting/loss/discretize.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::infinity;
constexpr double negligible = 1e-280;  // pairs know ratios only for masses above 1e-290

/// Fills the buckets of lower_grid. It works from the anchored end up to the most frequent losses,
/// and then from the other end back. So masses grow along the way, and a bucket soon finds the mass
/// that brings its joint ratio to a grid point: its surplus over that point falls to zero.
class Merger {
 public:
  Merger(const CellTable& cells, LossGrid& grid) : cells_(cells), grid_(grid) {
    p_ = cells.p;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      // Dropping mass lowers every delta, which is safe here. The ratios of these masses are
      // unknown; if their errors counted, they would move all losses.
      if (p_[i] < negligible) p_[i] = 0;
      exact_.push_back(cells.log_ratio[i]);
      error_.push_back(cells.ratio_error[i]);
    }
    // The tail beyond the other end becomes one more cell. The tail at the anchored end is dropped,
    // which lowers every delta.
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
    // The bucket at the anchor reaches half a step. Its own log ratio becomes the offset, so that a
    // bulk of tiny losses is represented exactly.
    Rest near{0, 0};
    const bool amid = cells_.ends.front() < 0 && cells_.ends.back() > 0;
    if (amid && (cells_.anchor_atom > 0 || cells_.bulk_at_anchor)) {
      // An anchor between the losses keeps its bucket alone: both ends are far away.
      if (cells_.anchor_atom > 0) {
        grid_.offset = cells_.anchor;
        add(0, cells_.anchor_atom);
      } else {
        take_bulk();
      }
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
      // Nothing ahead balances the cells at the start; they wait for the cells of the second phase.
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

  /// A cell's log ratio, rounded down. That is as if Q had more mass, which lowers every delta.
  [[nodiscard]] double ratio(std::size_t cell) const { return exact_[cell] - error_[cell]; }

  /// The width in steps of the interval that a cell belongs to.
  [[nodiscard]] double width(std::size_t cell) const {
    const auto last = cells_.ends.size() - 2;
    const auto inside = cell < extra_below_ ? 0 : cell - extra_below_;
    const auto interval = std::min(inside / cells_per_step, last);
    return static_cast<double>(cells_.ends[interval + 1] - cells_.ends[interval]);
  }

  /// The cell in the middle of the interval that has the largest remaining mass.
  [[nodiscard]] std::size_t fullest() const {
    std::size_t best = low_;
    double max = 0;
    for (auto j = low_; j < high_; j += cells_per_step) {
      double mass = 0;
      for (auto i = j; i < std::min<std::size_t>(j + cells_per_step, high_); ++i) mass += p_[i];
      if (mass > max) {
        max = mass;
        best = std::min<std::size_t>(j + cells_per_step / 2, high_ - 1);
      }
    }
    return best;
  }

  /// The first bucket consists of the cells within half a step of the anchor, which mirror each
  /// other. Its own log ratio, which is almost 0, becomes the offset.
  void take_bulk() {
    const auto at = std::lower_bound(cells_.ends.begin(), cells_.ends.end(), std::int64_t{0});
    const auto middle =
        extra_below_ + static_cast<std::size_t>(at - cells_.ends.begin()) * cells_per_step;
    double p = 0;
    double reference = -infinity;
    const auto first = middle - cells_per_step / 2;
    const auto last = middle + cells_per_step / 2;
    for (auto j = first; j < last; ++j) {
      p += p_[j];
      if (p_[j] > 0) reference = std::max(reference, ratio(j));
    }
    grid_.offset = cells_.anchor;
    if (p == 0) return;
    double excess = 0;
    for (auto j = first; j < last; ++j) {
      if (p_[j] > 0) excess += surplus(p_[j], ratio(j), reference);
      p_[j] = 0;
    }
    grid_.offset = reference - std::log1p(-excess / p) * numeric::up_ulps(256);
    add(0, p);
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
    // An atom at the anchor that outweighs the mass close to it stays alone, unless that
    // mass is most of the rest: these tiny losses would then fit no other bucket.
    const double total = std::accumulate(p_.begin(), p_.end(), 0.0);
    if (cells_.anchor_atom > p && p <= 0.5 * total) {
      grid_.offset = cells_.anchor;
      add(0, cells_.anchor_atom);
      return;
    }
    grid_.offset = cells_.loss(cells_.ends.front());
    if (p > 0) {
      // log(P / Q) from surpluses over the largest ratio. All of them are negative, so nothing
      // cancels.
      if (alone) reference = std::max(reference, cells_.anchor);
      double excess = cells_.anchor_atom * surplus(1, cells_.anchor, reference);
      for (std::size_t i = 0; i < last; ++i) {
        const auto j = cell(i);
        if (p_[j] > 0) excess += surplus(p_[j], ratio(j), reference);
      }
      p += cells_.anchor_atom;
      grid_.offset = reference - std::log1p(-excess / p) * numeric::up_ulps(256);
      add(0, p);
    }
    for (std::size_t i = 0; i < last; ++i) next_cell();
  }

  /// The atom at the other end becomes its own bucket if the offset still puts it on the grid.
  /// Otherwise it joins the remaining cells there.
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
    error_.insert(error_.begin() + at, numeric::ulps(4) * std::fabs(cells_.far_loss));
    ++high_;
    if (cells_.downwards) ++extra_below_;
  }

  /// P-mass and log ratio of outcomes that were merged into one.
  struct Rest {
    double p;
    double ratio;
  };

  /// An atom that lies on the grid, up to rounding, stays alone. `loss_error` accounts for the part
  /// by which rounding raises it.
  bool take_on_grid(std::size_t cell) {
    const double exact = exact_[cell];
    const double nearest = std::round((exact - grid_.offset) / grid_.step);
    const double beyond = exact - (grid_.offset + nearest * grid_.step);
    const double tolerance = numeric::ulps(16) * (std::fabs(exact) + std::fabs(grid_.offset));
    if (!(beyond >= -tolerance && beyond < 1e-7 * grid_.step)) return false;
    grid_.loss_error = std::max(grid_.loss_error, error_[cell] - beyond);
    add(static_cast<std::int64_t>(nearest), p_[cell]);
    next_cell();
    return true;
  }

  void skip_empty() {
    while (!empty() && p_[current()] == 0) next_cell();
  }

  /// Takes cells off the end until the next cell is half a width away from a grid point. Later
  /// buckets then reach as far beyond their points as before them, and each has one point to
  /// itself.
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

  /// The merged outcomes of mass p whose surplus over `loss` is `excess`, a sum of terms of size
  /// `terms`.
  [[nodiscard]] static Rest joint(double p, double excess, double terms, double loss) {
    if (p == 0) return {0, 0};
    // Divide last: rounding of the quotient would raise a ratio far above the loss without bound.
    return {p, loss - std::log1p((numeric::ulps(256) * terms - excess) / p) -
                   numeric::ulps(4) * std::fabs(loss)};
  }

  /// Fills one bucket, from the current cell to the one at which the joint ratio meets a grid
  /// point. Cells that do not fill a bucket are left as the rest.
  void fill() {
    skip_empty();
    if (empty() || take_on_grid(current())) return;
    const auto start = current();
    // The target is at least a fifth of a width away, so that buckets do not become too small. It
    // is measured from the ratio as it will count, so that a bucket never starts beyond its target.
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
        // Only rounding can cause this: the cell moves down to the grid.
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

  /// Splits the last cell of a bucket: a randomised split is post-processing too.
  void close(std::int64_t index, double change) {
    double& p = p_[current()];
    const double share = std::clamp(-rest_excess_ / change, 0.0, 1.0);
    double joint = rest_p_ + share * p;
    rest_p_ = 0;
    rest_excess_ = 0;
    p *= 1 - share;
    if (1 - share < 1e-9 && (sign_ > 0 || share == 1)) {
      // In the upward phase the sliver's loss may be lowered, so it joins the bucket. In the
      // downward phase that would raise it, so it goes to the next bucket.
      joint += p;
      next_cell();
    }
    add(index, joint);
  }

  /// The rest becomes one bucket. Outcomes of other buckets, nearest first, join it so that it too
  /// lies on the grid. If none can, the rest moves down.
  void flush(const Rest& rest) {
    if (rest.p == 0) return;
    const double exact = (rest.ratio - grid_.offset) / grid_.step;
    // a ratio that rounding left just below a grid point counts as on it
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

  /// Brings the rest to a grid point: merges it with buckets beyond that point, and splits the last
  /// of them.
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
  std::vector<double> p_;  ///< remaining masses of the cells
  std::vector<double> exact_;
  std::vector<double> error_;
  std::size_t extra_below_ = 0;
  std::size_t low_ = 0;   ///< index of the first remaining cell
  std::size_t high_ = 0;  ///< one past the last remaining cell
  double sign_ = 1;       ///< 1 in the upward phase, -1 in the downward phase
  std::vector<std::pair<std::int64_t, double>> buckets_;
  double rest_p_ = 0;
  double rest_excess_ = 0;
  double rest_terms_ = 0;
  double rest_loss_ = 0;
};

}  // namespace

// Proof: docs/proofs/accountant.md, section 3.
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

}  // namespace tacet::accounting::pld
