#include "tacet/numeric/symmetric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "tacet/numeric/kernels.h"
#include "tacet/numeric/panel_products.h"

namespace tacet::numeric {
namespace {

// Directions that would add less than this share of the trace are not worth having.
constexpr double negligible = 1e-4;
// A small space can afford many rounds and spare dimensions, which find the leading eigenvectors of
// all blocks. A larger one has nearly all of the trace without them.
constexpr std::size_t max_turned = 250;
constexpr std::size_t min_spare = 20;
constexpr std::size_t max_spare = 100;
constexpr int many_rounds = 6;
constexpr int few_rounds = 2;

/// A rotation of rows and columns p and q that makes their common entry 0 (Golub, Van Loan 2013,
/// section 8.5.2).
struct Rotation {
  double cosine = 1;
  double sine = 0;

  Rotation(double pp, double qq, double pq) {
    const double theta = (qq - pp) / (2 * pq);
    const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    cosine = 1 / std::sqrt(t * t + 1);
    sine = t * cosine;
  }
  void turn(double& p, double& q) const {
    const double old = p;
    p = cosine * old - sine * q;
    q = sine * old + cosine * q;
  }
};

double square_beside_diagonal(std::span<const double> matrix, std::size_t size) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) sum += matrix[i * size + j] * matrix[i * size + j];
  }
  return sum;
}

/// rows x count numbers, row by row.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values{};

  Matrix(std::size_t of_rows, std::size_t of_columns)
      : rows(of_rows), columns(of_columns), values(of_rows * of_columns, 0.0) {}
  [[nodiscard]] double* row(std::size_t i) { return values.data() + i * columns; }
  [[nodiscard]] const double* row(std::size_t i) const { return values.data() + i * columns; }
};

Matrix transposed(const Matrix& matrix) {
  Matrix out(matrix.columns, matrix.rows);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t c = 0; c < matrix.columns; ++c) out.row(c)[i] = matrix.row(i)[c];
  }
  return out;
}

/// The matrix in panels of some columns each, row by row, padded with zeros.
std::vector<double> in_panels(const Matrix& matrix) {
  const std::size_t panels = (matrix.columns + panel_columns - 1) / panel_columns;
  std::vector<double> out(panels * matrix.rows * panel_columns, 0.0);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t c = 0; c < matrix.columns; ++c) {
      out[(c / panel_columns * matrix.rows + i) * panel_columns + c % panel_columns] =
          matrix.row(i)[c];
    }
  }
  return out;
}

enum class Shape {
  full,
  symmetric_product,  ///< only the upper half is computed
  upper_right         ///< the right factor is 0 below its diagonal
};

/// Adds the products in the order of the left matrix's columns, whatever the panels are. `left`
/// holds `rows` rows of right.rows numbers.
Matrix product(const double* left, std::size_t rows, const Matrix& right, base::ThreadPool& threads,
               Shape shape = Shape::full) {
  Matrix out(rows, right.columns);
  const auto panels = in_panels(right);
  const std::size_t n = right.rows;
  const auto multiply = [&](int, std::int64_t begin, std::int64_t end) {
    std::array<double, panel_rows * panel_columns> tile;
    for (std::size_t c = 0; c < out.columns; c += panel_columns) {
      const std::size_t columns = std::min(panel_columns, out.columns - c);
      const std::size_t inner = shape == Shape::upper_right ? std::min(n, c + panel_columns) : n;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end);
           i += panel_rows) {
        if (shape == Shape::symmetric_product && c + panel_columns <= i) continue;
        const std::size_t count = std::min(panel_rows, static_cast<std::size_t>(end) - i);
        multiply_panel(left + i * n, n, count, panels.data() + c * n, inner, tile.data());
        for (std::size_t k = 0; k < count; ++k) {
          std::copy_n(tile.data() + k * panel_columns, columns, out.row(i + k) + c);
        }
      }
    }
  };
  constexpr std::int64_t rows_at_once = 32;
  threads.for_blocks(static_cast<std::int64_t>(rows), rows_at_once, multiply);
  return out;
}

Matrix product(const Matrix& left, const Matrix& right, base::ThreadPool& threads,
               Shape shape = Shape::full) {
  return product(left.values.data(), left.rows, right, threads, shape);
}

Matrix product(const SymmetricBlock& block, const Matrix& right, base::ThreadPool& threads) {
  return product(block.matrix.data(), block.size, right, threads);
}

