#pragma once

#include <cstdint>
#include <span>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/privacy/sparse_bounded_sum.h"

namespace tacet::optimize {

/// What one record adds to the counts in all, in grid units: its vector has norm 1.
inline constexpr std::int64_t presence_norm = std::int64_t{1} << 20;

/// How often each column of `ranges` differs from 0, records with m such columns counting
/// 1 / sqrt(m) in each of them.
///
/// The bound is enforced in integers: such a record adds floor(sqrt(2^40 / m)) grid units m times,
/// of norm at most 2^20 together, and others add nothing; so adding or removing a record moves the
/// sum by at most presence_norm in Euclidean norm. Memory grows with the columns that occur. Ranges
/// ascend and do not overlap. Coordinates are those of the data set, those outside of the ranges 0.
[[nodiscard]] privacy::SparseBoundedSum presence_sum(const data::Dataset& dataset,
                                                     std::span<const data::ColumnRange> ranges);

}  // namespace tacet::optimize
