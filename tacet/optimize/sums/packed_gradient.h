#pragma once

#include <cstdint>
#include <span>

#include "tacet/base/threads.h"
#include "tacet/optimize/sums/gradient_pass.h"

namespace tacet::optimize::internal {

/// Adds the gradients of packed rows (data/hat_rows.h) to `total`. A row's scalar is an integer,
/// cut as that of a stored row, by the norm of the row's integers phi, and the row adds the scalar
/// times phi, exactly: its scale is part of the margin and of the scalar. Between two flushes a
/// worker adds up to `rows_before_flush` rows exactly in doubles.
void add_packed_rows(const GradientPass& pass, const AnyRows& rows, base::ThreadPool& threads,
                     std::int64_t rows_before_flush, std::span<std::int64_t> total);

}  // namespace tacet::optimize::internal
