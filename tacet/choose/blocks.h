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

/// Disjoint blocks of records. Each block is read by one part of a computation only, so that the
/// whole costs as much as its most expensive part (docs/proofs/private-choice.md, section 1).
///
/// Under add_remove a secret random draw assigns each record, or each unit if there are units: one
/// more record does not change the block of any other. How many records a block really holds is
/// then as secret as the number of records, and formulas use the declared sizes. Under the other
/// adjacencies the number of records is public, and a uniformly random permutation fills each block
/// with exactly its number.
namespace tacet::choose {

/// Divides the declared count by the shares, which add up to 1, into whole numbers that add up to
/// it. UsageError if a block would have no record.
[[nodiscard]] std::vector<std::int64_t> declared_sizes(std::int64_t count,
                                                       std::span<const double> shares);

/// UsageError if there are units under an adjacency whose blocks have exact sizes: units can only
/// be assigned by random draws.
void refuse_counted_units(bool units, privacy::Adjacency adjacency);

/// By record under add_remove, else by position: as draw_blocks assigns them.
[[nodiscard]] privacy::Assignment assignment_of(privacy::Adjacency adjacency);

/// Divides the records among blocks: under add_remove in proportion to the sizes, otherwise exactly
/// of these sizes. Moved records are freed while they are divided, so that they are never in memory
/// twice. If there are units, records without one are left out. UsageError if the number of records
/// is public and is not the sum of the sizes, or if the number of units would have to be public.
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
