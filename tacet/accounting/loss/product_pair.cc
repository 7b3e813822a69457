#include "tacet/accounting/loss/product_pair.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tacet/accounting/loss/discretize.h"
#include "tacet/accounting/loss/mixture.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {
namespace {

using numeric::unit_roundoff;

constexpr double log_top_tail = -130;
constexpr std::int64_t largest_uses = 10000;
constexpr double largest_points = 32768;

/// Masses at offset + (low + i) step.
struct Lattice {
  double offset = 0;
  std::int64_t low = 0;
  std::vector<double> mass;
  double infinite = 0;
  double loss_error = 0;
  double mass_error = 0;  ///< relative error of each mass
};

Lattice dense(const LossGrid& grid, End end) {
  // Mergers move slivers of a billionth by at most a step. This changes the Q-masses.
  const double slivers = end == End::below ? 2e-9 * grid.step : 0;
  Lattice result{grid.offset,   grid.index.front(), {},
                 grid.infinite, grid.loss_error,    mass_slack + slivers};
  result.mass.assign(static_cast<std::size_t>(grid.index.back() - grid.index.front()) + 1, 0);
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    result.mass[static_cast<std::size_t>(grid.index[i] - result.low)] += grid.mass[i];
  }
  return result;
}

/// Cuts off tails that change no delta: the upper law moves them up, the lower law drops them.
void trim(Lattice& law, End end) {
  const double top_tail = std::exp(log_top_tail);
  const double bottom_tail = std::exp(log_low_tail);
  double cut = 0;
  while (law.mass.size() > 1 && cut + law.mass.back() < top_tail) {
    cut += law.mass.back();
    law.mass.pop_back();
  }
  if (end == End::above) law.infinite += cut * (1 + 1e-9);
  cut = 0;
  std::size_t first = 0;
  while (first + 1 < law.mass.size() && cut + law.mass[first] < bottom_tail) {
    cut += law.mass[first++];
  }
  law.mass.erase(law.mass.begin(), law.mass.begin() + static_cast<std::ptrdiff_t>(first));
  law.low += static_cast<std::int64_t>(first);
  if (end == End::above) law.mass.front() += cut * (1 + 1e-9);
}

/// The sum of two independent losses. All terms are positive, so relative errors stay small.
Lattice sum(const Lattice& a, const Lattice& b, End end) {
  const auto& longer = a.mass.size() >= b.mass.size() ? a.mass : b.mass;
  const auto& shorter = a.mass.size() >= b.mass.size() ? b.mass : a.mass;
  Lattice result{a.offset + b.offset,
                 a.low + b.low,
                 std::vector<double>(longer.size() + shorter.size() - 1, 0),
                 a.infinite + b.infinite - a.infinite * b.infinite,
                 a.loss_error + b.loss_error,
                 0};
  result.loss_error += unit_roundoff * std::fabs(result.offset);
  result.mass_error =
      (a.mass_error + b.mass_error + unit_roundoff * static_cast<double>(shorter.size() + 2)) *
      (1 + 1e-9);
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const double factor = shorter[i];
    if (factor == 0) continue;
    double* target = result.mass.data() + i;
    for (std::size_t j = 0; j < longer.size(); ++j) target[j] += factor * longer[j];
  }
  trim(result, end);
  return result;
}

Lattice sum(const Lattice& a, const Lattice& b, End end, base::WorkMeter* work) {
  spend(work, static_cast<double>(a.mass.size()) * static_cast<double>(b.mass.size()));
  return sum(a, b, end);
}

Lattice power(Lattice base, std::int64_t count, End end, base::WorkMeter* work) {
  std::optional<Lattice> result;
  for (auto rest = count; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result = result ? sum(*result, base, end, work) : base;
    if (rest > 1) base = sum(base, base, end, work);
  }
  return *std::move(result);
}

FiniteLaw finite(const Lattice& law, double step, End end) {
  const double sign = end == End::above ? 1 : -1;
  // Denormal masses would lose their precision. They are too small to matter.
  constexpr double smallest = 1e-280;
  FiniteLaw result{{}, std::min(1.0, law.infinite * (1 + sign * law.mass_error)), 0};
  double rest_q = 1;
  for (std::size_t i = 0; i < law.mass.size(); ++i) {
    const double loss = law.offset +
                        static_cast<double>(law.low + static_cast<std::int64_t>(i)) * step +
                        sign * law.loss_error;
    const double p = law.mass[i] * (1 + sign * law.mass_error);
    const double q = p * std::exp(-loss);
    if (p < smallest || q < smallest) {
      if (end == End::above) result.infinite_p += p;
      continue;
    }
    result.atoms.push_back({loss, p, q});
    rest_q -= q;
  }
  // Mass that only Q has; the lower law drops it.
  if (end == End::above) result.infinite_q = std::max(0.0, rest_q) + law.mass_error + 1e-12;
  return result;
}

}  // namespace

pairs::PairPointer FiniteLaw::mirrored() const {
  return pairs::finite(pairs::mirrored(atoms), infinite_q, infinite_p);
}

std::optional<Product> product(std::span<const Component> parts, double fineness,
                               base::WorkMeter* work) {
  double variance = 0;
  double uses = 0;
  std::vector<Moments> moments;
  for (const auto& part : parts) {
    if (part.count > largest_uses) return std::nullopt;
    moments.push_back(loss_moments(*part.pair, log_low_tail));
    uses += static_cast<double>(part.count);
    variance += static_cast<double>(part.count) * moments.back().spread * moments.back().spread;
  }
  // With wider losses a release costs too much to be called private, and sampled losses overflow.
  constexpr double largest_variance = 30;
  if (uses > largest_uses || !(variance > 0 && variance < largest_variance)) return std::nullopt;
  // A step h adds up to h^2 / 6 to the variance of each loss. Sampled losses are read through
  // e^loss, which depends on the absolute change of the variance.
  double step = std::sqrt(1.5 * fineness * std::min(1.0, variance) / uses);
  const double reach = variance + 2 * std::sqrt(-2 * log_top_tail * variance);
  step = std::max(step, reach / largest_points);
  std::optional<Lattice> above;
  std::optional<Lattice> below;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto cells = make_cells(*parts[i].pair, step, log_top_tail, {moments[i], true, 0});
    const auto add = [&](std::optional<Lattice>& total, const LossGrid& grid, End end) {
      auto one = power(dense(grid, end), parts[i].count, end, work);
      total = total ? sum(*total, one, end, work) : std::move(one);
    };
    add(above, upper_grid(cells), End::above);
    add(below, lower_grid(cells), End::below);
  }
  return Product{finite(*above, step, End::above), finite(*below, step, End::below)};
}

}  // namespace tacet::accounting::pld
