#pragma once

#include <cstdint>

#include "tacet/accounting/routes/language.h"

/// The exact privacy of Gaussian noise (Balle, Wang 2018), in log space. `mu` is the distance
/// between neighbours divided by the standard deviation of the noise; T adaptive uses at mu cost
/// the same as one at mu sqrt(T) (Dong, Roth, Su 2019). Distance 0 or infinite noise (mu = 0) costs
/// nothing, no noise (mu = infinity) costs everything; a negative or undefined mu is a UsageError.
namespace tacet::accounting::gaussian {

/// log of delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), for every
/// real epsilon; minus infinity where delta is 0 or its logarithm is below all doubles. Relative
/// error of delta below relative_error(mu, epsilon).
[[nodiscard]] double log_delta(double mu, double epsilon);

/// exp(log_delta), to the same relative error, but rounded up among the smallest doubles: 0 only
/// where mu is 0 or epsilon infinite.
[[nodiscard]] double delta(double mu, double epsilon);

/// Bound of the relative rounding error of delta: 1e-13 plus that of squaring the argument.
[[nodiscard]] double relative_error(double mu, double epsilon);

/// The smallest epsilon >= 0 at delta, rounded up. Infinity for delta = 0 unless mu = 0.
[[nodiscard]] double epsilon(double mu, Delta delta);

/// The largest epsilon that is known to be too small at `delta`, or 0: a lower bound of epsilon().
[[nodiscard]] double epsilon_below(double mu, Delta delta);

/// The largest mu that is (epsilon, delta)-DP, rounded down. 0 for delta = 0 and finite epsilon. A
/// finite epsilon above 10^4 is a UsageError.
[[nodiscard]] double mu_for(Epsilon epsilon, Delta delta);

/// The smallest standard deviation that makes a query of the given L2 sensitivity
/// (epsilon, delta)-DP, rounded up. 0 for sensitivity 0; infinity where no finite noise suffices.
[[nodiscard]] double sigma_for(double sensitivity, Epsilon epsilon, Delta delta);

/// mu of `count` adaptive uses at mu each, rounded up.
[[nodiscard]] double compose(double mu, std::int64_t count);

}  // namespace tacet::accounting::gaussian
