#include "tacet/optimize/solver/glm_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/numeric/kernels.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/sums.h"
#include "tacet/optimize/sums/exact_accumulator.h"
#include "tacet/optimize/sums/weight_grid.h"

namespace tacet::optimize {
namespace {

constexpr std::int64_t rows_per_tile = 32;
constexpr std::int64_t rows_per_block = 1024;
constexpr int max_limbs = 2;
constexpr int limb_bits = 26;
// |limb| <= 2^26 and |feature| <= 2^11: 2^15 rows stay below 2^53.
constexpr std::int64_t rows_before_flush = std::int64_t{1} << 15;
constexpr double feature_unit = 1.0 / data::Dataset::feature_scale;
using numeric::norm;
using numeric::unit_roundoff;

// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer for |x| < 2^51.
double nearest(double x) {
  constexpr double shift = 0x1.8p52;
  return (x + shift) - shift;
}

// The weights as a sum of one or two vectors of integers, each with its unit.
struct SplitWeights {
  std::array<GridWeights, max_limbs> limbs;
  double rest = 0;  // bound of the norm of what the split leaves out
};

SplitWeights split(std::span<const double> weights, int count, double norm_bound) {
  SplitWeights result;
  std::vector<double> rest(weights.begin(), weights.end());
  const double root = std::sqrt(static_cast<double>(weights.size()));
  for (int k = 0; k < count; ++k) {
    auto& limb = result.limbs[static_cast<std::size_t>(k)];
    limb = to_grid(rest, norm_bound);
    const double unit = limb.scale * data::Dataset::feature_scale;
    // Exact: the difference is a multiple of the weight's last bit and smaller than the weight.
    for (std::size_t j = 0; j < rest.size(); ++j) rest[j] -= limb.integers[j] * unit;
    bool clean = true;
    for (const double value : rest) clean = clean && value == 0;
    result.rest = clean ? 0 : 0.5 * unit * root;
  }
  return result;
}

// How a factor with |factor| <= bound is cut into integers.
struct FactorGrid {
  double unit;  // of the first limb; the second one's is unit / 2^26

  static FactorGrid for_bound(double bound, std::int64_t rows) {
    // Sums of 64-bit integers must not overflow: fewer bits for more than 2^25 records.
    const auto row_bits = static_cast<int>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(1, rows))));
    const int bits = std::min(limb_bits, 51 - row_bits);
    return {std::ldexp(1.0, std::ilogb(std::max(bound, 1e-290)) + 1 - bits)};
  }
};

void sparse_add(double factor, const data::SparseRow& row, double* sums) {
  if (factor == 0) return;
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    sums[row.columns[k]] += factor * row.values[k];
  }
}

using DenseRows = std::span<const std::int16_t* const>;

/// The products of a tile's records, `rows` of them where they are dense, with integer weights.
void tile_dots(const data::Dataset& dataset, std::int64_t tile, DenseRows rows,
               std::span<const double> weights, std::span<double> numbers) {
  if (!dataset.sparse()) return numeric::exact_dots(rows, weights, numbers);
  std::array<numeric::SparseIntegers, rows_per_tile> entries;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto row = dataset.sparse_row(tile + static_cast<std::int64_t>(i));
    entries[i] = {row.columns, row.values};
  }
  numeric::exact_sparse_dots(std::span(entries).first(numbers.size()), weights, numbers);
}

/// Adds a tile's records, each times its factor.
void add_tile(const data::Dataset& dataset, std::int64_t tile, DenseRows rows,
              std::span<const double> factors, std::span<double> target) {
  if (!dataset.sparse()) return numeric::add_exact_multiples(rows, factors, target);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    sparse_add(factors[i], dataset.sparse_row(tile + static_cast<std::int64_t>(i)), target.data());
  }
}

}  // namespace

GlmSums::GlmSums(const data::Dataset& dataset, const GlmLoss& loss, RowRange rows,
                 base::ThreadPool& threads)
    : dataset_(dataset), loss_(loss), rows_(rows), threads_(threads) {
  if (rows.first < 0 || rows.last < rows.first || rows.last > dataset.rows()) {
    throw base::InternalError("a range of records lies outside of the data set");
  }
}

std::size_t GlmSums::columns() const { return static_cast<std::size_t>(dataset_.columns()); }

double GlmSums::smoothness() const {
  return static_cast<double>(rows()) * loss_.curvature_bound() * dataset_.norm_bound() *
         dataset_.norm_bound() * (1 + 8 * unit_roundoff);
}

