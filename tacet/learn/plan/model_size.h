#pragma once

#include <cstdint>

#include "tacet/learn/plan/training.h"

namespace tacet::learn {

/// Checks the memory of a model with many columns, from public facts alone, before data are read or
/// a budget is used.
///
/// Adds a line to the plan's reasons if there are 2^24 weights or more. UsageError, with the
/// numbers and what needs less, if the run would need more than `available` bytes, or if the
/// model's file would be too long to be read (base/limits.h). A run that fails for lack of memory
/// has spent its budget.
void check_model_size(Training& training, std::int64_t available);

}  // namespace tacet::learn
