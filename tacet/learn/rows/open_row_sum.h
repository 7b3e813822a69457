#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/mechanism/noise/row_gaussian.h"
#include "tacet/optimize/sums/row_arena.h"
#include "tacet/optimize/sums/slot_map.h"

namespace tacet::learn {

/// The sum of a step's gradients for a training without protection: neither clipped nor on a grid,
/// on the rows that its records touch. For one thread only, since such sums depend on their order.
/// It reuses its memory from step to step.
class OpenRowSum {
 public:
  explicit OpenRowSum(const privacy::RowLayout& layout)
      : layout_(layout), dense_(static_cast<std::size_t>(layout.dense())) {}

  void start();
  void add(const optimize::RowRecord& record);
  /// The sum, in the form of a release.
  [[nodiscard]] mechanism::NoisyRows take();

 private:
  std::span<double> place_of(std::int64_t row);

  privacy::RowLayout layout_;
  optimize::SlotMap slots_;
  std::vector<std::int64_t> rows_;   // of each slot
  std::vector<std::size_t> firsts_;  // its first number in sums_
  std::vector<double> sums_;
  std::vector<std::size_t> ordered_;  // slots by row
  std::vector<double> dense_;
};

}  // namespace tacet::learn
