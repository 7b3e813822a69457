#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/point/grid.h"
#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

namespace tacet::mechanism {

/// The query. All of it is public.
struct QuantileQuery {
  double level;  ///< in [0, 1]: 0.5 is the median, 0 the smallest value, 1 the largest
  Grid grid;     ///< the possible answers
  privacy::Adjacency adjacency;
  std::int64_t radius = 0;  ///< answers within this many steps of a right one count as right
};

/// The event of a quantile: bounded range epsilon, hence pure epsilon.
[[nodiscard]] privacy::Event quantile_event(const QuantileQuery& query, privacy::Epsilon epsilon);

/// A private quantile by the inverse sensitivity mechanism (Asi, Duchi 2020): a grid point x has
/// probability proportional to exp(-epsilon loss(x) / 2).
///
/// replace_one: loss(x) is the number of values that would have to be replaced until x is the k-th
/// smallest one, k = ceil(level n) within 1..n, n public. add_remove and zero_out: loss(x) is the
/// smallest slope at x, or 0, of the sum of pinball losses, over the steepest slope of one of them;
/// n stays secret under add_remove. Either moves by at most 1 between neighbours.
///
/// Each value counts as the grid point next to it. Exactly epsilon-private: the law is sampled in
/// integers, whatever the range of probabilities. Linear time; the number of values is limited by
/// memory (40 bytes each). Debits `reservation` by quantile_event before a random bit is drawn.
///
/// A UsageError for a level outside [0, 1] or a radius outside [0, grid.last()]; a DataError for no
/// value at all under replace_one.
///
/// Example:
///
///     const mechanism::QuantileQuery median{
///         .level = 0.5, .grid = {0, 100, 0.5}, .adjacency = privacy::Adjacency::add_remove};
///     const privacy::Event event = mechanism::quantile_event(median, privacy::Epsilon(0.5));
///     accounting::MemoryBudget budget(privacy::Guarantee{1, 0, median.adjacency});
///     auto permit = budget.reserve(event, privacy::Delta{0});
///     const privacy::Private<std::vector<double>> ages(std::vector<double>{31, 18, 44});
///     const auto source = random::SecureSource::create();
///     const auto found =
///         mechanism::release_quantile(ages, median, privacy::Epsilon(0.5), {{}, *source, permit});
///     permit.commit();
[[nodiscard]] privacy::Released<double> release_quantile(
    const privacy::Private<std::vector<double>>& values, const QuantileQuery& query,
    privacy::Epsilon epsilon, const ReleaseContext& context);

}  // namespace tacet::mechanism
