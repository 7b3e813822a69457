#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/learn/rows/row_choice.h"
#include "tacet/learn/rows/row_optimizer.h"
#include "tacet/privacy/event.h"

namespace tacet::learn {

/// The common plan of word vectors and wide models. Each step takes a secret Poisson sample,
/// chooses rows of the tables (by the sample or without it), and releases one noisy sum of clipped
/// gradients on them.
struct RowPlan : MethodPlan {
  double rate = 1;         ///< probability with which a record or unit joins the sample of a step
  std::int64_t batch = 1;  ///< expected size of the sample
  std::int64_t steps = 1;
  /// records of a unit, each of which joins the sample on its own
  std::int64_t max_records_per_unit = 1;
  RowOptimizerSettings optimizer;
  RowChoice choice;
  double noise = 0;  ///< noise multiplier of the sum of gradients
  double clipping_norm = 1;
};

/// The releases of a step on its sample: the choice, if it reads records, and the sum.
[[nodiscard]] std::vector<privacy::Event> step_parts(const RowPlan& plan);
/// The releases of all steps.
[[nodiscard]] privacy::Event step_releases(const RowPlan& plan);

/// Divides the noise between a step's sum and its counts of words or ids: both together cost as
/// much as one release of multiplier `whole`, of which the counts take `share`.
void split_noise(RowPlan& plan, double share, double whole);

/// The smallest noise for epsilon at the delta `left`. `releases_at` sets the plan's noise from the
/// multiplier of one release per step, and returns the resulting releases.
[[nodiscard]] privacy::Event min_noise(
    const std::function<privacy::Event(double whole)>& releases_at, const CommonOptions& options,
    privacy::Delta left);

/// Settings of the sample, the steps and the optimizer. The step size is shown in units of
/// `step_unit`.
void list_steps(SettingList& list, RowPlan& plan, double step_unit = 1);
/// DataError if sampling rate, batch size and number of records do not match.
void check_sample(const RowPlan& plan);

}  // namespace tacet::learn
