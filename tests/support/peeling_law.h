#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "tests/support/statistics.h"

namespace tacet::test {

/// Holds three draws by peeling from the scores {0, .9, 0, 0, .35, 0, 1} at e^(2 score) against
/// the probabilities of three orders and of all others.
template <typename Draw>
void expect_peeling_law(int draws, const Draw& draw) {
  std::map<std::vector<std::int64_t>, std::int64_t> seen;
  for (int i = 0; i < draws; ++i) ++seen[draw()];
  const std::int64_t a = seen[{6, 1, 4}];
  const std::int64_t b = seen[{1, 6, 4}];
  const std::int64_t c = seen[{6, 4, 1}];
  const std::array<std::int64_t, 4> observed{a, b, c, draws - a - b - c};
  std::array<double, 4> expected{0.063787476418403, 0.05741288002424279, 0.038170703039311894, 0};
  expected[3] = 1 - expected[0] - expected[1] - expected[2];
  for (auto& count : expected) count *= draws;
  EXPECT_GT(chi_square_p_value(observed, expected), false_alarm_rate);
}

}  // namespace tacet::test
