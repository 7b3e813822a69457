#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tacet/mechanism/point/grid.h"
#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

/// What a column of public bounds and categories holds: how often each category, and the quartiles
/// of numbers. docs/proofs/describe.md.
namespace tacet::mechanism {

/// The price of one answer. Exactly epsilon-private, whichever values a privacy unit of at most
/// `max_records_per_unit` records gives to the column; the caller bounds these.
struct SummaryCost {
  privacy::Epsilon epsilon;
  privacy::Adjacency adjacency;
  std::int64_t max_records_per_unit = 1;  ///< 1 to records_per_unit_limit

  /// How many values neighbours add and remove: one that is replaced, or becomes a missing one, is
  /// removed and another one added. UsageError for max_records_per_unit out of range.
  [[nodiscard]] std::int64_t changes() const;
  /// epsilon over the changes, rounded down.
  [[nodiscard]] privacy::Epsilon epsilon_per_change() const;

  /// A UsageError where epsilon_per_change is too small for exact noise (rational_epsilon.h).
  void check() const;

  [[nodiscard]] privacy::Event counts_event() const;    ///< of release_counts
  [[nodiscard]] privacy::Event quartile_event() const;  ///< of each of three quartiles
};

/// Counts of kinds of which every value is one, plus discrete Laplace noise of scale
/// changes / epsilon each: a value moves one of them by 1. Debits counts_event. A UsageError where
/// epsilon_per_change is too small for exact noise (rational_epsilon.h).
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> release_counts(
    const privacy::Private<std::vector<std::int64_t>>& counts, const SummaryCost& cost,
    const ReleaseContext& context);

/// The number of records where it is public: under replace_one and zero_out, whose neighbours have
/// equally many. Costs nothing. UsageError under add_remove.
[[nodiscard]] std::int64_t public_count(const privacy::Private<std::vector<std::int64_t>>& records,
                                        privacy::Adjacency adjacency);

/// Lower quartile, median, upper quartile.
using Quartiles = std::array<double, 3>;

/// The quartiles of the values among the points of the grid, by inverse sensitivity, each at
/// epsilon; in order. Debits quartile_event three times and uses the tensors from address.tensor to
/// address.tensor + 2. Errors as release_counts.
[[nodiscard]] privacy::Released<Quartiles> release_quartiles(
    const privacy::Private<std::vector<double>>& values, const Grid& grid, const SummaryCost& cost,
    const ReleaseContext& context);

/// Half of the interval around a noisy count in which it lies with probability at least 0.95, that
/// a caller may state: public.
[[nodiscard]] double count_margin(const SummaryCost& cost);

/// What a share, a noisy count over a noisy number of records, may be off times that number of
/// records, with a probability of at most 0.05. Public.
[[nodiscard]] double share_margin(const SummaryCost& cost);

/// A number of ranks by which quartiles may be off with a probability of at most 0.05: that many
/// values lie, at most, between each and a right answer, where each value counts as the point of
/// the grid next to it, at most half a step away. Public.
[[nodiscard]] double quartile_margin(const SummaryCost& cost, const Grid& grid);

}  // namespace tacet::mechanism
