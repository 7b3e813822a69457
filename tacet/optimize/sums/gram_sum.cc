#include "tacet/optimize/sums/gram_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/numeric/pair_products.h"
#include "tacet/numeric/rounding.h"
#include "tacet/privacy/certifier.h"

namespace tacet::optimize {
namespace {

using privacy::Adjacency;

constexpr int scale = data::Dataset::feature_scale;
// A stored feature is at most feature_scale, whatever the bound of its row's norm
// (Dataset::append), and so is a label here: what 32 bits of a tile rest on.
static_assert(scale <= numeric::largest_paired);
constexpr std::int64_t gram_block = 4096;  // what a worker takes at a time
constexpr std::int64_t gram_tile = 128;
static_assert(gram_tile <= numeric::max_paired_rows);
// A worker's sums are at most this many rows of the matrix at a time: 8 MB.
constexpr std::size_t panel_rows = 256;
constexpr double up = numeric::up_ulps(4);  // of a few roundings

// Bound of one record's contribution in the scaled norm; under replace_one half the distance.
double record_bound(bool labels, Adjacency adjacency) {
  if (adjacency == Adjacency::replace_one) return (labels ? std::sqrt(4.5) : std::sqrt(2.0)) / 2;
  return labels ? std::sqrt(2.0) : 1;
}

// Scales of the blocks in units of the lattice, rows of squared norm at most `square`.
GramNoise scales(double square, bool labels, Adjacency adjacency) {
  const double bound = record_bound(labels, adjacency) * up;
  return {.diagonal = bound * square * up,
          .beside = bound * square * std::sqrt(0.5) * up,
          .labels = labels ? bound * std::sqrt(square) * scale * up : 0};
}

double largest_square(double norm_bound) { return norm_bound * norm_bound * scale * scale; }

/// A record's label as integers of the grid: one number, or the indicator of its class.
void put_label(double label, std::span<std::int16_t> to) {
  std::ranges::fill(to, std::int16_t{0});
  if (!std::isfinite(label)) return;
  if (to.size() == 1) {
    to[0] = static_cast<std::int16_t>(std::lround(std::clamp(label, -1.0, 1.0) * scale));
    return;
  }
  for (std::size_t c = 0; c < to.size(); ++c) {
    if (label == static_cast<double>(c)) to[c] = scale;
  }
}

/// Sums of the products of columns first .. first + count - 1 with all columns from themselves on,
/// labels behind the features, over the records that it is given.
struct PanelSums {
  const data::Dataset& dataset;
  std::size_t features;
  std::size_t extended;  ///< features and labels
  std::size_t stride;
  numeric::Panel panel;

  [[nodiscard]] std::size_t size() const {
    const auto step = numeric::panel_step;
    return (panel.count + step - 1) / step * step * stride;
  }

  void add_dense(std::int64_t begin, std::int64_t end, std::span<std::int64_t> sums) const {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(gram_tile / 2) * stride, 0);
    std::array<const std::int16_t*, gram_tile> rows;
    std::vector<std::int16_t> even(extended - features);
    std::vector<std::int16_t> odd(even.size());
    for (std::int64_t tile = begin; tile < end; tile += gram_tile) {
      const auto count = static_cast<std::size_t>(std::min(gram_tile, end - tile));
      for (std::size_t i = 0; i < count; ++i) {
        rows[i] = dataset.dense_row(tile + static_cast<std::int64_t>(i)).data();
      }
      const std::size_t pairs = (count + 1) / 2;
      const auto used = std::span(words).first(pairs * stride);
      numeric::pair_rows(std::span(rows).first(count), features, used, stride);
      for (std::size_t p = 0; p < pairs && !even.empty(); ++p) {
        const auto row = tile + static_cast<std::int64_t>(2 * p);
        put_label(dataset.label(row), even);
        std::ranges::fill(odd, std::int16_t{0});
        if (row + 1 < end) put_label(dataset.label(row + 1), odd);
        for (std::size_t c = 0; c < even.size(); ++c) {
          used[p * stride + features + c] = numeric::paired(even[c], odd[c]);
        }
      }
      numeric::add_pair_products(used, stride, panel, sums);
    }
  }

  void add_sparse(std::int64_t begin, std::int64_t end, std::span<std::int64_t> sums) const {
    std::vector<std::int16_t> labels(extended - features);
    for (std::int64_t i = begin; i < end; ++i) {
      const auto row = dataset.sparse_row(i);
      put_label(dataset.label(i), labels);
      const auto first = static_cast<std::size_t>(
          std::ranges::lower_bound(row.columns, panel.first) - row.columns.begin());
      for (std::size_t a = first; a < row.columns.size(); ++a) {
        const std::size_t j = row.columns[a] - panel.first;
        if (j >= panel.count) break;
        const std::int64_t value = row.values[a];
        const auto to = sums.subspan(j * stride, stride);
        for (std::size_t b = a; b < row.columns.size(); ++b) {
          to[row.columns[b]] += value * row.values[b];
        }
        for (std::size_t c = 0; c < labels.size(); ++c) to[features + c] += value * labels[c];
      }
    }
  }