// sums = sum_i factor(i, <weights, x_i>) x_i over the range, factors cut to `limbs` integers.
// Losses are told apart once a tile, so that this is compiled once for all of them.
void GlmSums::pass(std::span<const double> weights, int limbs, double factor_bound,
                   const Factors& factor, std::span<double> sums) const {
  const SplitWeights grid = split(weights, limbs, dataset_.norm_bound());
  const FactorGrid factors = FactorGrid::for_bound(factor_bound, rows());
  const double per_unit = 1 / factors.unit;
  constexpr double second = 1 << limb_bits;
  const auto columns = weights.size();

  const auto add = [&](std::int64_t begin, std::int64_t end, ExactAccumulator& sum) {
    std::array<const std::int16_t*, rows_per_tile> pointers;
    std::array<std::array<double, rows_per_tile>, max_limbs> numbers;
    std::array<double, rows_per_tile> of_records;
    for (std::int64_t tile = begin; tile < end; tile += rows_per_tile) {
      const auto count = static_cast<std::size_t>(std::min(rows_per_tile, end - tile));
      const std::span rows(pointers.data(), count);
      if (!dataset_.sparse()) {
        for (std::size_t i = 0; i < count; ++i) {
          pointers[i] = dataset_.dense_row(tile + static_cast<std::int64_t>(i)).data();
        }
      }
      for (int limb = 0; limb < limbs; ++limb) {
        const auto place = static_cast<std::size_t>(limb);
        tile_dots(dataset_, tile, rows, grid.limbs[place].integers,
                  std::span(numbers[place]).first(count));
      }
      for (std::size_t i = 0; i < count; ++i) {
        of_records[i] = numbers[0][i] * grid.limbs[0].scale;
        if (limbs > 1) of_records[i] += numbers[1][i] * grid.limbs[1].scale;
      }
      factor(tile, std::span(of_records).first(count));
      for (std::size_t i = 0; i < count; ++i) {
        const double scaled = of_records[i] * per_unit;
        numbers[0][i] = nearest(scaled);
        if (limbs > 1) numbers[1][i] = nearest((scaled - numbers[0][i]) * second);
      }
      const auto room = sum.reserve(static_cast<std::int64_t>(count));
      for (int limb = 0; limb < limbs; ++limb) {
        const auto place = static_cast<std::size_t>(limb);
        add_tile(dataset_, tile, rows, std::span(numbers[place]).first(count),
                 room.subspan(columns * place, columns));
      }
    }
  };

  std::vector<std::int64_t> total(columns * static_cast<std::size_t>(limbs), 0);
  add_exactly(total, threads_, {rows(), rows_per_block}, {total.size(), rows_before_flush},
              [&](std::int64_t begin, std::int64_t end, ExactAccumulator& sum) {
                add(rows_.first + begin, rows_.first + end, sum);
              });
  const double unit = factors.unit * feature_unit;
  for (std::size_t j = 0; j < columns; ++j) {
    sums[j] = static_cast<double>(total[j]) * unit;
    if (limbs > 1) sums[j] += static_cast<double>(total[columns + j]) * (unit / second);
  }
}

CertifiedGradient GlmSums::gradient(std::span<const double> weights, Precision precision,
                                    std::vector<double>* curvatures) const {
  const int limbs = precision == Precision::coarse ? 1 : 2;
  const double reach = norm(weights) * dataset_.norm_bound() * (1 + 0x1p-30);  // of predictions
  const double curvature = loss_.curvature_bound();
  const double slope = std::isfinite(loss_.slope_bound())
                           ? loss_.slope_bound()
                           : std::fabs(loss_.curvature_bound()) * (reach + 1);
  CertifiedGradient result;
  result.sum.resize(columns());
  if (curvatures != nullptr) curvatures->resize(static_cast<std::size_t>(rows()));
  loss_.with_slopes([&](const auto& slope_of) {
    pass(
        weights, limbs, slope,
        [&](std::int64_t first, std::span<double> numbers) {
          for (double& number : numbers) {
            const auto point = slope_of(number, loss_.sanitised(dataset_.label(first)));
            if (curvatures != nullptr) {
              (*curvatures)[static_cast<std::size_t>(first - rows_.first)] = point.curvature;
            }
            number = point.slope;
            ++first;
          }
        },
        result.sum);
  });
  // Per record: the split weights, the prediction's rounding and the slope's formula; the last bit
  // of the cut slope. Then the conversion of the sums.
  const double unit =
      FactorGrid::for_bound(slope, rows()).unit * (limbs > 1 ? std::ldexp(0.5, -limb_bits) : 0.5);
  const double rest = split(weights, limbs, dataset_.norm_bound()).rest * dataset_.norm_bound();
  const double per_record =
      curvature * rest + loss_.slope_rounding() * (slope + curvature * (1 + reach)) + unit;
  result.error = (static_cast<double>(rows()) * per_record * dataset_.norm_bound() +
                  4 * unit_roundoff * norm(result.sum)) *
                 (1 + 0x1p-30);
  return result;
}

