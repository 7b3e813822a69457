#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacet/model/wide/wide_shape.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::model {

/// What a wide model's numbers are before training, from public facts alone: each is a function of
/// the seed and its place, so that a row need not be stored before it is trained.
///
/// Vectors are uniform with mean square 1 / (16 width): four times as long, their random sums are
/// much of what noisy training must undo (Brown's sentences, lines of plays). Weights of the linear
/// part and biases are 0, weights of hidden layers uniform with mean square 2 / inputs (He and
/// others 2015), those of the output with 1 / inputs. Of two towers, vectors have mean square
/// 1 / (4 width).
class WideStart {
 public:
  WideStart(const WideShape& shape, std::uint64_t seed);

  /// A row of the layout, as wide as its table.
  void write_row(std::int64_t row, std::span<float> out) const;
  [[nodiscard]] std::vector<float> block() const;

 private:
  [[nodiscard]] double uniform(std::int64_t row, std::int64_t place) const;

  WideShape shape_;
  privacy::RowLayout layout_;
  std::uint64_t seed_;
};

}  // namespace tacet::model
