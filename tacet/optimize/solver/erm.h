#pragma once

#include <cstdint>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/model/class_weights.h"
#include "tacet/model/loss/loss.h"

namespace tacet::optimize {

struct ErmOptions {
  double mean_l2 = 0;             ///< lambda of (lambda/2) |w|^2, at least 0
  double tolerance = 1e-8;        ///< of the objective, an output
  std::int64_t max_steps = 2000;  ///< on one width of smoothing
  /// Above 1: one class against the rest for each of labels 0, 1, ..., or all at once by softmax.
  std::int64_t outputs = 1;
  model::ClassWeights class_weights{};  ///< of the records' losses
};

struct ErmResult {
  std::vector<double> weights;  ///< one row per output
  double mean_loss = 0;         ///< summed over the outputs; private: no noise was added
  /// No weights, for each output of norm at most `radius`, have an objective (mean loss and
  /// penalty, summed over the outputs) smaller by more than this: proved, whether the search came
  /// to its end or not (docs/proofs/exact-minimum.md). As private as the weights.
  double gap = 0;
  double radius = 0;  ///< infinite with a penalty, or where the objective is nearly 0
};

/// Minimises the mean loss over the records without any protection: the reference that private
/// learners are measured against, and what `epsilon=inf` runs. Everything in the result is as
/// private as the records.
///
/// Damped Newton steps up to 500 columns that occur, L-BFGS beyond and for softmax. A loss that is
/// not smooth is replaced by its Moreau envelope of width 1, 1/4, ... 2^-20, each warm-started by
/// the last; the gap is that of the loss itself. The result has the same bits for any number of
/// threads.
[[nodiscard]] ErmResult minimise_without_protection(const data::Dataset& dataset,
                                                    const model::Loss& loss,
                                                    const ErmOptions& options,
                                                    base::ThreadPool& threads,
                                                    const base::Supervision& supervision = {});

}  // namespace tacet::optimize