std::vector<double> GlmSums::curved(std::span<const double> v,
                                    std::span<const double> curvatures) const {
  std::vector<double> sum(columns());
  const double reach = norm(v) * dataset_.norm_bound() * (1 + 0x1p-20);
  if (reach == 0) return sum;
  pass(
      v, 1, reach * loss_.curvature_bound() * (1 + 0x1p-20),
      [&](std::int64_t first, std::span<double> products) {
        for (double& product : products) {
          product = curvatures[static_cast<std::size_t>(first++ - rows_.first)] * product;
        }
      },
      sum);
  return sum;
}

// visit(columns, values as doubles, count) of one record's non-zero features.
template <typename Visit>
void GlmSums::for_entries(std::int64_t row, const Visit& visit) const {
  if (dataset_.sparse()) {
    const auto entries = dataset_.sparse_row(row);
    visit(entries.columns, entries.values);
    return;
  }
  thread_local std::vector<std::uint32_t> places;
  thread_local std::vector<std::int16_t> values;
  const auto dense = dataset_.dense_row(row);
  places.resize(dense.size());
  values.resize(dense.size());
  std::size_t count = 0;
  for (std::size_t j = 0; j < dense.size(); ++j) {
    places[count] = static_cast<std::uint32_t>(j);
    values[count] = dense[j];
    count += static_cast<std::size_t>(dense[j] != 0);
  }
  visit(std::span<const std::uint32_t>(places).first(count),
        std::span<const std::int16_t>(values).first(count));
}

namespace {
// The records are summed in this many parts, whatever the number of threads, so that the order of
// the additions never changes.
constexpr std::size_t part_count = 8;
constexpr std::int64_t parts = part_count;
}  // namespace

Eigen::MatrixXd GlmSums::hessian(std::span<const double> curvatures, std::int64_t max_rows) const {
  const auto width = static_cast<Eigen::Index>(columns());
  std::array<std::int64_t, part_count + 1> curved{};  // records before each part that bend
  for (std::int64_t part = 0; part < parts; ++part) {
    const auto begin = curvatures.begin() + rows() * part / parts;
    const auto end = curvatures.begin() + rows() * (part + 1) / parts;
    const auto flat = std::count(begin, end, 0.0);
    const auto at = static_cast<std::size_t>(part);
    curved[at + 1] = curved[at] + (end - begin) - flat;
  }
  const std::int64_t stride = (curved[part_count] - 1) / max_rows + 1;
  std::vector<Eigen::MatrixXd> sums(part_count);
  threads_.for_blocks(parts, 1, [&](int, std::int64_t part, std::int64_t) {
    auto& sum = sums[static_cast<std::size_t>(part)];
    sum = Eigen::MatrixXd::Zero(width, width);
    double* const data = sum.data();
    std::int64_t seen = curved[static_cast<std::size_t>(part)];
    for (auto i = rows() * part / parts; i < rows() * (part + 1) / parts; ++i) {
      const double scaled = curvatures[static_cast<std::size_t>(i)] * feature_unit * feature_unit;
      if (scaled == 0 || seen++ % stride != 0) continue;
      for_entries(rows_.first + i, [&](auto places, auto values) {
        for (std::size_t a = 0; a < places.size(); ++a) {
          double* const column = data + std::size_t{places[a]} * columns();
          const double side = scaled * values[a];
          for (std::size_t b = a; b < places.size(); ++b) column[places[b]] += side * values[b];
        }
      });
    }
  });
  for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
  if (stride > 1) sums[0] *= static_cast<double>(stride);
  return std::move(sums[0]);
}

std::vector<double> GlmSums::hessian_diagonal(std::span<const double> curvatures) const {
  std::vector<std::vector<double>> sums(part_count, std::vector<double>(columns(), 0.0));
  threads_.for_blocks(parts, 1, [&](int, std::int64_t part, std::int64_t) {
    auto& sum = sums[static_cast<std::size_t>(part)];
    for (auto i = rows() * part / parts; i < rows() * (part + 1) / parts; ++i) {
      const double scaled = curvatures[static_cast<std::size_t>(i)] * feature_unit * feature_unit;
      for_entries(rows_.first + i, [&](auto places, auto values) {
        for (std::size_t k = 0; k < places.size(); ++k) {
          sum[places[k]] += scaled * values[k] * values[k];
        }
      });
    }
  });
  for (std::size_t part = 1; part < sums.size(); ++part) {
    for (std::size_t j = 0; j < columns(); ++j) sums[0][j] += sums[part][j];
  }
  return std::move(sums[0]);
}

GlmSums::Work GlmSums::work() const {
  constexpr std::int64_t enough_rows = 4096;
  const std::int64_t stride = rows() / enough_rows + 1;
  Work total;
  for (std::int64_t i = rows_.first; i < rows_.last; i += stride) {
    for_entries(i, [&](auto places, auto) {
      const auto count = static_cast<double>(places.size() * static_cast<std::size_t>(stride));
      total.entries += count;
      total.products += count * static_cast<double>(places.size() + 1) / 2;
    });
  }
  return total;
}

}  // namespace tacet::optimize
