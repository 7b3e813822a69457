#pragma once

#include <functional>

/// To replace or to empty a record is to remove one and to add another. So group privacy of two
/// records applies (Dwork, Roth 2014, theorem 2.2 and its form for delta).
namespace tacet::accounting::internal {

/// A bound of epsilon at `delta` for two records. epsilon_at bounds the epsilon of one record at
/// any delta. The result is 2 e for an e with epsilon_at(delta') <= e and delta' (1 + exp(e)) <=
/// delta. Infinity if it would not be below `best`; the search then stops early.
[[nodiscard]] double group_epsilon(const std::function<double(double)>& epsilon_at, double delta,
                                   double best);

/// delta for two records at `epsilon` from delta_at for one: (1 + e^{epsilon/2}) delta(epsilon/2).
[[nodiscard]] double group_delta(const std::function<double(double)>& delta_at, double epsilon);

}  // namespace tacet::accounting::internal
