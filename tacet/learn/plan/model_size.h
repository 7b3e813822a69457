#pragma once

#include <cstdint>

#include "tacet/learn/plan/training.h"

namespace tacet::learn {

/// What a wide model takes, from public facts alone, before data or budget.
///
/// Adds a line to the plan's reasons where there are 2^24 weights or more. UsageError, with the
/// numbers and what needs less, where the run would hold more than `available` bytes for them, or
/// where the model's file would be longer than what is read as one (base/limits.h): a run that dies
/// on the way has spent its budget.
void check_model_size(Training& training, std::int64_t available);

}  // namespace tacet::learn
