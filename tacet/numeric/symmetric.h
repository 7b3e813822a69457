#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacet/base/threads.h"

/// Eigenproblems of symmetric matrices with the same bits on every machine and for any number of
/// threads: they use additions, multiplications, divisions and square roots only, each rounded
/// once. Their order depends on nothing but the numbers in the matrix. Libraries such as Eigen sum
/// in an order that depends on the instruction set, and so their last bits do too.
namespace tacet::numeric {

struct Eigensystem {
  std::vector<double> values;
  std::vector<double> vectors;  ///< row by row; vector k is column k
};

/// All eigenvalues and eigenvectors, in no particular order, by cyclic Jacobi rotations. The matrix
/// is symmetric and finite, given row by row. Made for up to a hundred columns.
[[nodiscard]] Eigensystem eigensystem(std::vector<double> matrix, std::size_t size);

/// One block of a block-diagonal symmetric positive semidefinite matrix, row by row.
struct SymmetricBlock {
  std::size_t size = 0;
  std::vector<double> matrix{};
};

/// An orthonormal basis. Each of its vectors lies in one block.
struct LeadingSpace {
  struct Part {
    std::size_t count = 0;          ///< number of vectors in this block
    std::vector<double> vectors{};  ///< size x count, row by row; 0 beyond the block's rank
  };
  std::vector<Part> parts;  ///< one per block
  double energy = 0;        ///< trace of the matrix within the space
  double trace = 0;         ///< trace of the whole matrix
};

/// A space of at most `count` dimensions that has nearly as much of the trace as the space of the
/// leading eigenvectors. It starts with the columns that have the largest remaining variance as
/// pivots (Harbrecht, Peters, Schneider 2012), and subspace iteration improves it. It has fewer
/// dimensions if less than a ten-thousandth of the trace is left.
[[nodiscard]] LeadingSpace leading_space(const std::vector<SymmetricBlock>& blocks,
                                         std::size_t count, base::ThreadPool& threads);

}  // namespace tacet::numeric
