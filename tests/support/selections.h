#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tacet/mechanism/select/scores.h"
#include "tests/support/statistics.h"

namespace tacet::test {

/// Scores that a replaced record moves any way.
inline mechanism::Scores scores_of(std::vector<std::int64_t> values, std::int64_t sensitivity = 1) {
  return mechanism::Scores::integers(std::move(values), sensitivity, mechanism::Movement::any,
                                     privacy::Adjacency::replace_one);
}

/// p-value of `draws` releases of a candidate's index under a law.
template <typename Select>
double fit(const std::vector<double>& law, int draws, const Select& select) {
  std::vector<std::int64_t> seen(law.size());
  for (int i = 0; i < draws; ++i) ++seen[static_cast<std::size_t>(select().value())];
  std::vector<double> expected;
  for (const double p : law) expected.push_back(p * draws);
  return chi_square_p_value(seen, expected);
}

}  // namespace tacet::test
