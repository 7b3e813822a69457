#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/privacy/event.h"
#include "tacet/random/source/source.h"

/// Disjoint blocks of records, each read by one part of a computation alone, so that the whole
/// costs what the dearest part does (docs/proofs/private-choice.md, section 1).
///
/// Under add_remove each record, or each unit where there are units, has a secret coin of its own:
/// one more of them changes the block of no other. Elsewhere the number of records is public and a
/// uniformly random permutation gives each block exactly its number. How many records a block
/// really holds under add_remove is as secret as their number; formulas go by declared sizes.
namespace tacet::select {

/// The declared count times the shares, which add up to 1, in whole records that add up to it.
/// UsageError where a block would have none.
[[nodiscard]] std::vector<std::int64_t> declared_sizes(std::int64_t count,
                                                       std::span<const double> shares);

/// By record under add_remove, else by position: as draw_blocks assigns them.
[[nodiscard]] privacy::Assignment assignment_of(privacy::Adjacency adjacency);

/// A block for each size, in proportion to the sizes or exactly of them. Records are freed as they
/// are handed out where they are given away: they are never held twice. Records without a unit,
/// where there are units, are left out. UsageError where the number of records is public and is not
/// the sum of the sizes, and for units whose number would have to be public.
[[nodiscard]] std::vector<data::Dataset> draw_blocks(data::Dataset&& records,
                                                     std::span<const std::int64_t> sizes,
                                                     privacy::Adjacency adjacency,
                                                     random::Lease coins);
[[nodiscard]] std::vector<data::Dataset> draw_blocks(const data::Dataset& records,
                                                     std::span<const std::int64_t> sizes,
                                                     privacy::Adjacency adjacency,
                                                     random::Lease coins);

}  // namespace tacet::select
