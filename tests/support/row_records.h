#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tacet/base/threads.h"
#include "tacet/optimize/sums/row_sum.h"

namespace tacet::test {

/// A record's gradient as a test states it: rows may occur several times.
struct RowGradient {
  std::vector<std::pair<std::int64_t, std::vector<double>>> touches;
  std::vector<double> dense;
  std::int64_t unit = -1;
};

/// Without its end.
inline void write_open(optimize::RowArena& arena, const RowGradient& record) {
  arena.start(record.unit);
  for (const auto& [row, values] : record.touches) {
    const auto target = arena.row(row);
    for (std::size_t j = 0; j < target.size(); ++j) target[j] += values[j];
  }
  const auto dense = arena.dense();
  for (std::size_t j = 0; j < record.dense.size(); ++j) dense[j] += record.dense[j];
}

inline void write_record(optimize::RowArena& arena, const RowGradient& record) {
  write_open(arena, record);
  arena.finish();
}

/// The records dealt out to the arenas in turn.
inline void fill(optimize::RowBatch& batch, std::span<const RowGradient> records, int arenas = 1,
                 const privacy::Sample& sample = privacy::Sample::all()) {
  batch.start(sample);
  for (std::size_t i = 0; i < records.size(); ++i) {
    write_record(batch.arena(static_cast<int>(i) % arenas), records[i]);
  }
}

/// Gradients of all kinds, the ones that nobody expects among them.
class RowRecordMaker {
 public:
  RowRecordMaker(const privacy::RowLayout& layout, std::uint64_t seed)
      : layout_(layout), state_(seed) {}

  std::uint64_t below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % n;
  }
  double number() { return static_cast<double>(below(2001)) / 1000 - 1; }

  RowGradient record() {
    RowGradient made;
    const double scale = std::ldexp(1.0, static_cast<int>(below(12)) - 8);
    const std::uint64_t touches = below(7);
    for (std::uint64_t t = 0; t < touches; ++t) {
      const auto row = static_cast<std::int64_t>(below(static_cast<std::uint64_t>(layout_.rows())));
      made.touches.emplace_back(row, numbers(layout_.width(row), scale));
    }
    made.dense = numbers(layout_.dense(), below(4) == 0 ? 0 : scale);
    if (below(3) == 0) spoil(made);
    return made;
  }
  std::vector<RowGradient> records(std::size_t count) {
    std::vector<RowGradient> made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(record());
    return made;
  }

 private:
  std::vector<double> numbers(std::int64_t count, double scale) {
    std::vector<double> made;
    for (std::int64_t j = 0; j < count; ++j) made.push_back(scale * number());
    return made;
  }
  void spoil(RowGradient& record) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const std::vector<double> odd{NAN,    inf,    -inf,   1.7e308, -1e300, 1e160,
                                  1e-310, 5e-324, 1e-160, -0.0,    0x1p26, 1};
    const double value = odd[below(odd.size())];
    if (record.touches.empty() || below(4) == 0) {
      for (auto& number : record.dense) number = value;
    } else if (below(2) == 0) {
      for (auto& [row, values] : record.touches) values.assign(values.size(), value);
    } else {
      record.touches[below(record.touches.size())].second[0] = value;
    }
  }

  const privacy::RowLayout& layout_;
  std::uint64_t state_;
};

}  // namespace tacet::test
