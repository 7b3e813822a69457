#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/mechanism/select/scores.h"
#include "tacet/optimize/sums/row_arena.h"
#include "tacet/optimize/sums/score_sum.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/row_layout.h"
#include "tacet/privacy/sample.h"

namespace tacet::optimize {

/// How a record's gradient is held to a norm once rows were chosen.
enum class SecondClip {
  masked,     ///< each record's gradient on the chosen rows and the dense block is clipped to C
  aggregate,  ///< whole gradients are clipped to C, and the sum on the chosen rows to `aggregate`
              ///< (Zhang, Mironov, Hejazinia 2021, algorithm 3)
  none        ///< whole gradients are clipped to C
};

struct RowClip {
  double clipping_norm = 1;  ///< C, of one unit's contribution; 1e-100 to 1e100
  SecondClip second = SecondClip::masked;
  double aggregate = 0;  ///< of the sum, for SecondClip::aggregate alone
};

/// The gradients of the records of one step, of any model with tables, and their sums.
///
/// Nothing of a table's size is held: time and memory follow what records touch and what is chosen.
/// All sums are exact integers, so that they have the same bits for any number of threads
/// and for any vector width; their bounds are enforced in integers, whatever the gradients are
/// (docs/proofs/wide.md): with K = 2^norm_bits grid units, a record's vector is truncated towards
/// zero after scaling, its squared norm is computed in integers, and it counts 0 where that is
/// above (K / max_records_per_unit)^2. A record with a value that is no finite number counts 0.
///
///     batch.start(drawn.sample());
///     pool.for_blocks(..., [&](int worker, ...) { auto& arena = batch.arena(worker); ... });
///     SamplePermit permit(drawn.sample(), {Gaussian{z1}, Gaussian{z2}}, reservation);
///     const auto rows = release_crossings(batch.presence(), z1, threshold, {..., permit});
///     const auto chosen = RowSelection::rows(rows.value());
///     const auto noisy = release_rows(batch.sum(chosen, {.clipping_norm = C}), z2, {..., permit});
class RowBatch {
 public:
  /// Keeps a reference to threads. UsageError for a limit out of range.
  RowBatch(privacy::RowLayout layout, const RowLimit& limit, base::ThreadPool& threads);
  RowBatch(const RowBatch&) = delete;
  RowBatch& operator=(const RowBatch&) = delete;

  /// Forgets the records of the step before. What is released of the next ones is accounted as of
  /// `sample`, which they must be. InternalError when its event counts on another number of records
  /// a unit than share the bound.
  void start(const privacy::Sample& sample);
  /// Where a worker of the pool writes its records, each record once, in one arena.
  /// A unit with more than max_records_per_unit of them counts
  /// 0.
  [[nodiscard]] RowArena& arena(int worker) { return arenas_[static_cast<std::size_t>(worker)]; }

  /// How often each row is touched, records that touch m rows counting 1/sqrt(m) in each of them
  /// (Ghazi and others 2023, DP-AdaFEST): 2^20 grid units are 1, and bound what a unit adds.
  [[nodiscard]] privacy::SparseBoundedSum presence() const;
  /// The same for chosen rows alone, coordinate i being the i-th of them: m counts these.
  /// UsageError unless rows were chosen.
  [[nodiscard]] privacy::SparseBoundedSum presence(const privacy::RowSelection& among) const;

  /// The sum on the chosen cells and the dense block. Errors as RowSelection::cell_count;
  /// UsageError for norms out of range.
  [[nodiscard]] privacy::RowSum sum(const privacy::RowSelection& selection,
                                    const RowClip& clip) const;

  [[nodiscard]] const privacy::RowLayout& layout() const { return layout_; }
  [[nodiscard]] const RowLimit& limit() const { return limit_; }
  [[nodiscard]] const privacy::Sample& sample() const { return sample_; }

  /// The scores of all rows, or cells, for a selection: how long the sum of gradients clipped to
  /// the rule's norm is there, cut at its score bound. They move as row_score_bounds says.
  [[nodiscard]] mechanism::SparseScores scores(const RowScoreRule& rule,
                                               privacy::Adjacency adjacency) const;
  /// How many records touch each row; a unit moves each count by at most max_records_per_unit, and
  /// removing or adding it moves all of them one way.
  [[nodiscard]] mechanism::SparseScores row_counts(privacy::Adjacency adjacency) const;

 private:
  /// Calls use(worker, record) for every record that takes part.
  template <typename Use>
  void for_records(const Use& use) const;
  [[nodiscard]] std::vector<std::int64_t> surplus_units() const;
  [[nodiscard]] std::vector<std::int64_t> touched_rows() const;
  template <typename RowsOrCells>
  [[nodiscard]] std::vector<std::int64_t> total(const RowsOrCells& places,
                                                const RowClip& clip) const;
  [[nodiscard]] std::vector<random::ScoredCandidate> counted(std::span<const std::int64_t> among,
                                                             bool listed, std::int64_t norm) const;

  privacy::RowLayout layout_;
  RowLimit limit_;
  base::ThreadPool& threads_;
  privacy::Sample sample_ = privacy::Sample::all();
  std::vector<RowArena> arenas_;
};

}  // namespace tacet::optimize
