#pragma once

#include <optional>

#include "tacet/accounting/routes/language.h"

/// Bounds of whole events in closed form: Gaussian noise throughout, pure epsilons, and sums of
/// epsilons and deltas. Of samples: docs/proofs/sampled_units.md and replaced_record.md, section 3.
namespace tacet::accounting::internal {

/// Losses beyond this come near the largest doubles; events that need them have no loss
/// distribution.
inline constexpr double largest_loss = 600;

/// mu^2 of an event that is Gaussian noise throughout (also composed, repeated, in disjoint
/// blocks), rounded up; nothing for any other event.
[[nodiscard]] std::optional<double> squared_mu(const Event& event, Adjacency adjacency);

/// mu of an event that squared_mu knows, rounded down; 0 where it is among the smallest doubles.
[[nodiscard]] double mu_below(const Event& event, Adjacency adjacency);

/// Sum of pure epsilons, rounded up; infinity where an event has no pure bound under `adjacency`.
[[nodiscard]] double pure_epsilon(const Event& event, Adjacency adjacency);

struct BasicBound {
  double epsilon;
  double delta;
};
/// Sums of epsilons and of deltas, rounded up, of an event made of pure and (epsilon, delta) parts,
/// also of samples and disjoint blocks; nothing for any other event.
[[nodiscard]] std::optional<BasicBound> basic_composition(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
