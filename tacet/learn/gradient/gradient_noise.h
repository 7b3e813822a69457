#pragma once

#include <cstdint>

#include "tacet/accounting/calibrate.h"
#include "tacet/learn/gradient/first_releases.h"
#include "tacet/learn/gradient/gradient.h"

/// How much noise a budget asks of the descent. Planning comes here twice: before the steps are
/// chosen, for the noise that the budget allows, and last, when everything else is chosen.
namespace tacet::learn {

/// The noise multiplier at which `steps` steps meet the target, rounded up until the accountant
/// agrees.
[[nodiscard]] double batch_noise(const Batches& batches, std::int64_t steps,
                                 const accounting::CalibrationTarget& target);

/// What the choice of the steps has to know of the noise.
struct BudgetNoise {
  double one_release;  ///< noise multiplier if the whole budget were one release on all records
  /// The noise of the mean gradient in steps on samples, in units of that on all records.
  double on_samples = 1;
};

/// `steps` is the number of steps on samples; all records need none.
[[nodiscard]] BudgetNoise noise_of_budget(const Batches& batches, std::int64_t steps,
                                          const accounting::CalibrationTarget& target);

/// The last stage of a plan, which has everything else: noise, releases and guarantee.
void calibrate_gradient(GradientPlan& plan, const CommonOptions& options, privacy::Delta delta,
                        const FirstShares& shares);

/// The same with the noise of a paper, where that is enough.
void calibrate_paper(GradientPlan& plan, const CommonOptions& options, privacy::Delta delta,
                     double noise_multiplier);

}  // namespace tacet::learn
