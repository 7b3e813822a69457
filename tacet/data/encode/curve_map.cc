#include "tacet/data/encode/curve_map.h"

#include <algorithm>
#include <array>

namespace tacet::data {

CurveMap::CurveMap(const Curves& curves, const CurveShape& shape)
    : functions_(curves, shape), directions_(static_cast<std::size_t>(curves.directions)) {
  const auto functions = static_cast<std::size_t>(shape.function_weights(curves));
  const auto lines = static_cast<std::size_t>(shape.line_weights());
  if (shape.levels.empty()) {
    const auto even = static_cast<std::size_t>(curves.even);
    add_group(curves, {0, functions, 0, even, {}});
    add_group(curves, {functions, functions, even, directions_ - even, {}});
  } else {
    add_group(curves, {0, functions, 0, directions_, {}});
  }
  line_.resize(lines * directions_);
  for (std::size_t d = 0; d < directions_; ++d) {
    const float* from = curves.map.data() + d * (functions + lines) + functions;
    for (std::size_t l = 0; l < lines; ++l) line_[l * directions_ + d] = from[l];
  }
}

void CurveMap::add_group(const Curves& curves, Group group) {
  const std::size_t panels = (group.directions + panel - 1) / panel;
  const std::size_t stride =
      group.functions + static_cast<std::size_t>(functions_.shape().line_weights());
  group.weights.assign(panels * group.functions * panel, 0.0F);
  for (std::size_t d = 0; d < group.directions; ++d) {
    const float* from = curves.map.data() + (group.first_direction + d) * stride;
    float* to = group.weights.data() + d / panel * group.functions * panel + d % panel;
    for (std::size_t i = 0; i < group.functions; ++i) to[i * panel] = from[i];
  }
  groups_.push_back(std::move(group));
}

void CurveMap::take_off_line(const CurvePoint& point, std::span<float> out) const {
  const auto take = [&](std::size_t part, float factor) {
    const float* line = line_.data() + part * directions_;
    for (std::size_t d = 0; d < directions_; ++d) out[d] -= factor * line[d];
  };
  take(0, 1);
  for (std::size_t k = 0; k < point.numbers.size(); ++k) {
    take(1 + k, static_cast<float>(point.numbers[k]));
  }
  for (const auto level : point.levels) {
    if (level >= 0) take(1 + point.numbers.size() + static_cast<std::size_t>(level), 1);
  }
}

void CurveMap::apply(std::span<const CurvePoint> points, std::span<float> out) const {
  const std::size_t all = 2 * functions_.half();
  std::vector<double> values(all);
  std::vector<float> side_by_side(all * points_at_once, 0.0F);
  for (std::size_t p = 0; p < points.size(); ++p) {
    functions_.evaluate(points[p], values);
    for (std::size_t i = 0; i < all; ++i) {
      side_by_side[i * points_at_once + p] = static_cast<float>(values[i]);
    }
  }
  for (const Group& group : groups_) {
    const float* from = side_by_side.data() + group.first_function * points_at_once;
    for (std::size_t first = 0; first < group.directions; first += panel) {
      const float* weights = group.weights.data() + first * group.functions;
      std::array<std::array<float, panel>, points_at_once> sums{};
      for (std::size_t i = 0; i < group.functions; ++i) {
        for (std::size_t p = 0; p < points_at_once; ++p) {
          const float value = from[i * points_at_once + p];
          for (std::size_t d = 0; d < panel; ++d) sums[p][d] += value * weights[i * panel + d];
        }
      }
      const std::size_t count = std::min(panel, group.directions - first);
      for (std::size_t p = 0; p < points.size(); ++p) {
        std::copy_n(sums[p].begin(), count,
                    out.begin() + static_cast<std::ptrdiff_t>(p * directions_ +
                                                              group.first_direction + first));
      }
    }
  }
  for (std::size_t p = 0; p < points.size(); ++p) {
    take_off_line(points[p], out.subspan(p * directions_, directions_));
  }
}

}  // namespace tacet::data
