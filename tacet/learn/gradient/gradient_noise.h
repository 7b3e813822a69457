#pragma once

#include <cstdint>

#include "tacet/accounting/calibrate.h"
#include "tacet/learn/gradient/first_releases.h"
#include "tacet/learn/gradient/gradient.h"

/// The noise of the descent for a budget. Planning uses it twice: before the steps are chosen, for
/// the noise that the budget allows, and at the end, when everything else is chosen.
namespace tacet::learn {

/// The noise multiplier at which `steps` steps meet the target, rounded up until the accountant
/// agrees.
[[nodiscard]] double batch_noise(const Batches& batches, std::int64_t steps,
                                 const accounting::CalibrationTarget& target);

/// The facts about the noise that the choice of the steps needs.
struct BudgetNoise {
  /// noise multiplier if the whole budget went into one release on all records
  double one_release;
  /// The noise of the mean gradient in steps on samples, in units of that on all records.
  double on_samples = 1;
};

/// `steps` is the number of steps on samples; plans on all records do not need it.
[[nodiscard]] BudgetNoise noise_of_budget(const Batches& batches, std::int64_t steps,
                                          const accounting::CalibrationTarget& target);

/// The last stage of a plan: noise, releases and guarantee. Everything else must be chosen.
void calibrate_gradient(GradientPlan& plan, const CommonOptions& options, privacy::Delta delta,
                        const FirstShares& shares);

/// The same with the noise of a paper, if that is enough.
void calibrate_paper(GradientPlan& plan, const CommonOptions& options, privacy::Delta delta,
                     double noise_multiplier);

}  // namespace tacet::learn
