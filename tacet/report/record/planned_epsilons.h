#pragma once

#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/report/record/planned.h"

/// What several sections of a plan's report ask of it.
namespace tacet::report {

/// The epsilons at which there is a plan, ascending.
[[nodiscard]] std::vector<const PlannedEpsilon*> planned_of(const PlannedSpending& plan);

/// Whether a run would promise anything: noise of a known seed, epsilon inf and a schema that was
/// fitted without protection promise nothing.
[[nodiscard]] bool promises(const PlannedSpending& plan);
[[nodiscard]] std::string why_nothing_is_promised(const PlannedSpending& plan);

/// The declared number, in words where nobody declared one.
[[nodiscard]] std::string declared_records(const PlannedSpending& plan);

/// What a test of who took part finds at most that raises a false alarm in one of a hundred, and
/// what an alarm makes of a chance of one in ten.
struct PlannedTest {
  double recognised = 1;
  double after_alarm = 1;
};
[[nodiscard]] PlannedTest test_at(const PlannedEpsilon& at, base::WorkMeter& work);

}  // namespace tacet::report
