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
  const auto add = [&out](const Event& one, std::int64_t count) {
    if (const auto* blocks = one.as<Partitioned>()) {
      const auto& parts = blocks->parts;
      const bool equal =
          std::ranges::all_of(parts, [&](const Event& part) { return part == parts.front(); });
      if (equal) return flatten(parts.front(), count, out);
    }
    const auto found =
        std::ranges::find_if(out, [&](const Occurrence& other) { return other.event == one; });
    if (found != out.end()) return !__builtin_add_overflow(found->count, count, &found->count);
    out.push_back({one, count});
    return true;
  };
  return each_release(event, add, times);
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
    const double mu =
        numeric::divide_up(2 * minimum->tolerance,
                           minimum->regularization * minimum->output_sigma * numeric::down_ulps(1));
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
