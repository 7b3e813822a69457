#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacet/base/threads.h"

/// Eigenproblems of symmetric matrices with the same bits on every machine and for any number of
/// threads: additions, multiplications, divisions and square roots alone, each rounded once, in an
/// order that the numbers in the matrix decide, and nothing else. Libraries such as Eigen sum in an
/// order that depends on the instruction set, and so do their last bits.
namespace tacet::numeric {

struct Eigensystem {
  std::vector<double> values;
  std::vector<double> vectors;  ///< row by row; vector k is column k
};

/// All of them by cyclic Jacobi rotations, of a symmetric matrix of finite numbers given row by
/// row; in no order. Made for up to a hundred columns.
[[nodiscard]] Eigensystem eigensystem(std::vector<double> matrix, std::size_t size);

/// One block of a symmetric positive semidefinite matrix that has others beside it and zeros
/// elsewhere, row by row.
struct SymmetricBlock {
  std::size_t size = 0;
  std::vector<double> matrix{};
};

/// An orthonormal basis of vectors that belong to one block each.
struct LeadingSpace {
  struct Part {
    std::size_t count = 0;          ///< vectors of this block
    std::vector<double> vectors{};  ///< size x count, row by row; 0 beyond the block's rank
  };
  std::vector<Part> parts;  ///< one per block
  double energy = 0;        ///< trace of the matrix within the space
  double trace = 0;         ///< of the whole
};

/// A space of at most `count` dimensions that has nearly as much of the trace as that of the
/// leading eigenvectors: pivots of largest remaining variance choose the columns that it begins
/// with (Harbrecht, Peters, Schneider 2012), and subspace iteration turns it. Fewer dimensions
/// where less than a ten-thousandth of the trace is left.
[[nodiscard]] LeadingSpace leading_space(const std::vector<SymmetricBlock>& blocks,
                                         std::size_t count, base::ThreadPool& threads);

}  // namespace tacet::numeric
