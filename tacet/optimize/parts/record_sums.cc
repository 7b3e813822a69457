#include "tacet/optimize/parts/record_sums.h"

#include "tacet/base/error.h"
#include "tacet/data/encode/curve_records.h"
#include "tacet/data/encode/narrow_rows.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tacet/optimize/sums/moment_sum.h"

namespace tacet::optimize {
namespace {

template <typename Records>
data::Dataset rewritten(Records&& records, const ReleasedSchema& released,
                        base::ThreadPool& threads) {
  switch (released.how) {
    case Rewriting::standards:
      return data::transform(std::forward<Records>(records), released.schema);
    case Rewriting::columns:
      return data::keep_columns(std::forward<Records>(records), released.schema);
    case Rewriting::curves:
      return data::with_curves(std::forward<Records>(records), released.schema,
                               data::CurveLabels::standardised, threads);
  }
  throw base::InternalError("unknown way of rewriting records");
}

}  // namespace

RecordSums::RecordSums(const data::Dataset& records, base::ThreadPool& threads)
    : given_(&records), threads_(threads) {}

RecordSums::RecordSums(data::Dataset&& records, base::ThreadPool& threads)
    : own_(std::make_unique<data::Dataset>(std::move(records))), threads_(threads) {}

void RecordSums::rewrite(const ReleasedSchema& released) {
  gradients_.reset();
  own_ = std::make_unique<data::Dataset>(own_ ? rewritten(std::move(*own_), released, threads_)
                                              : rewritten(*given_, released, threads_));
}

void RecordSums::start(const GradientTask& task) {
  gradients_ = std::make_unique<Gradients>(records(), task, threads_);
}

std::vector<std::int64_t> RecordSums::gradients(std::span<const double> weights) const {
  if (!gradients_) throw base::InternalError("gradients were asked for before it was said of what");
  return gradients_->sum.integers(weights);
}

std::vector<std::int64_t> RecordSums::moments(const MomentTask& task) const {
  return moment_integers(records(), task.schema, task.norm_bits, task.moments);
}

std::vector<ColumnCount> RecordSums::presence(const PresenceTask& task) const {
  return presence_counts(records(), task.schema.choosable_columns());
}

std::vector<std::int64_t> RecordSums::gram(const GramTask& task) const {
  if (task.numbers) {
    return gram_integers(data::number_rows(records(), *task.numbers), task.outputs, threads_);
  }
  return gram_integers(records(), task.outputs, threads_);
}

}  // namespace tacet::optimize
