#include "tacet/accounting/routes/occurrences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {

bool is_several(const Event& event) {
  const auto* minimum = event.as<ObjectivePerturbation>();
  return event.as<Composed>() != nullptr || event.as<Repeated>() != nullptr ||
         (minimum != nullptr && minimum->tolerance > 0);
}

bool flatten(const Event& event, std::int64_t times, std::vector<Occurrence>& out) {
  if (const auto* repeated = event.as<Repeated>()) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(times, repeated->count, &product)) return false;
    return flatten(*repeated->base, product, out);
  }
  if (const auto* composed = event.as<Composed>()) {
    return std::all_of(composed->parts.begin(), composed->parts.end(),
                       [&](const Event& part) { return flatten(part, times, out); });
  }
  if (const auto* blocks = event.as<Partitioned>()) {
    const auto& parts = blocks->parts;
    const bool equal = std::all_of(parts.begin(), parts.end(),
                                   [&](const Event& part) { return part == parts.front(); });
    if (equal) return flatten(parts.front(), times, out);
  }
  const auto found = std::find_if(out.begin(), out.end(),
                                  [&](const Occurrence& one) { return one.event == event; });
  if (found == out.end()) {
    out.push_back({event, times});
    return true;
  }
  return !__builtin_add_overflow(found->count, times, &found->count);
}

void split_minima(std::vector<Occurrence>& parts, Adjacency adjacency) {
  const auto size = parts.size();
  for (std::size_t i = 0; i < size; ++i) {
    const auto* minimum = parts[i].event.as<ObjectivePerturbation>();
    if (minimum == nullptr || minimum->tolerance == 0) continue;
    // Given the exact minimum, what is released is Gaussian noise at distance 2 tolerance /
    // regularization, whatever the adjacency (docs/proofs/objective.md, 3).
    ObjectivePerturbation exact = *minimum;
    exact.tolerance = 0;
    const double mu = numeric::divide_up(
        2 * minimum->tolerance, minimum->regularization * minimum->output_sigma * (1 - 0x1p-52));
    parts.push_back(
        {Gaussian{numeric::divide_down(distance_factor(adjacency), mu)}, parts[i].count});
    parts[i].event = exact;
  }
}

bool costs_nothing(const Event& event) {
  if (const auto* sampled = event.as<PoissonSampled>()) {
    return sampled->rate == 0 || costs_nothing(*sampled->base);
  }
  if (const auto* sampled = event.as<FixedSizeSampled>()) {
    return sampled->sample_size == 0 || costs_nothing(*sampled->base);
  }
  return pure_epsilon(event, Adjacency::add_remove) == 0 ||
         pure_epsilon(event, Adjacency::replace_one) == 0 ||
         pure_epsilon(event, Adjacency::zero_out) == 0;
}

bool join_gaussians(std::vector<Occurrence>& parts, Adjacency adjacency) {
  Composed gaussians;
  std::vector<Occurrence> others;
  for (auto& one : parts) {
    if (squared_mu(one.event, adjacency)) {
      gaussians.parts.emplace_back(Repeated{one.count, one.event});
    } else if (!costs_nothing(one.event)) {
      others.push_back(std::move(one));
    }
  }
  parts = std::move(others);
  const double square = *squared_mu(gaussians, adjacency);
  if (std::isinf(square)) return false;
  if (square > 0) {
    parts.push_back(
        {Gaussian{numeric::divide_down(distance_factor(adjacency), numeric::sqrt_up(square))}, 1});
  }
  return true;
}

}  // namespace tacet::accounting::internal
