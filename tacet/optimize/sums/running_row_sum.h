#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/optimize/sums/row_arena.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/row_layout.h"
#include "tacet/privacy/sample.h"

namespace tacet::optimize {

/// The sum that RowBatch::sum gives by SecondClip::masked, of records that are clipped as they come
/// and forgotten at once: its memory follows what is chosen (or touched, where all rows are), not
/// the number of records. The same bits as a batch's.
///
///     running.start(drawn.sample(), chosen, C);
///     pool.for_blocks(..., [&](int worker, ...) {
///       auto& arena = running.arena(worker);
///       arena.start(); ... arena.row(r) ...; running.finish(worker);
///     });
///     release_rows(running.take(), z, {..., permit});
class RunningRowSum {
 public:
  /// Keeps a reference to threads. UsageError for a limit out of range, and for units of
  /// several records: whether a unit brings too many is known at the end only.
  RunningRowSum(privacy::RowLayout layout, const RowLimit& limit, base::ThreadPool& threads);
  ~RunningRowSum();
  RunningRowSum(const RunningRowSum&) = delete;
  RunningRowSum& operator=(const RunningRowSum&) = delete;

  /// Begins the sum over `sample`, clipped to `clipping_norm` on the chosen cells and the dense
  /// block. Errors as RowBatch::start and RowBatch::sum.
  void start(const privacy::Sample& sample, privacy::RowSelection selection, double clipping_norm);
  /// Whether a row has chosen cells: a record need not write the others, which change nothing.
  [[nodiscard]] bool chosen(std::int64_t row) const;
  /// Where a worker of the pool writes its next record; what it gives to dense_products() must not
  /// change before finish(), which is when it is read.
  [[nodiscard]] RowArena& arena(int worker) { return arenas_[static_cast<std::size_t>(worker)]; }
  /// Ends the worker's record, in place of arena(worker).finish().
  void finish(int worker);
  /// The sum; memory is kept for the next one, numbers are not read again. InternalError where none
  /// was started.
  [[nodiscard]] privacy::RowSum take();

 private:
  struct Step;
  struct Room;

  // Where all rows are chosen: the cells of those that were touched, and room for the dense block;
  // which rows these are.
  std::vector<std::int64_t> add_touched(std::vector<std::int64_t>& total);

  privacy::RowLayout layout_;
  RowLimit limit_;
  base::ThreadPool& threads_;
  std::vector<RowArena> arenas_;
  std::unique_ptr<Room> room_;
  std::unique_ptr<Step> step_;
};

}  // namespace tacet::optimize
