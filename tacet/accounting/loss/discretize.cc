#include "tacet/accounting/loss/discretize.h"

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::infinity;
constexpr std::int64_t largest_table = std::int64_t{1} << 22;

}  // namespace

double surplus(double p, double log_ratio, double loss) {
  const double x = loss - log_ratio;
  if (std::fabs(x) < 0.01) {
    // expm1 by its series; the next term is below 0.01^7 / 8!.
    return -p * x *
           (1 + x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * (1 + x / 6 * (1 + x / 7))))));
  }
  return -p * std::expm1(x);
}

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

/// Grid indices from 0 outwards to at least `steps`, with intervals that widen with the distance.
std::vector<std::int64_t> spread_out(double steps, double step, const Resolution& resolution,
                                     bool upwards) {
  std::vector<std::int64_t> ends{0};
  double widest = 1;
  double scale = infinity;  // distance in steps at which intervals become wider
  const double spread = resolution.moments.spread;
  if (!resolution.uniform && spread > 0) {
    widest = infinity;
    if (resolution.theta > 0) {
      widest = std::min(0.25 / spread, resolution.share / step) / resolution.theta;
    }
    scale = std::max(4 * spread / step, 1 / resolution.share);
  }
  std::int64_t width = 1;
  while (static_cast<double>(ends.back()) < steps) {
    const auto doubled = static_cast<double>(2 * width);
    const auto distance = static_cast<double>(ends.back());
    // Far below the mean a tilt leaves almost no mass, so wide intervals do no harm there.
    const bool free = !upwards && resolution.theta * distance * step > 60;
    const bool apart = upwards && !resolution.uniform &&
                       distance * step > resolution.threshold - resolution.moments.mean &&
                       doubled <= 0.2 * resolution.share * distance;
    if ((free || apart || doubled <= widest) && distance >= doubled * scale) width *= 2;
    ends.push_back(ends.back() + width);
    if (static_cast<std::int64_t>(ends.size()) * cells_per_step > largest_table) {
      throw base::NumericError("a loss grid of step {} would need more than {} cells", step,
                               largest_table);
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

/// Adds the masses at one loss to a cell. The joint ratio follows from the surpluses over the
/// larger ratio, which loses no precision.
void add_to_cell(CellTable& table, std::size_t cell, const pairs::Masses& atom) {
  auto& p = table.p[cell];
  auto& ratio = table.log_ratio[cell];
  const double reference = p > 0 ? std::max(ratio, atom.log_ratio) : atom.log_ratio;
  double excess = surplus(atom.p, atom.log_ratio, reference);
  if (p > 0) excess += surplus(p, ratio, reference);
  p += atom.p;
  ratio = reference - std::log1p(-excess / p);
  const double scale = std::fabs(reference) + std::fabs(excess / p);
  table.ratio_error[cell] =
      std::max(table.ratio_error[cell], atom.ratio_error) + numeric::ulps(16) * scale;
}

/// Computes the masses of the cells between `edges` and of the tails beyond them.
void fill_cells(const pairs::Pair& pair, const std::vector<double>& edges, bool far_on_grid,
                CellTable& table) {
  std::vector<pairs::Masses> masses(edges.size() - 1);
  pair.fill(edges, masses);
  for (const auto& one : masses) {
    table.p.push_back(one.p);
    table.log_ratio.push_back(one.log_ratio);
    table.ratio_error.push_back(one.ratio_error);
  }
  // The true ratio lies inside the cell, so clamp away what rounding moved. If masses are so small
  // that their ratio is unknown, the error is the width of the cell.
  const auto hold_ratios = [&] {
    for (std::size_t i = 0; i < table.p.size(); ++i) {
      if (!std::isfinite(table.log_ratio[i])) table.ratio_error[i] = edges[i + 1] - edges[i];
      table.log_ratio[i] =
          table.p[i] == 0 ? edges[i] : std::clamp(table.log_ratio[i], edges[i], edges[i + 1]);
    }
  };
  hold_ratios();  // Do this before an atom joins a cell: surpluses need finite ratios.
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
  hold_ratios();
  table.infinite = pair.infinite_mass();
  // Comparisons with NaN are false, so a NaN that gets here would give a delta of 0.
  for (std::size_t i = 0; i < table.p.size(); ++i) {
    if (std::isfinite(table.p[i] + table.log_ratio[i] + table.ratio_error[i])) continue;
    throw base::NumericError("a cell of a loss grid has no finite mass or ratio");
  }
}

}  // namespace

namespace {

/// If the losses have atoms at both ends and the grid meets both up to rounding, makes the end that
/// is not the anchor the last grid point.
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
  // If the bulk of the losses lies close to one end (few records are sampled), that end becomes a
  // grid point. The largest loss comes first if an atom lies exactly there: with few releases the
  // result depends on its exact place.
  const double mean = resolution.moments.mean;
  const double spread = resolution.moments.spread;
  const auto close = [&](double end) {
    return std::isfinite(end) && (spread == 0 || std::fabs(end - mean) < 16 * spread);
  };
  // The mass at loss 0 must stay at 0: a grid around the mean would spread it over a step.
  table.bulk_at_anchor = pair.is_odd() && std::fabs(mean) < 0.5 * spread;
  const double centre_loss = pair.zero_atom().p > 0 || table.bulk_at_anchor ? 0 : mean;
  const auto top = pair.highest_atom();
  const bool from_top = pair.lattice() == 0 && top.p > 0 && close(pair.highest());
  const bool from_low = pair.lattice() > 0 || (!from_top && close(pair.lowest()));
  table.downwards = from_top || (!from_low && close(pair.highest()));
  table.anchor = from_low ? pair.lowest() : (table.downwards ? pair.highest() : centre_loss);
  const double first = std::floor((range.low - table.anchor) / step);
  // One step more, since an atom at the largest loss may round to just above the last edge.
  const double last = table.downwards ? 0 : std::ceil((range.high - table.anchor) / step) + 1;
  const double centre = std::round((centre_loss - table.anchor) / step);
  if (!(std::fabs(first) < 1e15 && std::fabs(last) < 1e15)) {
    throw base::NumericError("losses beyond the range of a grid of step {}", step);
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

// Proof: docs/proofs/accountant.md, section 2.
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
      // The error of the cell's ratio, and the error of its difference to the loss.
      error += cells.p[j] * (cells.ratio_error[j] + numeric::ulps(2) * (std::fabs(loss) + share));
    }
    // Rounding may hide a part of the mass at the upper point. Moving more mass up is the safe
    // side: losses grow, and delta with them.
    const double upper = std::clamp(excess / share + 1.1 * error / share, 0.0, p);
    grid.mass[i] += p - upper;
    grid.mass[i + 1] += upper;
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

Moments loss_moments(const pairs::Pair& pair, double log_tail) {
  // Cells that are fine enough for the bulk; the tails hardly change the moments.
  constexpr double log_bulk_tail = -3;
  const auto range = loss_range(pair, log_tail);
  const auto bulk = loss_range(pair, log_bulk_tail);
  const double min = narrowest(range);
  const double width = std::max(bulk.high - bulk.low, min);
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

}  // namespace tacet::accounting::pld
