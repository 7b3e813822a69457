#pragma once

#include <string>

#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::base {
class WorkMeter;
}

/// What an event costs. A pair of event and adjacency without a proof is a GuaranteeError that says
/// why; nothing is ever accounted as something else that looks similar.
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

/// What is known about an epsilon or a delta. `upper` is proved for the mechanism. `lower` bounds
/// the dominating pair from below; where lower_is_attained, two real data sets meet that pair and
/// no smaller value is true of the mechanism; elsewhere it only shows how tight the numerics are.
/// Both ends are rounded to the safe side; a lower end above a proved upper one is an
/// InternalError.
struct PrivacyInterval {
  double lower;
  double upper;
  bool lower_is_attained;
  /// What gave `upper`: "gaussian", "pld", "rdp", "pure", "basic" (sums of epsilons and of deltas),
  /// "tuning profile", "shuffle", "objective", "participation", "group" (twice add_remove),
  /// "trivial" (delta 1), or "none" for what costs nothing.
  std::string route;
  /// Two real data sets exist for which nothing below this is true. `lower` itself where that is
  /// attained; a smaller number from data sets of another kind, or 0, where it is not.
  double attained = 0;
};

/// How far an accounting goes.
struct AccountOptions {
  double tolerance = 1e-3;     ///< relative width at which the refinement of an interval may stop
  int largest_log2_size = 20;  ///< of a transform: bounds time and memory; wider intervals result
  bool attained = false;       ///< also look for `attained` where no data sets meet the pair
  WorkMeter* work = nullptr;   ///< counts what is computed and ends it at a limit; null: none
};

/// epsilon of `event` at `delta` between neighbours of `adjacency`: the smallest bound of all
/// proved routes. Infinity where only a larger delta allows a finite one. A pair of event and
/// adjacency without a proof is a GuaranteeError that says why; nothing is ever accounted as
/// something else that looks similar. Delta 0 gives pure epsilon or infinity. The PRG slack is
/// not included.
[[nodiscard]] PrivacyInterval epsilon_interval(const Event& event, Adjacency adjacency, Delta delta,
                                               const AccountOptions& options = {});

/// delta of `event` at `epsilon`; the same rules.
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