/// to[j] += the sum of factors times rows, from column `first` on.
void add_rows(const Matrix& rows, std::size_t begin, std::span<const double> factors,
              std::size_t first, double* to) {
  std::vector<const double*> pointers;
  for (std::size_t i = 0; i < factors.size(); ++i) pointers.push_back(rows.row(begin + i) + first);
  add_row_multiples<double>(pointers, factors, {to + first, rows.columns - first});
}

/// Replaces the upper half of Q'Q by R with Q'Q = R'R (Cholesky). A column that depends on those
/// before it, up to rounding, gets 0 on the diagonal.
void take_root(Matrix& r) {
  constexpr double dependent = 1e-13;
  std::vector<double> factors;
  for (std::size_t b = 0; b < r.columns; ++b) {
    double* row = r.row(b);
    const double square = row[b];
    factors.clear();
    for (std::size_t a = 0; a < b; ++a) factors.push_back(-r.row(a)[b]);
    add_rows(r, 0, factors, b, row);
    std::fill_n(row, b, 0.0);
    if (!(row[b] > dependent * square) || square == 0) {
      std::fill_n(row, r.columns, 0.0);
      continue;
    }
    const double root = std::sqrt(row[b]);
    for (std::size_t c = b; c < r.columns; ++c) row[c] /= root;
  }
}

/// X of X R = 1, from the last row up; columns with 0 on the diagonal become 0.
Matrix inverse_of_upper(const Matrix& r) {
  Matrix out(r.rows, r.columns);
  std::vector<double> factors;
  for (std::size_t a = r.rows; a-- > 0;) {
    const double* from = r.row(a);
    if (!(from[a] > 0)) continue;
    double* row = out.row(a);
    factors.clear();
    for (std::size_t b = a + 1; b < r.columns; ++b) factors.push_back(-from[b]);
    row[a] = 1;
    add_rows(out, a + 1, factors, a + 1, row);
    for (std::size_t c = a; c < r.columns; ++c) row[c] /= from[a];
  }
  return out;
}

/// Makes the columns nearly orthonormal; dependent ones become 0. The second round removes all but
/// rounding errors (Fukaya and others 2014).
void orthonormalise(Matrix& q, base::ThreadPool& threads) {
  Matrix r = product(transposed(q), q, threads, Shape::symmetric_product);
  take_root(r);
  q = product(q, inverse_of_upper(r), threads, Shape::upper_right);
}

/// The columns of a Cholesky factor of the blocks; the pivot is the largest remaining variance.
class PivotedColumns {
 public:
  explicit PivotedColumns(const std::vector<SymmetricBlock>& blocks)
      : blocks_(blocks), columns_(blocks.size()), left_(blocks.size()) {
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      for (std::size_t i = 0; i < blocks[b].size; ++i) {
        left_[b].push_back(blocks[b].matrix[i * blocks[b].size + i]);
        trace_ += left_[b].back();
      }
    }
  }

  [[nodiscard]] double trace() const { return trace_; }

  void take(std::size_t count) {
    for (std::size_t k = 0; k < count && remaining() > negligible * trace_; ++k) take_one();
  }

  /// The columns of one block, row by row.
  [[nodiscard]] Matrix of(std::size_t block) const {
    Matrix out(blocks_[block].size, columns_[block].size());
    for (std::size_t c = 0; c < out.columns; ++c) {
      for (std::size_t i = 0; i < out.rows; ++i) out.row(i)[c] = columns_[block][c][i];
    }
    return out;
  }

 private:
  [[nodiscard]] double remaining() const {
    double sum = 0;
    for (const auto& block : left_) {
      for (const double left : block) sum += left;
    }
    return sum;
  }

  void take_one() {
    std::size_t block = 0;
    std::size_t pivot = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      for (std::size_t i = 0; i < left_[b].size(); ++i) {
        if (left_[b][i] <= left_[block][pivot]) continue;
        block = b;
        pivot = i;
      }
    }
    const auto& from = blocks_[block];
    const double* begin = from.matrix.data() + pivot * from.size;
    std::vector<double> column(begin, begin + from.size);
    std::vector<const double*> earlier;
    std::vector<double> factors;
    for (const auto& one : columns_[block]) {
      earlier.push_back(one.data());
      factors.push_back(-one[pivot]);
    }
    add_row_multiples<double>(earlier, factors, column);
    const double root = std::sqrt(left_[block][pivot]);
    for (std::size_t i = 0; i < from.size; ++i) {
      column[i] /= root;
      left_[block][i] = std::max(left_[block][i] - column[i] * column[i], 0.0);
    }
    left_[block][pivot] = 0;
    columns_[block].push_back(std::move(column));
  }

  const std::vector<SymmetricBlock>& blocks_;
  std::vector<std::vector<std::vector<double>>> columns_;
  std::vector<std::vector<double>> left_;  // remaining variance of each diagonal entry
  double trace_ = 0;
};

