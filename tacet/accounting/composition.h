#pragma once

#include <cstdint>

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting {

/// The proved guarantee of `event` between neighbours of `adjacency` at `delta`, epsilon rounded
/// up. A pair of event and adjacency without a proof is a GuaranteeError that says why; nothing is
/// ever accounted as something else that looks similar.
[[nodiscard]] Guarantee account(const Event& event, Adjacency adjacency, Delta delta);

/// The epsilon of account().
[[nodiscard]] double epsilon(const Event& event, Adjacency adjacency, Delta delta);

/// delta of `count` adaptive (epsilon, delta_each)-DP releases at `total_epsilon`, the optimal
/// composition theorem (Kairouz, Oh, Viswanath 2015), rounded up.
[[nodiscard]] double optimal_composition_delta(Epsilon epsilon, double delta_each,
                                               std::int64_t count, Epsilon total_epsilon);

/// delta at `total_epsilon` of Gaussian noise at `mu` and `count` epsilon-DP releases from the same
/// records, rounded up: randomised response, the worst pure mechanism, moves the profile of the
/// noise by a binomial number of epsilons, and that mixture is the profile of the product.
[[nodiscard]] double gaussian_and_pure_delta(double mu, Epsilon epsilon, std::int64_t count,
                                             Epsilon total_epsilon);
/// The smallest epsilon of the same at `delta`, rounded up.
[[nodiscard]] double gaussian_and_pure_epsilon(double mu, Epsilon epsilon, std::int64_t count,
                                               Delta delta);

}  // namespace tacet::accounting
