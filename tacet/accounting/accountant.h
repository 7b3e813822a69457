#pragma once

#include <string>

#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::base {
class WorkMeter;
}

/// Computes what an event costs. GuaranteeError, with the reason, if there is no proof for the
/// event under this adjacency: no event is ever accounted as another one that looks similar.
///
/// Example:
///
///     const privacy::Event event = privacy::Repeated{.count = 300, .base = privacy::Gaussian{40}};
///     const auto adjacency = privacy::Adjacency::add_remove;
///     const double epsilon = accounting::epsilon(event, adjacency, privacy::Delta(1e-5));
namespace tacet::accounting {

/// What events cost is said in the words of privacy/ throughout.
using namespace privacy;  // NOLINT(google-build-using-namespace)
using base::WorkMeter;

/// What is known about an epsilon or a delta. `upper` is proved for the mechanism. `lower` is a
/// lower bound for the dominating pair. If lower_is_attained, two real data sets attain that pair,
/// and no smaller value is true of the mechanism. Otherwise it only shows how tight the numerics
/// are. Both ends are rounded to the safe side. InternalError if a lower end is above a proved
/// upper end.
struct PrivacyInterval {
  double lower;
  double upper;
  bool lower_is_attained;
  /// The route that gave `upper`: "gaussian", "pld", "rdp", "pure", "basic" (sums of epsilons and
  /// of deltas), "tuning profile", "shuffle", "objective", "participation", "group" (twice
  /// add_remove), "trivial" (delta 1), or "none" if the event costs nothing.
  std::string route;
  /// Two real data sets exist for which no smaller value is true: equal to `lower` if that is
  /// attained; otherwise a smaller number from another kind of data sets, or 0.
  double attained = 0;
};

/// How much an accounting may compute.
struct AccountOptions {
  double tolerance = 1e-3;  ///< relative width at which the refinement of an interval may stop
  /// of a transform: bounds time and memory; smaller values give wider intervals
  int largest_log2_size = 20;
  bool attained = false;      ///< also look for `attained` if no data sets attain the pair
  WorkMeter* work = nullptr;  ///< counts the work and ends it at a limit; null: no limit
};

/// epsilon of `event` at `delta` between neighbours of `adjacency`: the smallest bound of all
/// proved routes. Infinity if only a larger delta allows a finite one. GuaranteeError, with the
/// reason, if there is no proof for the event under this adjacency. Delta 0 gives pure epsilon or
/// infinity. The PRG slack is not included.
[[nodiscard]] PrivacyInterval epsilon_interval(const Event& event, Adjacency adjacency, Delta delta,
                                               const AccountOptions& options = {});

/// delta of `event` at `epsilon`; the rules are those of epsilon_interval.
[[nodiscard]] PrivacyInterval delta_interval(const Event& event, Adjacency adjacency,
                                             Epsilon epsilon, const AccountOptions& options = {});

/// The proved guarantee of `event` between neighbours of `adjacency` at `delta`, epsilon rounded
/// up. Errors as epsilon_interval.
[[nodiscard]] inline Guarantee account(const Event& event, Adjacency adjacency, Delta delta) {
  return {epsilon_interval(event, adjacency, delta).upper, delta.value(), adjacency};
}
/// The epsilon of account().
[[nodiscard]] inline double epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  return epsilon_interval(event, adjacency, delta).upper;
}

}  // namespace tacet::accounting
