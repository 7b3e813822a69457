#pragma once

#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/pairs.h"
#include "tacet/accounting/routes/repetition.h"

namespace tacet::accounting::internal {

/// The (epsilon, delta) curve of private selection by the profile bound, from the intervals of the
/// base run in both orders. The constants of the bound are computed once. There is no curve for
/// selections deeper than repetition::deepest_profile.
class SelectionCurve {
 public:
  SelectionCurve(const RandomlyRepeated& event, Adjacency adjacency, const AccountOptions& options);

  /// epsilon at a delta above 0. GuaranteeError if, for this delta, the cap on the number of runs
  /// is exceeded too often.
  [[nodiscard]] double epsilon(double delta) const;
  /// delta at epsilon. Below the bound's shift it follows from the curve at larger epsilons.
  [[nodiscard]] double delta(double epsilon);

 private:
  [[nodiscard]] double run_delta(double epsilon) const;
  [[nodiscard]] double run_epsilon(double delta) const;
  [[nodiscard]] double part_delta(const Event& part, double epsilon) const;
  [[nodiscard]] double direct_delta(double epsilon) const;

  Event run_;
  std::vector<Event> parts_;  ///< kinds of runs; at every delta the dearest one counts
  Adjacency adjacency_;
  AccountOptions options_;
  repetition::ProfileBound bound_;
  std::int64_t cap_;
  double cut_;                        ///< the probability that the cap is exceeded
  std::vector<pairs::Point> beyond_;  ///< points above the shift, found when first asked for
};

/// The largest delta at epsilon that an event with (point.epsilon, point.delta)-DP can have,
/// rounded up. The worst such mechanism is randomised response that sometimes reveals everything.
[[nodiscard]] double implied_delta(const pairs::Point& point, double epsilon);

}  // namespace tacet::accounting::internal
