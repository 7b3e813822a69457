#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "tacet/data/dataset.h"
#include "tacet/model/class_weights.h"
#include "tacet/model/loss/loss.h"
#include "tacet/numeric/short_sums.h"
#include "tacet/optimize/sums/tile_scalars.h"
#include "tacet/optimize/sums/weight_grid.h"

/// One pass of GradientSum over records: which rows, and what is known of all of them.
namespace tacet::optimize::internal {

constexpr std::int64_t gradient_rows_per_block = 2048;  ///< what a worker takes at a time

struct AllRows {
  std::int64_t count;
  [[nodiscard]] std::int64_t size() const { return count; }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const { return i; }
};

struct ListedRows {
  std::span<const std::int64_t> rows;
  [[nodiscard]] std::int64_t size() const { return std::ssize(rows); }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const {
    return rows[static_cast<std::size_t>(i)];
  }
};

/// Either of them: what reads through it is compiled once, for a step that is not worth two.
struct AnyRows {
  const std::int64_t* listed;  // null: all
  std::int64_t count;

  explicit AnyRows(const AllRows& all) : listed(nullptr), count(all.count) {}
  explicit AnyRows(const ListedRows& list) : listed(list.rows.data()), count(list.size()) {}
  [[nodiscard]] std::int64_t size() const { return count; }
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const {
    return listed == nullptr ? i : listed[i];
  }
};

/// The rows of a tile as they are stored, a pointer each.
using TilePointers = std::array<const std::int16_t*, rows_per_tile>;

/// Finds the rows of the tile that begins at `tile`, as far as there are any before `end`, and asks
/// memory for the `bytes` of each: so that they come while the tile before is worked on.
template <typename RowOf>
void fetch_tile(std::int64_t tile, std::int64_t end, std::size_t bytes, const RowOf& row_of,
                TilePointers& rows) {
  constexpr std::size_t line = 64;
  constexpr int into_second_cache = 2;
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(end - tile, 0, rows_per_tile));
  for (std::size_t i = 0; i < count; ++i) {
    rows[i] = row_of(tile + static_cast<std::int64_t>(i));
    const auto* byte = reinterpret_cast<const char*>(rows[i]);
    for (std::size_t at = 0; at < bytes; at += line) {
      __builtin_prefetch(byte + at, 0, into_second_cache);
    }
  }
}

/// What every worker reads during one pass.
struct GradientPass {
  const data::Dataset& dataset;
  const model::Loss& loss;
  std::span<const double> weights;  // integers, or real ones that `grid` rounds where they are read
  WeightGrid grid;
  std::size_t outputs;
  std::size_t columns;
  bool rounds;    // whether the weights are real ones
  double factor;  // real slope to grid units of the row's integers
  std::span<const std::int32_t> bounds;
  const model::ClassWeights& weights_of_classes;
  std::span<const numeric::ShortWeights> pieces;  // of each output, where dense rows allow it

  [[nodiscard]] std::span<const double> output(std::size_t c) const {
    return weights.subspan(c * columns, columns);
  }

  template <typename RowList>
  void describe(const RowList& list, std::int64_t begin, TileRecords& tile) const {
    for (std::size_t i = 0; i < tile.count; ++i) {
      const auto row = list[begin + static_cast<std::int64_t>(i)];
      tile.labels[i] = dataset.label(row);
      tile.limits[i] = bounds[static_cast<std::size_t>(row)];
      tile.scales[i] = factor;
    }
    if (weights_of_classes.uniform()) return;
    for (std::size_t i = 0; i < tile.count; ++i) {
      tile.scales[i] = factor * weights_of_classes.of(tile.labels[i]);
    }
  }

  // The only step that knows the loss, chosen once a tile: loops over rows are compiled once for
  // all.
  void to_scalars(const TileRecords& tile, TileScalars& scalars) const {
    std::visit([&](const auto& of) { scalars.to_scalars(of, tile, grid.scale); }, loss);
  }
};

}  // namespace tacet::optimize::internal
