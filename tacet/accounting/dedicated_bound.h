#pragma once

#include <optional>

#include "tacet/accounting/accountant.h"

namespace tacet::accounting::internal {

/// A bound from an event's own analysis, where it has one: private tuning, shuffled reports and
/// objective perturbation.
struct DedicatedBound {
  double value;
  const char* route;
};
[[nodiscard]] std::optional<DedicatedBound> dedicated_epsilon(const Event& event,
                                                              Adjacency adjacency, double delta,
                                                              const AccountOptions& options);
[[nodiscard]] std::optional<DedicatedBound> dedicated_delta(const Event& event, Adjacency adjacency,
                                                            double epsilon,
                                                            const AccountOptions& options);

}  // namespace tacet::accounting::internal
