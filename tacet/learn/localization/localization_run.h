#pragma once

#include <vector>

#include "tacet/learn/localization/localization.h"
#include "tacet/optimize/solver/glm_loss.h"
#include "tacet/optimize/solver/local_minimum.h"

/// Shared by planning a chain of phases and by running it.
namespace tacet::learn {

/// The loss as a phase's solver sees it: kinks rounded, slopes cut at the plan's bound.
[[nodiscard]] optimize::GlmLoss local_loss(const LocalizationPlan& plan, const PhaseSolver& solver);

/// A phase as a problem for a solver. `centre` must have been released.
[[nodiscard]] optimize::LocalProblem local_problem(const LocalizationPlan& plan,
                                                   const LocalPhase& phase,
                                                   const PhaseSolver& solver,
                                                   optimize::Domain domain,
                                                   std::vector<double> centre);

/// UsageError when the certified solver's proved length is beyond the public work cap.
void check_local_work(const LocalizationPlan& plan, const LocalPhase& phase,
                      const PhaseSolver& solver, double norm_bound);

}  // namespace tacet::learn
