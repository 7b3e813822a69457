#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/learn/evaluation.h"
#include "tacet/learn/evaluation_figures.h"

/// Figures from a noisy histogram of scores: for two classes, the number of records of each class
/// whose margin is in each bin. All of it is post-processing (docs/proofs/evaluation.md).
namespace tacet::learn {

/// Margins between the bins, ascending: those of the probabilities 0.1 to 0.9, and the threshold.
/// They and their number are public.
[[nodiscard]] std::vector<double> score_edges(double threshold);

/// Weights of the cells of a confusion matrix of two classes as weights of the histogram's cells.
[[nodiscard]] std::vector<double> over_bins(std::span<const double> of_matrix,
                                            const EvaluationPlan& plan);

/// The area under the ROC curve. Within a bin the order of scores is unknown: a pair of records in
/// one bin counts one half, and the interval extends from none to all of these pairs. Nothing if
/// the noisy number of records of a class is not clearly above its noise.
[[nodiscard]] std::optional<NoisyInterval> auc_of(const ReleasedCounts& counts,
                                                  const EvaluationPlan& plan);

}  // namespace tacet::learn
