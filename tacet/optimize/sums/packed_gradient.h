#pragma once

#include <cstdint>
#include <span>

#include "tacet/base/threads.h"
#include "tacet/optimize/sums/gradient_pass.h"

namespace tacet::optimize::internal {

/// Adds the gradients of packed rows (data/hat_rows.h) to `total`: a sum of integers for each place
/// of a hat function, whatever the number of knots, and the same integers as of stored rows.
/// Between two flushes a worker adds up to `rows_before_flush` rows exactly in doubles.
void add_packed_rows(const GradientPass& pass, const AnyRows& rows, base::ThreadPool& threads,
                     std::int64_t rows_before_flush, std::span<std::int64_t> total);

}  // namespace tacet::optimize::internal
