#pragma once

#include <span>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/learn/plan/training.h"

/// What the program calls to settle a training: the methods of `learn`, and what chooses among them
/// or among their runs.
namespace tacet::choose {

/// Settles the training from public facts alone; what comes back is planned, booked, run and
/// written down like any other. Where noise from the cipher leaves nothing of delta at the epsilon
/// asked for, but something at a smaller one that is at least 10, it is settled for that one, and a
/// reason says so; not with a paper's calibration. Errors else as learn::plan_training.
[[nodiscard]] learn::Training plan_training(const data::Schema& schema,
                                            const learn::LinearOptions& options);

/// What this floor trains with, for the way back from a receipt (learn::check_receipt).
[[nodiscard]] std::span<const learn::Method* const> choices();

}  // namespace tacet::choose
