#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/event.h"
#include "tacet/random/source/source.h"

/// Disjoint blocks of records, each read by one part of a computation alone, so that the whole
/// costs what the dearest part does (docs/proofs/private-choice.md, section 1).
///
/// Under add_remove each record, or each unit where there are units, has a secret random draw of
/// its own: one more of them changes the block of no other. Elsewhere the number of records is
/// public and a uniformly random permutation gives each block exactly its number. How many records
/// a block really holds under add_remove is as secret as their number; formulas go by declared
/// sizes.
namespace tacet::choose {

/// The declared count times the shares, which add up to 1, in whole records that add up to it.
/// UsageError where a block would have none.
[[nodiscard]] std::vector<std::int64_t> declared_sizes(std::int64_t count,
                                                       std::span<const double> shares);

/// UsageError for units where blocks would be of exact numbers: units are assigned by random draws
/// alone.
void refuse_counted_units(bool units, privacy::Adjacency adjacency);

/// By record under add_remove, else by position: as draw_blocks assigns them.
[[nodiscard]] privacy::Assignment assignment_of(privacy::Adjacency adjacency);

/// A block for each size, in proportion to the sizes or exactly of them. Records are freed as they
/// are handed out where they are given away: they are never held twice. Records without a unit,
/// where there are units, are left out. UsageError where the number of records is public and is not
/// the sum of the sizes, and for units whose number would have to be public.
[[nodiscard]] std::vector<data::Dataset> draw_blocks(data::Dataset&& records,
                                                     std::span<const std::int64_t> sizes,
                                                     privacy::Adjacency adjacency,
                                                     random::BlockClaim draws);
[[nodiscard]] std::vector<data::Dataset> draw_blocks(const data::Dataset& records,
                                                     std::span<const std::int64_t> sizes,
                                                     privacy::Adjacency adjacency,
                                                     random::BlockClaim draws);

/// The blocks that a run of `plan` reads, after everything that it is going to release is debited
/// at once: nothing outside says how many runs there are. UsageError before, as draw_blocks.
template <typename Records>
[[nodiscard]] std::vector<data::Dataset> booked_blocks(Records&& records,
                                                       const learn::MethodPlan& plan,
                                                       std::span<const std::int64_t> sizes,
                                                       const learn::TrainingContext& context) {
  const auto adjacency = plan.guarantee.adjacency;
  if (adjacency != privacy::Adjacency::add_remove) {
    learn::check_row_count(records, plan.public_row_count, context);
  }
  context.reservation.debit(plan.events);
  return draw_blocks(std::forward<Records>(records), sizes, adjacency,
                     context.source.claim(random::Purpose::sampling, 0, 0));
}

}  // namespace tacet::choose
