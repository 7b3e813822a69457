#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/base/machine.h"
#include "tacet/base/threads.h"
#include "tacet/numeric/truncate.h"

namespace tacet::optimize {

/// A worker's share of a sum of integers: exact in doubles for a while, then moved to 64-bit ones.
class ExactAccumulator {
 public:
  /// After `rows_before_flush` contributions every coordinate is still below 2^53.
  ExactAccumulator(std::size_t size, std::int64_t rows_before_flush)
      : exact_(size, 0.0), rows_before_flush_(rows_before_flush) {}

  /// Room for `rows` more contributions.
  std::span<double> reserve(std::int64_t rows) {
    if (rows_ + rows > rows_before_flush_) flush();
    rows_ += rows;
    return exact_;
  }
  /// As after construction; the memory stays.
  void restart(std::size_t size) {
    exact_.assign(size, 0.0);
    total_.clear();
    rows_ = 0;
  }
  [[nodiscard]] std::size_t size() const { return exact_.size(); }
  /// Coordinates more, which nothing was added to.
  void grow(std::size_t size) { exact_.resize(size, 0.0); }
  /// Adds the coordinates from `first` on to `sum`.
  void add_to(std::span<std::int64_t> sum, std::size_t first = 0) const {
    numeric::add_integers(std::span(exact_).subspan(first, sum.size()), sum);
    const std::size_t moved = total_.size() > first ? total_.size() - first : 0;
    for (std::size_t j = 0; j < std::min(moved, sum.size()); ++j) sum[j] += total_[first + j];
  }

 private:
  void flush() {
    total_.resize(exact_.size(), 0);
    numeric::add_integers(exact_, total_);
    std::ranges::fill(exact_, 0.0);
    rows_ = 0;
  }

  std::vector<double> exact_;
  std::vector<std::int64_t> total_;  // empty until the first flush: many sums need none
  std::int64_t rows_before_flush_;
  std::int64_t rows_ = 0;
};

/// What a pass reads, and how much of it a worker takes at a time.
struct PassRows {
  std::int64_t count;
  std::int64_t block;
};

/// Adds to `total` what add(begin, end, accumulator) puts into accumulators like `sum`, which is
/// empty, over blocks that cover all rows: the same for any number of threads, being exact.
template <typename Add>
void add_exactly(std::span<std::int64_t> total, base::ThreadPool& threads, const PassRows& rows,
                 ExactAccumulator sum, const Add& add) {
  if (threads.size() == 1 || rows.count <= rows.block) {
    add(0, rows.count, sum);
    return sum.add_to(total);
  }
  std::vector<ExactAccumulator> shares(static_cast<std::size_t>(threads.size()), sum);
  threads.for_blocks(rows.count, rows.block, [&](int worker, std::int64_t begin, std::int64_t end) {
    add(begin, end, shares[static_cast<std::size_t>(worker)]);
  });
  for (auto& share : shares) share.add_to(total);
}

/// The same for sums that rows touch in few places: add(begin, end, integers) adds to 64-bit ones
/// at once, so that a worker holds one array, and a single one `total` itself.
template <typename Add>
void add_in_place(std::span<std::int64_t> total, base::ThreadPool& threads, const PassRows& rows,
                  const Add& add) {
  if (threads.size() == 1 || rows.count <= rows.block) return add(0, rows.count, total);
  std::vector<std::vector<std::int64_t>> shares(static_cast<std::size_t>(threads.size()));
  for (std::size_t worker = 1; worker < shares.size(); ++worker) {
    shares[worker] = base::large_array<std::int64_t>(total.size());
  }
  threads.for_blocks(rows.count, rows.block, [&](int worker, std::int64_t begin, std::int64_t end) {
    add(begin, end, worker == 0 ? total : std::span(shares[static_cast<std::size_t>(worker)]));
  });
  for (std::size_t worker = 1; worker < shares.size(); ++worker) {
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += shares[worker][j];
  }
}

}  // namespace tacet::optimize
