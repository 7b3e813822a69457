#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/learn/rows/open_row_sum.h"
#include "tacet/model/wide/wide_net.h"
#include "tacet/optimize/sums/row_sum.h"
#include "tacet/optimize/sums/running_row_sum.h"

namespace tacet::learn {

/// The numbers of a wide model at the beginning of a step.
struct NetState {
  const model::WideRows& rows;
  std::span<const float> block;  ///< the dense block of the layout
};

/// Writes the gradients of a step's records under a wide model into a sum, which enforces what a
/// unit may add, whatever the gradients are (optimize/sums/row_sum.h). A gradient is a function of
/// the record and of released numbers alone, so neighbouring samples have neighbouring batches, and
/// the sum has the same bits for any number of threads.
///
/// Of each unit, a fixed number of records takes part: the first ones in the data, not the first
/// ones in the sample. Each of them is in a sample with the sample's rate and by its own random
/// draw, as the accountant assumes. If the data have units, records without a unit are left out.
class NetGradients {
 public:
  /// All arguments must outlive it. InternalError if the labels are not those of the loss, or if
  /// the architecture names a column that the records do not have.
  NetGradients(const model::WideNet& net, const data::Dataset& records,
               std::int64_t max_records_per_unit, base::ThreadPool& threads);

  /// Adds the gradients of the `drawn` records, each once and ascending, to the arenas of a batch
  /// that was started.
  void add(std::span<const std::int64_t> drawn, const NetState& state, optimize::RowBatch& batch);
  /// Adds to a sum of single records, on the rows that it chose.
  void add(std::span<const std::int64_t> drawn, const NetState& state,
           optimize::RunningRowSum& sum);
  /// For a training without protection: gradients are not clipped, and one thread adds them.
  void add(std::span<const std::int64_t> drawn, const NetState& state, optimize::RowArena& arena,
           OpenRowSum& sum);
  /// Notes the ids of the records: row k of a layout with one table is id k through all fields.
  void touch(std::span<const std::int64_t> drawn, optimize::RowBatch& touched);

 private:
  /// Calls use(record, its trace, worker) for each record that takes part, on all threads.
  template <typename Use>
  void for_records(std::span<const std::int64_t> drawn, const Use& use);
  void differentiate(std::int64_t record, const NetState& state, model::WideTrace& trace) const;
  void check(const NetState& state, const privacy::RowLayout& layout) const;
  [[nodiscard]] std::int64_t unit_of(std::int64_t record) const {
    return records_.has_units() ? records_.unit_of(record) : -1;
  }
  [[nodiscard]] bool takes_part(std::int64_t record) const {
    return takes_part_.empty() || takes_part_[static_cast<std::size_t>(record)];
  }

  const model::WideNet& net_;
  const data::Dataset& records_;
  base::ThreadPool& threads_;
  std::vector<bool> takes_part_;          // empty: all records
  std::vector<model::WideTrace> traces_;  // one a worker
};

/// How many ids all fields have together: the rows of touch()'s table.
[[nodiscard]] std::int64_t id_count(const model::WideShape& shape);

/// The rows of the tables that belong to ids, numbered as touch() does.
[[nodiscard]] privacy::RowSelection rows_of_ids(const model::WideNet& net,
                                                std::span<const std::int64_t> ids);

}  // namespace tacet::learn
