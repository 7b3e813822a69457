#pragma once

#include <cmath>
#include <limits>

#include "tacet/accounting/loss/pairs.h"

namespace tacet::test {

constexpr double no_end = std::numeric_limits<double>::infinity();

/// delta of one use of a pair, sup_S P(S) - e^epsilon Q(S).
inline double delta_of(const accounting::pairs::Pair& pair, double epsilon) {
  const auto m = pair.interval(epsilon, no_end);
  return m.p - std::exp(epsilon) * m.q + pair.infinite_mass();
}

}  // namespace tacet::test
