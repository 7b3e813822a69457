#pragma once

#include <string>

#include "tacet/learn/method.h"
#include "tacet/local/local_plan.h"

namespace tacet::local {

/// Runs a plan: each record is a device, asked in a secret, uniformly random order. A round shows
/// its devices the same point; each computes the gradient of its own record there, clips it on a
/// grid of integers, makes it private and sends one report; the learner reads the mean of them. The
/// model is a function of the reports alone, so that each device's guarantee holds against
/// everybody, the server too. The same bits for any number of threads.
///
/// DataError when the data have another number of records than the plan has devices; NumericError
/// when the learner diverges, after the plan's `keep` got its last good state.
[[nodiscard]] learn::TrainedModel simulate_devices(const data::Dataset& dataset,
                                                   const data::Schema& schema,
                                                   const LocalPlan& plan,
                                                   const learn::TrainingContext& context);

/// The run that the options stand for.
[[nodiscard]] learn::Training local_training(const data::Schema& schema,
                                             const LocalOptions& options);

/// banco and local-sgd, for the way back from a receipt (learn::check_receipt).
[[nodiscard]] std::span<const learn::Method* const> local_methods();

}  // namespace tacet::local
