#pragma once

#include "tacet/accounting/accountant.h"

namespace tacet::accounting {

/// The proved guarantee of `event` between neighbours of `adjacency` at `delta`, epsilon rounded
/// up. A pair of event and adjacency without a proof is a GuaranteeError that says why; nothing is
/// ever accounted as something else that looks similar.
[[nodiscard]] inline Guarantee account(const Event& event, Adjacency adjacency, Delta delta) {
  return {epsilon_interval(event, adjacency, delta).upper, delta.value(), adjacency};
}

/// The epsilon of account().
[[nodiscard]] inline double epsilon(const Event& event, Adjacency adjacency, Delta delta) {
  return epsilon_interval(event, adjacency, delta).upper;
}

}  // namespace tacet::accounting
