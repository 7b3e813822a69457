#pragma once

#include <functional>

#include "tacet/accounting/routes/language.h"

/// Compositions that are accounted part by part. Some kinds of events (private selection, shuffled
/// reports, objective perturbation) have their own analysis. It does not extend to compositions
/// with other events, for which a Renyi curve may prove far less.
namespace tacet::accounting::internal {

/// The epsilon of an event at a delta.
using EpsilonOf = std::function<double(const Event& event, double delta)>;

/// Divides `delta` among the parts with their own analysis and the composition of all others, and
/// returns the smallest sum of epsilons found (basic composition: Dwork, Rothblum, Vadhan 2010).
/// Infinity if no part, or more than eight parts, have their own analysis.
[[nodiscard]] double apart_epsilon(const Event& event, Adjacency adjacency, double delta,
                                   const EpsilonOf& epsilon_of);

}  // namespace tacet::accounting::internal
