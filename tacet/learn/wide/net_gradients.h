#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/model/wide/wide_net.h"
#include "tacet/optimize/sums/row_sum.h"

namespace tacet::learn {

/// The numbers of a wide model as a step finds them.
struct NetState {
  const model::WideRows& rows;
  std::span<const float> block;  ///< as long as the layout's dense block
};

/// Writes the gradients of a step's records under a wide model into a batch, whose sums enforce
/// what a unit may add whatever a gradient is (optimize/sums/row_sum.h). A gradient is a function
/// of the record and of released numbers alone, so neighbouring samples have neighbouring batches,
/// and the sum has the same bits for any number of threads.
class NetGradients {
 public:
  /// All of them outlive it. InternalError where the records' labels are not those of the loss, or
  /// the architecture names a column that they have not.
  NetGradients(const model::WideNet& net, const data::Dataset& records, base::ThreadPool& threads);

  /// Of `drawn` records, each once and ascending, into the arenas of a batch that was started; of
  /// each unit the first limit().records_a_unit of them take part.
  void add(std::span<const std::int64_t> drawn, const NetState& state, optimize::RowBatch& batch);

 private:
  struct Reader {
    model::WideTrace trace;
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
  };

  void read(std::int64_t record, Reader& reader) const;

  const model::WideNet& net_;
  const data::Dataset& records_;
  base::ThreadPool& threads_;
  std::vector<Reader> readers_;  // one a worker
};

}  // namespace tacet::learn
