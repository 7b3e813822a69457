#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/data/dataset.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/bounded_sum.h"

/// Sums of squares: the Gram matrix sum x x' and sum x y', as one bounded sum of integers.
///
/// Labels stand on the features' grid of 1/2048. A record's Gram matrix has the Frobenius norm
/// |x|^2 <= X^2, its products with the label |x| |y| <= X. A symmetric matrix has no room for the
/// sqrt(2) of an isometry on a lattice, so the entries beside the diagonal, which stand once, weigh
/// sqrt(2) in the bound and get noise of standard deviation 1 / sqrt(2) of that on the diagonal:
/// sum x_i^4 + 2 sum_{i<j} x_i^2 x_j^2 = |x|^4, exactly. Between neighbours, Gram matrix over X^2
/// and labels over X together, the distance is at most
///
///                            with labels    without
///     add_remove, zero_out   sqrt(2)        1
///     replace_one            sqrt(4.5)      sqrt(2)
///
/// where a replaced record costs less than twice an added one, for two Gram matrices have a
/// non-negative inner product (docs/proofs/gram.md). For k classes the labels are indicators, of
/// which a record has one: the bound does not grow with k.
namespace tacet::optimize {

/// Where the released numbers stand: the diagonal, then row by row what is right of it, then the
/// products with the labels, output by output.
struct GramShape {
  std::int64_t columns = 0;
  std::int64_t outputs = 0;  ///< 0: no labels; 1: labels in [-1, 1]; k: indicators of k classes

  [[nodiscard]] std::size_t beside() const {
    return static_cast<std::size_t>(columns * (columns - 1) / 2);
  }
  [[nodiscard]] std::size_t values() const {
    return static_cast<std::size_t>(columns) + beside() +
           static_cast<std::size_t>(columns * outputs);
  }
  /// Place of entry (i, j), i <= j, of the matrix.
  [[nodiscard]] std::size_t place(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i == j ? i
                                           : columns + i * (2 * columns - i - 1) / 2 + j - i - 1);
  }
  /// Place of column j's product with the label of an output.
  [[nodiscard]] std::size_t label_place(std::int64_t j, std::int64_t output) const {
    return static_cast<std::size_t>(columns) + beside() +
           static_cast<std::size_t>(output * columns + j);
  }
};

/// Standard deviation of the noise in real units, for a noise multiplier of 1.
struct GramNoise {
  double diagonal;
  double beside;
  double labels;
};
[[nodiscard]] GramNoise gram_noise(double norm_bound, bool labels, privacy::Adjacency adjacency);

/// The largest noise multiplier that the sampler's grid holds.
[[nodiscard]] double largest_gram_multiplier(double norm_bound, bool labels,
                                             privacy::Adjacency adjacency);

/// The sums over all records, with the same bits for any number of threads and parts
/// and for dense and sparse storage. A label that is not a number, or no class, counts 0.
/// UsageError for more columns than max_gram_columns.
[[nodiscard]] privacy::WeightedSum gram_sum(const data::Dataset& dataset, std::int64_t outputs,
                                            privacy::Adjacency adjacency,
                                            base::ThreadPool& threads);

/// What it adds up, in units of the lattice: as private as the records. For sums over parts.
[[nodiscard]] std::vector<std::int64_t> gram_integers(const data::Dataset& dataset,
                                                      std::int64_t outputs,
                                                      base::ThreadPool& threads);

/// The sum of what gram_integers says of all parts of the records, of which each row has at most
/// this squared norm (Dataset::squared_norm_bound).
[[nodiscard]] privacy::WeightedSum certified_gram_sum(std::vector<std::int64_t> integers,
                                                      const GramShape& shape,
                                                      std::int64_t squared_norm_bound,
                                                      privacy::Adjacency adjacency);

/// Of 64-bit sums this is 67 MB, and an eigenvalue problem of a minute.
constexpr std::int64_t max_gram_columns = 4096;

}  // namespace tacet::optimize
