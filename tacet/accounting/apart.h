#pragma once

#include <functional>

#include "tacet/accounting/routes/language.h"

/// Compositions whose parts are accounted one by one: some kinds of events have an analysis of
/// their own (private selection, shuffled reports, objective perturbation) that their composition
/// with others lacks, and for which a Renyi curve may prove far less.
namespace tacet::accounting::internal {

/// The epsilon of an event at a delta.
using EpsilonOf = std::function<double(const Event& event, double delta)>;

/// The smallest sum of epsilons that was found for dividing `delta` among the parts that have an
/// analysis of their own and the composition of all others (basic composition: Dwork, Rothblum,
/// Vadhan 2010). Infinity where no part has such an analysis, or where many do.
[[nodiscard]] double apart_epsilon(const Event& event, Adjacency adjacency, double delta,
                                   const EpsilonOf& epsilon_of);

}  // namespace tacet::accounting::internal
