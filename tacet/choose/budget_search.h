#pragma once

#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"

namespace tacet::choose {

/// The share of a budget at which a whole keeps `max`: cost(share) is what the whole costs, rising
/// with the share, infinite where nothing can be proved. The last share that cost() was asked about
/// is the one that is returned; it is within a thousandth of the largest one wherever costs are
/// smooth. GuaranteeError where none is found.
template <typename Cost>
double largest_share(double share, double max, const Cost& cost) {
  constexpr int max_rounds = 38;
  double before = 0;  // the share asked about before, and what it cost
  double before_cost = 0;
  double slope = 1;  // of ln cost in ln share
  for (int round = 0; round < max_rounds; ++round) {
    const double found = cost(share);
    const bool near = found > (round == 0 ? 0.98 : 0.999) * max;
    if (found <= max && (near || round >= 4)) return share;
    if (std::isinf(found)) {
      share *= 0.5;
      before = 0;
      continue;
    }
    if (before > 0 && found != before_cost && share != before) {
      slope = std::clamp(std::log(found / before_cost) / std::log(share / before), 0.25, 4.0);
    }
    before = share;
    before_cost = found;
    // Lower by more and more, until rounding and searches within costs are below it. Costs are
    // found to 1e-9 or so: who is that near after two rounds is to be below in the next one.
    const int lower = std::min(round < 2 ? round - 40 : round - 24, -3);
    // A share that costs nothing (delta alone pays for it) does not tell how much more would cost
    // something: the step is limited.
    constexpr double max_growth = 16;
    share *= std::min(std::pow(max / found, 1 / slope), max_growth) * (1 - std::exp2(lower));
  }
  throw base::GuaranteeError("no share of epsilon {} was found at which the whole keeps it", max);
}

}  // namespace tacet::choose
