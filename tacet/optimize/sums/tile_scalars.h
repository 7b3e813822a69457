#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/model/class_weights.h"
#include "tacet/model/loss/loss_parts.h"
#include "tacet/numeric/exp_each.h"
#include "tacet/optimize/sums/clip.h"

/// From the margins of a few records to the integers that their rows are multiplied by: slopes,
/// weights of classes and clipping, many records at a time. The bits are those of one at a time.
namespace tacet::optimize {

/// Records that are handled together: their rows stay in the first cache level.
inline constexpr std::int64_t rows_per_tile = 32;

/// What is known of the records of a tile beside their rows.
struct TileRecords {
  std::array<double, rows_per_tile> labels;
  std::array<double, rows_per_tile> limits;  ///< of a scalar, by the row's norm
  std::array<double, rows_per_tile> scales;  ///< from a slope to units of the row's integers
  std::size_t count = 0;
};

/// A tile's numbers, one row of `rows_per_tile` an output: margins over `grid_scale` in, integer
/// scalars out.
class TileScalars {
 public:
  explicit TileScalars(std::size_t outputs)
      : outputs_(outputs), numbers_(outputs * rows_per_tile), of_record_(outputs) {}

  [[nodiscard]] std::span<double> of_output(std::size_t c, std::size_t count) {
    return std::span(numbers_).subspan(c * rows_per_tile, count);
  }

  template <typename LossType>
  void to_scalars(const LossType& loss, const TileRecords& tile, double grid_scale) {
    if constexpr (requires { LossType::joint; }) {
      if (outputs_ > 1) return joint_scalars(tile, grid_scale);
    }
    for (std::size_t c = 0; c < outputs_; ++c) {
      const auto numbers = of_output(c, tile.count);
      for (double& number : numbers) number *= grid_scale;
      model::slope_each(loss, numbers, outputs_ == 1 ? first(tile.labels, tile) : sides(tile, c));
      for (std::size_t i = 0; i < tile.count; ++i) numbers[i] *= tile.scales[i];
    }
    if (outputs_ == 1) return clamp_each(of_output(0, tile.count), first(tile.limits, tile));
    for (std::size_t i = 0; i < tile.count; ++i) {
      gather(i);
      clamp_scalars(of_record_, static_cast<std::int32_t>(tile.limits[i]));
      scatter(i);
    }
  }

 private:
  using Row = std::array<double, rows_per_tile>;

  static std::span<const double> first(const Row& row, const TileRecords& tile) {
    return std::span(row).first(tile.count);
  }
  // One class against the rest: +1 for records of the class, -1 for others.
  std::span<const double> sides(const TileRecords& tile, std::size_t c) {
    for (std::size_t i = 0; i < tile.count; ++i) {
      sides_[i] = tile.labels[i] == static_cast<double>(c) ? 1.0 : -1.0;
    }
    return first(sides_, tile);
  }
  void gather(std::size_t i) {
    for (std::size_t c = 0; c < outputs_; ++c) of_record_[c] = numbers_[c * rows_per_tile + i];
  }
  void scatter(std::size_t i) {
    for (std::size_t c = 0; c < outputs_; ++c) numbers_[c * rows_per_tile + i] = of_record_[c];
  }
  // The probabilities of the classes, less 1 for the record's own. The largest margin counts as 0,
  // so that the sum is between 1 and their number.
  void joint_scalars(const TileRecords& tile, double grid_scale) {
    for (std::size_t i = 0; i < tile.count; ++i) {
      gather(i);
      const double largest = *std::ranges::max_element(of_record_);
      for (double& number : of_record_) number = (number - largest) * grid_scale;
      numeric::exp_each(of_record_);
      double sum = 0;
      for (const double number : of_record_) sum += number;
      for (std::size_t c = 0; c < outputs_; ++c) {
        const double own = tile.labels[i] == static_cast<double>(c) ? 1 : 0;
        of_record_[c] = (of_record_[c] / sum - own) * tile.scales[i];
      }
      clamp_scalars(of_record_, static_cast<std::int32_t>(tile.limits[i]));
      scatter(i);
    }
  }

  std::size_t outputs_;
  std::vector<double> numbers_;
  std::vector<double> of_record_;
  Row sides_{};
};

}  // namespace tacet::optimize
