#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/privacy/certified.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::privacy {

/// A sum over records of integer vectors in blocks of different scale, as a Gram matrix beside a
/// vector: sums of neighbours differ by at most distance_factor(adjacency) in the norm
/// sqrt(sum over the blocks of |block|^2 / scale^2). Noise of standard deviation z times its own
/// scale in every block therefore costs what one release of multiplier z does. Its values are
/// private.
class WeightedSum {
 public:
  /// Consecutive values of one scale, in grid units: positive and finite.
  struct Block {
    std::size_t count;
    double scale;
  };

  /// Only the code that takes records (the optimize module) may state this; the check of floors
  /// enforces it. Certified for `adjacency`: under replace_one for that alone, since two records
  /// may then lie closer than their lengths allow; otherwise for every adjacency. UsageError for a
  /// grid or a scale that is not positive and finite, InternalError unless the blocks cover the
  /// values.
  [[nodiscard]] static WeightedSum from_certified(Certified proof, std::vector<std::int64_t> values,
                                                  double grid, std::vector<Block> blocks,
                                                  Adjacency adjacency);

  /// Whether the bound holds between neighbours of `adjacency`.
  [[nodiscard]] bool covers(Adjacency adjacency) const {
    return adjacency_ != Adjacency::replace_one || adjacency == Adjacency::replace_one;
  }
  [[nodiscard]] double grid() const { return grid_; }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  [[nodiscard]] std::size_t size() const { return values_.size(); }

  [[nodiscard]] std::span<const std::int64_t> open(AccessKey /*key*/) const { return values_; }
  /// Hands the values over; the sum is empty afterwards.
  [[nodiscard]] std::vector<std::int64_t> take(AccessKey /*key*/) && { return std::move(values_); }

 private:
  WeightedSum(std::vector<std::int64_t> values, double grid, std::vector<Block> blocks,
              Adjacency adjacency)
      : values_(std::move(values)),
        grid_(grid),
        blocks_(std::move(blocks)),
        adjacency_(adjacency) {}

  std::vector<std::int64_t> values_;
  double grid_;
  std::vector<Block> blocks_;
  Adjacency adjacency_;
};

}  // namespace tacet::privacy
