#include "tacet/optimize/parts/part_sums.h"

#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/curve_records.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/optimize/sums/gram_sum.h"
#include "tacet/optimize/sums/moment_sum.h"
#include "tacet/optimize/sums/presence_sum.h"

namespace tacet::optimize {

void PartSums::start_gradients(GradientTask task) {
  static_cast<void>(checked_clipping_norm(task.limit));
  start(task);
  limit_ = std::move(task.limit);
}

privacy::BoundedSum PartSums::gradient(std::span<const double> weights, Basis basis) {
  if (!limit_) throw base::InternalError("gradients were asked for before it was said of what");
  return certified_gradient_sum(add_gradients(weights, basis), *limit_);
}

privacy::BoundedSum PartSums::moments(const MomentTask& task) {
  return certified_moments(add_moments(task), task.schema, task.norm_bits, task.moments);
}

privacy::SparseBoundedSum PartSums::presence(const PresenceTask& task) {
  return certified_presence(shape().columns, add_presence(task));
}

data::DatasetShape PartSums::gram_rows(const GramTask& task) const {
  return task.numbers ? data::number_rows_shape(*task.numbers) : shape();
}

privacy::WeightedSum PartSums::gram(const GramTask& task, privacy::Adjacency adjacency) {
  const auto form = gram_rows(task);
  return certified_gram_sum(add_gram(task), {form.columns, task.outputs},
                            data::Dataset(form).squared_norm_bound(), adjacency);
}

PredictionSum PartSums::predictions(const model::LinearModel& model, const PredictionCells& cells) {
  return certified_predictions(add_predictions(model, cells), cells);
}

}  // namespace tacet::optimize
