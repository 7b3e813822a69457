#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacet/learn/evaluation.h"
#include "tacet/learn/evaluation_figures.h"

/// What a noisy histogram of scores tells: of two classes, how many records of each have a margin
/// in each bin. All of it is post-processing (docs/proofs/evaluation.md).
namespace tacet::learn {

/// Margins between the bins, ascending: those of the probabilities 0.1 to 0.9, and the threshold.
/// They follow from public facts alone, and so does their number.
[[nodiscard]] std::vector<double> score_edges(double threshold);

/// The bin of a margin: how many edges are below it. One that is no number is in the first.
[[nodiscard]] std::int64_t score_bin(std::span<const double> edges, double margin);

/// Weights of the cells of a confusion matrix of two classes as weights of the histogram's cells.
[[nodiscard]] std::vector<double> over_bins(std::span<const double> of_matrix,
                                            const EvaluationPlan& plan);

/// The area under the ROC curve. Within a bin the order of scores is unknown: a pair of records
/// there counts one half, and the interval holds none and all of them. Nothing where the noisy
/// number of records of a class does not stand clear of its noise.
[[nodiscard]] std::optional<NoisyInterval> auc_of(const ReleasedCounts& counts,
                                                  const EvaluationPlan& plan);

}  // namespace tacet::learn
