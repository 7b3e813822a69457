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

/// What word vectors and wide models plan alike. Each step takes a secret Poisson sample, chooses
/// rows of the tables by it or without it, and releases one noisy sum of clipped gradients on them.
struct RowPlan : MethodPlan {
  double rate = 1;         ///< at which a record or unit joins a step's sample
  std::int64_t batch = 1;  ///< expected size of the sample
  std::int64_t steps = 1;
  std::int64_t max_records_per_unit = 1;  ///< that join a sample one by one
  RowOptimizerSettings optimizer;
  RowChoice choice;
  double noise = 0;  ///< noise multiplier of the sum of gradients
  double clipping_norm = 1;
};

/// What a step takes from its sample: the choice, if that reads records, and the sum.
[[nodiscard]] std::vector<privacy::Event> step_parts(const RowPlan& plan);
/// What all steps release.
[[nodiscard]] privacy::Event step_releases(const RowPlan& plan);

/// The noise of a step's sum and of its counts of words or ids, so that both cost as much as one
/// release of the multiplier `whole`, the counts `share` of it.
void split_noise(RowPlan& plan, double share, double whole);

/// The least noise that is enough for epsilon at `left`. `releases_at` sets the plan's noise from
/// that of one release a step and returns what is then released.
[[nodiscard]] privacy::Event min_noise(
    const std::function<privacy::Event(double whole)>& releases_at, const CommonOptions& options,
    privacy::Delta left);

/// Settings of the sample, the steps and the optimizer. The step size is shown in units of
/// `step_unit`.
void list_steps(SettingList& list, RowPlan& plan, double step_unit = 1);
/// DataError where sampling rate, batch size and number of records do not fit.
void check_sample(const RowPlan& plan);

}  // namespace tacet::learn