  void add(std::int64_t begin, std::int64_t end, std::span<std::int64_t> sums) const {
    if (dataset.sparse()) {
      add_sparse(begin, end, sums);
    } else {
      add_dense(begin, end, sums);
    }
  }

  /// Into the places of the matrix and of the labels.
  void move_to(std::span<const std::int64_t> sums, const GramShape& shape,
               std::span<std::int64_t> values) const {
    for (std::size_t i = 0; i < panel.count; ++i) {
      const std::size_t j = panel.first + i;
      const auto row = sums.subspan(i * stride, stride);
      for (std::size_t k = j; k < extended; ++k) {
        const auto place =
            k < features ? shape.place(static_cast<std::int64_t>(j), static_cast<std::int64_t>(k))
                         : shape.label_place(static_cast<std::int64_t>(j),
                                             static_cast<std::int64_t>(k - features));
        values[place] += row[k];
      }
    }
  }
};

std::vector<std::int64_t> integer_sums(const data::Dataset& dataset, const GramShape& shape,
                                       base::ThreadPool& threads) {
  std::vector<std::int64_t> values(shape.values(), 0);
  const auto features = static_cast<std::size_t>(shape.columns);
  const std::size_t extended = features + static_cast<std::size_t>(shape.outputs);
  const std::size_t stride = numeric::pair_stride(extended);
  for (std::size_t first = 0; first < features; first += panel_rows) {
    const PanelSums work{dataset,
                         features,
                         extended,
                         stride,
                         {first, std::min(panel_rows, features - first), extended}};
    std::vector<std::vector<std::int64_t>> shares(static_cast<std::size_t>(threads.size()));
    threads.for_blocks(dataset.rows(), gram_block,
                       [&](int worker, std::int64_t begin, std::int64_t end) {
                         auto& share = shares[static_cast<std::size_t>(worker)];
                         if (share.empty()) share.resize(work.size(), 0);
                         work.add(begin, end, share);
                       });
    for (const auto& share : shares) {
      if (!share.empty()) work.move_to(share, shape, values);
    }
  }
  return values;
}

}  // namespace

GramNoise gram_noise(double norm_bound, bool labels, Adjacency adjacency) {
  const auto units = scales(largest_square(norm_bound), labels, adjacency);
  constexpr double grid = 1.0 / (scale * scale);
  return {units.diagonal * grid, units.beside * grid, units.labels * grid};
}

double largest_gram_multiplier(double norm_bound, bool labels, Adjacency adjacency) {
  const auto units = scales(largest_square(norm_bound), labels, adjacency);
  return 0x1p32 / std::max(units.diagonal, units.labels) * numeric::amply_down;
}

std::vector<std::int64_t> gram_integers(const data::Dataset& dataset, std::int64_t outputs,
                                        base::ThreadPool& threads) {
  const GramShape shape{dataset.columns(), outputs};
  if (shape.columns > max_gram_columns) {
    throw base::UsageError("a Gram matrix of {} columns; at most {} have room", shape.columns,
                           max_gram_columns);
  }
  return integer_sums(dataset, shape, threads);
}

privacy::WeightedSum certified_gram_sum(std::vector<std::int64_t> integers, const GramShape& shape,
                                        std::int64_t squared_norm_bound, Adjacency adjacency) {
  // The data sets certify each row's squared norm in integers; the rest is arithmetic of the
  // header's table: docs/proofs/gram.md.
  const auto units = scales(static_cast<double>(squared_norm_bound), shape.outputs > 0, adjacency);
  std::vector<privacy::WeightedSum::Block> blocks{
      {static_cast<std::size_t>(shape.columns), units.diagonal}};
  if (shape.columns > 1) blocks.push_back({shape.beside(), units.beside});
  if (shape.outputs > 0) {
    blocks.push_back({static_cast<std::size_t>(shape.columns * shape.outputs), units.labels});
  }
  return privacy::WeightedSum::from_certified(privacy::Certifier::clipped(), std::move(integers),
                                              1.0 / (scale * scale), std::move(blocks), adjacency);
}

privacy::WeightedSum gram_sum(const data::Dataset& dataset, std::int64_t outputs,
                              Adjacency adjacency, base::ThreadPool& threads) {
  return certified_gram_sum(gram_integers(dataset, outputs, threads), {dataset.columns(), outputs},
                            dataset.squared_norm_bound(), adjacency);
}

}  // namespace tacet::optimize
