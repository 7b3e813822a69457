#pragma once

#include <optional>

#include "tacet/accounting/routes/language.h"

/// Bounds of whole events in closed form: Gaussian noise only, pure epsilons, and sums of epsilons
/// and deltas. For samples see docs/proofs/sampled_units.md and replaced_record.md, section 3.
namespace tacet::accounting::internal {

/// Larger losses are too close to the largest double; events that need them have no loss
/// distribution.
inline constexpr double largest_loss = 600;

/// mu^2 of an event that consists of Gaussian noise only (also composed, repeated, in disjoint
/// blocks), rounded up; nothing for any other event.
[[nodiscard]] std::optional<double> squared_mu(const Event& event, Adjacency adjacency);

/// mu of an event for which squared_mu has an answer, rounded down; 0 if it is among the smallest
/// doubles.
[[nodiscard]] double mu_below(const Event& event, Adjacency adjacency);

/// The sum of pure epsilons, rounded up; infinity if some event has no pure bound under
/// `adjacency`.
[[nodiscard]] double pure_epsilon(const Event& event, Adjacency adjacency);

struct BasicBound {
  double epsilon;
  double delta;
};
/// Sums of epsilons and of deltas, rounded up, of an event made of pure and (epsilon, delta) parts,
/// also of samples and disjoint blocks; nothing for any other event.
[[nodiscard]] std::optional<BasicBound> basic_composition(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
