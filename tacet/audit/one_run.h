#pragma once

#include <cstdint>

/// What one training run with inserted records proves about its epsilon, from below (Steinke, Nasr,
/// Jagielski, "Privacy auditing with one training run", 2023): each of m records is inserted or not
/// by a random draw of its own, and whoever sees the result guesses for some of them which.
namespace tacet::audit {

/// What was guessed. How many guesses are made is fixed before the run: the best of several numbers
/// is no p-value.
struct Guesses {
  std::int64_t canaries = 0;  ///< m, each inserted with probability 1/2
  std::int64_t made = 0;      ///< r of them, those with the lowest and the highest scores
  std::int64_t right = 0;     ///< v
};

/// The probability that any (epsilon, delta)-DP mechanism, under add_remove, lets so many guesses
/// or more be right, from above: beta + 2 m delta alpha with W binomial of r trials of probability
/// 1/(1 + e^-epsilon), beta = P(W >= v), alpha = max over i = 1, ..., v of P(v > W >= v - i)/i.
/// UsageError unless 0 <= right <= made <= canaries, 1 <= canaries <= 2^30, epsilon >= 0 and delta
/// is in [0, 1].
[[nodiscard]] double one_run_p_value(const Guesses& guesses, double epsilon, double delta);

/// The supremum of the epsilons with a p-value below `level`: what is refuted. 0 where none is.
[[nodiscard]] double one_run_bound(const Guesses& guesses, double delta, double level);

/// The same where each canary is `copies` records: epsilon of a single record, from the bound
/// copies epsilon at delta (e^(copies epsilon) - 1)/(e^epsilon - 1) of a group of them.
[[nodiscard]] double one_run_bound_of_copies(const Guesses& guesses, std::int64_t copies,
                                             double delta, double level);

}  // namespace tacet::audit
