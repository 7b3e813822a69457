#include "tacet/numeric/symmetric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

namespace tacet::numeric {
namespace {

// Of the trace: what is left then is no direction worth having.
constexpr double negligible = 1e-4;
// A small space can afford many rounds and spare dimensions, among which the leading eigenvectors
// of all blocks are found. A larger one has nearly all of the trace without them.
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

constexpr std::size_t tile_rows = 4;
constexpr std::size_t tile_columns = 4;

/// Four columns at a time, row by row, with zeros behind the last ones.
std::vector<double> in_panels(const Matrix& matrix) {
  const std::size_t panels = (matrix.columns + tile_columns - 1) / tile_columns;
  std::vector<double> out(panels * matrix.rows * tile_columns, 0.0);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t c = 0; c < matrix.columns; ++c) {
      out[(c / tile_columns * matrix.rows + i) * tile_columns + c % tile_columns] =
          matrix.row(i)[c];
    }
  }
  return out;
}

using Tile = std::array<std::array<double, tile_columns>, tile_rows>;

/// Sums over the block's columns, in their order, whatever the tiles are.
template <std::size_t rows>
void add_products(const double* entries, const double* panel, std::size_t size, Tile& sums) {
  for (std::size_t j = 0; j < size; ++j) {
    const double* from = panel + j * tile_columns;
    for (std::size_t i = 0; i < rows; ++i) {
      const double entry = entries[i * size + j];
      for (std::size_t c = 0; c < tile_columns; ++c) sums[i][c] += entry * from[c];
    }
  }
}

/// out = block * right, for its rows from `begin` to before `end`.
void multiply_rows(const SymmetricBlock& block, const std::vector<double>& panels,
                   std::size_t begin, std::size_t end, Matrix& out) {
  const std::size_t n = block.size;
  for (std::size_t c0 = 0; c0 < out.columns; c0 += tile_columns) {
    const double* panel = panels.data() + c0 * n;
    const std::size_t columns = std::min(tile_columns, out.columns - c0);
    for (std::size_t i0 = begin; i0 < end; i0 += tile_rows) {
      const std::size_t rows = std::min(tile_rows, end - i0);
      const double* entries = block.matrix.data() + i0 * n;
      Tile sums{};
      if (rows == tile_rows) {
        add_products<tile_rows>(entries, panel, n, sums);
        for (std::size_t i = 0; i < rows; ++i) {
          std::copy_n(sums[i].begin(), columns, out.row(i0 + i) + c0);
        }
        continue;
      }
      for (std::size_t i = 0; i < rows; ++i) {
        Tile one{};
        add_products<1>(entries + i * n, panel, n, one);
        std::copy_n(one[0].begin(), columns, out.row(i0 + i) + c0);
      }
    }
  }
}

Matrix product(const SymmetricBlock& block, const Matrix& right, base::ThreadPool& threads) {
  Matrix out(block.size, right.columns);
  const auto panels = in_panels(right);
  constexpr std::int64_t rows_at_once = 32;
  threads.for_blocks(static_cast<std::int64_t>(block.size), rows_at_once,
                     [&](int, std::int64_t begin, std::int64_t end) {
                       multiply_rows(block, panels, static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(end), out);
                     });
  return out;
}

/// The upper triangle R of Q'Q = R'R. A column that depends on those before it, but for rounding
/// errors, has 0 on the diagonal.
Matrix upper_root(const Matrix& q) {
  const std::size_t k = q.columns;
  Matrix r(k, k);
  for (std::size_t i = 0; i < q.rows; ++i) {
    const double* row = q.row(i);
    for (std::size_t a = 0; a < k; ++a) {
      double* to = r.row(a);
      const double factor = row[a];
      for (std::size_t b = a; b < k; ++b) to[b] += factor * row[b];
    }
  }
  std::vector<double> squares(k);
  for (std::size_t a = 0; a < k; ++a) squares[a] = r.row(a)[a];
  constexpr double dependent = 1e-13;
  for (std::size_t a = 0; a < k; ++a) {
    double* row = r.row(a);
    if (!(row[a] > dependent * squares[a]) || squares[a] == 0) {
      std::fill_n(row, k, 0.0);
      continue;
    }
    const double root = std::sqrt(row[a]);
    for (std::size_t b = a; b < k; ++b) row[b] /= root;
    for (std::size_t b = a + 1; b < k; ++b) {
      double* to = r.row(b);
      const double factor = row[b];
      for (std::size_t c = b; c < k; ++c) to[c] -= factor * row[c];
    }
  }
  return r;
}

/// Columns of norm 1, orthogonal to each other; dependent ones become 0.
void orthonormalise(Matrix& q, base::ThreadPool& threads) {
  for (int pass = 0; pass < 2; ++pass) {
    const Matrix r = upper_root(q);
    constexpr std::int64_t rows_at_once = 32;
    threads.for_blocks(static_cast<std::int64_t>(q.rows), rows_at_once,
                       [&](int, std::int64_t begin, std::int64_t end) {
                         for (auto i = begin; i < end; ++i) {
                           double* row = q.row(static_cast<std::size_t>(i));
                           for (std::size_t a = 0; a < q.columns; ++a) {
                             const double* from = r.row(a);
                             row[a] = from[a] > 0 ? row[a] / from[a] : 0;
                             for (std::size_t b = a + 1; b < q.columns; ++b)
                               row[b] -= row[a] * from[b];
                           }
                         }
                       });
  }
}

/// Columns of a Cholesky factor of the blocks, by pivots of largest remaining variance.
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

  /// Those of a block, row by row.
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
    for (const auto& earlier : columns_[block]) {
      const double factor = earlier[pivot];
      for (std::size_t i = 0; i < from.size; ++i) column[i] -= factor * earlier[i];
    }
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
  std::vector<std::vector<double>> left_;  // of each diagonal entry
  double trace_ = 0;
};

/// Turns each basis to the eigenvectors within it, and keeps the `count` of largest eigenvalues of
/// all blocks (Rayleigh, Ritz).
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
    std::vector<double> within(m * m, 0.0);
    for (std::size_t i = 0; i < basis.rows; ++i) {
      for (std::size_t p = 0; p < m; ++p) {
        const double factor = basis.row(i)[p];
        for (std::size_t q = p; q < m; ++q) within[p * m + q] += factor * image.row(i)[q];
      }
    }
    for (std::size_t p = 0; p < m; ++p) {
      for (std::size_t q = 0; q < p; ++q) within[p * m + q] = within[q * m + p];
    }
    systems.push_back(eigensystem(std::move(within), m));
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
    Matrix turned(blocks[b].size, kept.size());
    for (std::size_t i = 0; i < turned.rows; ++i) {
      for (std::size_t c = 0; c < kept.size(); ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < m; ++k) {
          sum += bases[b].row(i)[k] * systems[b].vectors[k * m + kept[c]];
        }
        turned.row(i)[c] = sum;
      }
    }
    bases[b] = std::move(turned);
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
