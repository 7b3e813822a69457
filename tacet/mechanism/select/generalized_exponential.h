#pragma once

#include <span>

#include "tacet/mechanism/select/scores.h"
#include "tacet/privacy/guarantee.h"

namespace tacet::mechanism {

/// Turns errors of different sensitivities into scores of sensitivity 1, so that a selection at
/// `epsilon` is good with probability 1 - failure (Raskhodnikova, Smith 2016): with t = 2
/// ln(candidates/failure) / epsilon,
///   score_i = -max_j ((q_i + t D_i) - (q_j + t D_j)) / (D_i + D_j),  j = i included.
/// Each quotient moves by at most (D_i + D_j) / (D_i + D_j) whatever t. The selected error is at
/// most min_j (q_j + 2 t D_j).
///
/// Integers throughout: errors and sensitivities are multiples of 2^-20 of the smallest
/// sensitivity, scores are multiples of 2^-20. Takes candidates^2 steps. A NumericError for an
/// error that is not a number; a UsageError for lists that are empty or of different lengths, a
/// failure outside (0, 1), or sensitivities that are not positive or differ by more than 2^20.
[[nodiscard]] Scores generalized_scores(std::span<const double> errors,
                                        std::span<const double> sensitivities,
                                        privacy::Epsilon epsilon, double failure,
                                        privacy::Adjacency adjacency);

}  // namespace tacet::mechanism