/// Rotates each basis to the eigenvectors within it, and keeps the `count` largest eigenvalues of
/// all blocks (Rayleigh-Ritz).
void keep_leading(const std::vector<SymmetricBlock>& blocks, std::size_t count,
                  std::vector<Matrix>& bases, base::ThreadPool& threads) {
  struct Found {
    double value;
    std::size_t block;
    std::size_t vector;
  };
  std::vector<Found> found;
  std::vector<Eigensystem> systems;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Matrix& basis = bases[b];
    const Matrix image = product(blocks[b], basis, threads);
    const std::size_t m = basis.columns;
    Matrix within = product(transposed(basis), image, threads, Shape::symmetric_product);
    for (std::size_t p = 0; p < m; ++p) {
      for (std::size_t q = 0; q < p; ++q) within.row(p)[q] = within.row(q)[p];
    }
    systems.push_back(eigensystem(std::move(within.values), m));
    for (std::size_t k = 0; k < m; ++k) found.push_back({systems[b].values[k], b, k});
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Found::value);
  found.resize(std::min(found.size(), count));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::vector<std::size_t> kept;
    for (const Found& one : found) {
      if (one.block == b) kept.push_back(one.vector);
    }
    const std::size_t m = bases[b].columns;
    Matrix vectors(m, kept.size());
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t c = 0; c < kept.size(); ++c) {
        vectors.row(k)[c] = systems[b].vectors[k * m + kept[c]];
      }
    }
    bases[b] = product(bases[b], vectors, threads);
  }
}

}  // namespace

Eigensystem eigensystem(std::vector<double> matrix, std::size_t size) {
  Eigensystem out{{}, std::vector<double>(size * size, 0.0)};
  double diagonal = 0;
  for (std::size_t i = 0; i < size; ++i) {
    out.vectors[i * size + i] = 1;
    diagonal += matrix[i * size + i] * matrix[i * size + i];
  }
  constexpr int max_sweeps = 60;
  constexpr double unit = std::numeric_limits<double>::epsilon();
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    const double beside = square_beside_diagonal(matrix, size);
    if (beside <= unit * unit * (diagonal + beside)) break;
    for (std::size_t p = 0; p + 1 < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        const double pq = matrix[p * size + q];
        if (pq == 0) continue;
        const Rotation by(matrix[p * size + p], matrix[q * size + q], pq);
        for (std::size_t k = 0; k < size; ++k) {
          by.turn(matrix[k * size + p], matrix[k * size + q]);
        }
        for (std::size_t k = 0; k < size; ++k) {
          by.turn(matrix[p * size + k], matrix[q * size + k]);
          by.turn(out.vectors[k * size + p], out.vectors[k * size + q]);
        }
        matrix[p * size + q] = matrix[q * size + p] = 0;
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) out.values.push_back(matrix[i * size + i]);
  return out;
}

LeadingSpace leading_space(const std::vector<SymmetricBlock>& blocks, std::size_t count,
                           base::ThreadPool& threads) {
  const std::size_t spare = count <= max_turned ? std::clamp(count, min_spare, max_spare) : 0;
  const int rounds = count <= max_turned ? many_rounds : few_rounds;
  PivotedColumns pivoted(blocks);
  pivoted.take(count + spare);
  std::vector<Matrix> bases;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    bases.push_back(pivoted.of(b));
    orthonormalise(bases[b], threads);
    for (int round = 0; round < rounds; ++round) {
      bases[b] = product(blocks[b], bases[b], threads);
      orthonormalise(bases[b], threads);
    }
    orthonormalise(bases[b], threads);
  }
  if (spare > 0) keep_leading(blocks, count, bases, threads);
  LeadingSpace space;
  space.trace = pivoted.trace();
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Matrix image = product(blocks[b], bases[b], threads);
    for (std::size_t k = 0; k < image.values.size(); ++k) {
      space.energy += bases[b].values[k] * image.values[k];
    }
    space.parts.push_back({bases[b].columns, std::move(bases[b].values)});
  }
  return space;
}

}  // namespace tacet::numeric
