#include "tacet/data/encode/curve_map.h"

#include <algorithm>
#include <memory>

#include "tacet/numeric/kernels.h"
#include "tacet/numeric/pair_products.h"

namespace tacet::data {
namespace {

/// Word p of a vector of integers; an odd last integer is paired with zero.
std::uint32_t word(std::span<const std::int16_t> values, std::size_t p) {
  const bool both = 2 * p + 1 < values.size();
  return numeric::paired(values[2 * p], both ? values[2 * p + 1] : std::int16_t{0});
}

}  // namespace

CurveMap::CurveMap(const Curves& curves, const CurveShape& shape)
    : functions_(curves, shape),
      directions_(static_cast<std::size_t>(curves.directions)),
      unit_(static_cast<float>(functions_.unit() / static_cast<double>(Curves::weight_unit))) {
  const auto lines = static_cast<std::size_t>(shape.line_weights());
  const std::size_t pairs = functions_.words();
  if (shape.levels.empty()) {
    const auto even = static_cast<std::size_t>(curves.even);
    add_group(curves, {false, pairs, 0, even});
    add_group(curves, {true, pairs, even, directions_ - even});
  } else {
    add_group(curves, {false, 2 * pairs, 0, directions_});
  }
  line_.resize(lines * directions_);
  for (std::size_t d = 0; d < directions_; ++d) {
    for (std::size_t l = 0; l < lines; ++l) {
      line_[l * directions_ + d] = curves.lines[d * lines + l];
    }
  }
}

void CurveMap::add_group(const Curves& curves, Group group) {
  constexpr std::size_t side_by_side = numeric::paired_columns;
  const std::size_t half = functions_.half();
  const std::size_t halves = group.pairs / functions_.words();
  group.words.assign(group.columns() * group.pairs, 0);
  for (std::size_t d = 0; d < group.directions; ++d) {
    const auto weights = std::span(curves.weights)
                             .subspan((group.first_direction + d) * halves * half, halves * half);
    std::uint32_t* to =
        group.words.data() + d / side_by_side * group.pairs * side_by_side + d % side_by_side;
    for (std::size_t p = 0; p < group.pairs; ++p) {
      const std::size_t of = p / functions_.words();
      to[p * side_by_side] = word(weights.subspan(of * half, half), p % functions_.words());
    }
  }
  groups_.push_back(std::move(group));
}

void CurveMap::take_off_lines(std::span<const CurvePoint> points, std::span<float> out) const {
  std::vector<const float*> parts;  // of the points, one after the other
  std::vector<float> factors;
  std::vector<std::size_t> ends;
  const auto take = [&](std::size_t part, float factor) {
    parts.push_back(line_.data() + part * directions_);
    factors.push_back(-factor);
  };
  for (const CurvePoint& point : points) {
    take(0, 1);
    for (std::size_t k = 0; k < point.numbers.size(); ++k) {
      take(1 + k, static_cast<float>(point.numbers[k]));
    }
    for (const auto level : point.levels) {
      if (level >= 0) take(1 + point.numbers.size() + static_cast<std::size_t>(level), 1);
    }
    ends.push_back(parts.size());
  }
  // this many directions of all parts stay in a cache for all points
  constexpr std::size_t most = 128;
  for (std::size_t first = 0; first < directions_; first += most) {
    const std::size_t size = std::min(most, directions_ - first);
    std::size_t begin = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const std::size_t count = ends[p] - begin;
      numeric::add_row_multiples<float>(std::span(parts).subspan(begin, count),
                                        std::span(factors).subspan(begin, count),
                                        out.subspan(p * directions_ + first, size));
      begin = ends[p];
    }
    for (const float*& part : parts) part += size;
  }
}

void CurveMap::apply(std::span<const CurvePoint> points, std::span<float> out) const {
  if (points.empty()) return;
  constexpr std::size_t together = numeric::paired_vectors;
  const std::size_t half = functions_.words() * together;
  const std::size_t count = (points.size() + together - 1) / together;
  const auto words = std::make_unique_for_overwrite<std::uint32_t[]>(count * 2 * half);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t first = k * together;
    functions_.evaluate(points.subspan(first, std::min(together, points.size() - first)),
                        {words.get() + k * 2 * half, 2 * half});
  }
  const auto sums = std::make_unique_for_overwrite<std::int32_t[]>(
      count * together * (directions_ + numeric::paired_columns));
  std::vector<std::span<const std::uint32_t>> vectors(count);
  for (const Group& group : groups_) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t* first = words.get() + k * 2 * half + (group.odd_alone ? half : 0);
      vectors[k] = {first, group.pairs * together};
    }
    const std::size_t columns = group.columns();
    numeric::multiply_paired(group.words, vectors, {sums.get(), columns * count * together});
    for (std::size_t p = 0; p < points.size(); ++p) {
      float* to = out.data() + p * directions_ + group.first_direction;
      const std::int32_t* from = sums.get() + p * columns;
      for (std::size_t d = 0; d < group.directions; ++d) {
        to[d] = unit_ * static_cast<float>(from[d]);
      }
    }
  }
  take_off_lines(points, out);
}

}  // namespace tacet::data
