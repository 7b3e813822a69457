#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tacet/mechanism/point/grid.h"
#include "tacet/mechanism/release_context.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/released.h"

/// Summaries of a column with public bounds and categories: the frequency of each category, and the
/// quartiles of numbers. docs/proofs/describe.md.
namespace tacet::mechanism {

/// The price of one answer. Exactly epsilon-private, whichever values a privacy unit of at most
/// `max_records_per_unit` records has in the column; the caller bounds their number.
struct SummaryCost {
  privacy::Epsilon epsilon;
  privacy::Adjacency adjacency;
  std::int64_t max_records_per_unit = 1;  ///< 1 to records_per_unit_limit

  /// The number of values that neighbours add and remove. A value that is replaced, or becomes
  /// missing, is removed and another one is added. UsageError for max_records_per_unit out of
  /// range.
  [[nodiscard]] std::int64_t changes() const;
  /// epsilon over the changes, rounded down.
  [[nodiscard]] privacy::Epsilon epsilon_per_change() const;

  /// UsageError if epsilon_per_change is too small for exact noise (rational_epsilon.h).
  void check() const;

  [[nodiscard]] privacy::Event counts_event() const;    ///< of release_counts
  [[nodiscard]] privacy::Event quartile_event() const;  ///< of each of three quartiles
};

/// Counts of kinds, each value being of one kind, plus discrete Laplace noise of scale changes /
/// epsilon each, since a value changes one of them by 1. Debits counts_event. UsageError if
/// epsilon_per_change is too small for exact noise (rational_epsilon.h).
[[nodiscard]] privacy::Released<std::vector<std::int64_t>> release_counts(
    const privacy::Private<std::vector<std::int64_t>>& counts, const SummaryCost& cost,
    const ReleaseContext& context);

/// The number of records if it is public: under replace_one and zero_out, whose neighbours have
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

/// Half the width of an interval around a noisy count that contains the exact count with a
/// probability of at least 0.95. It is public, so a caller may state it.
[[nodiscard]] double count_margin(const SummaryCost& cost);

/// A share is a noisy count over a noisy number of records. Its error times that number exceeds
/// this with a probability of at most 0.05. Public.
[[nodiscard]] double share_margin(const SummaryCost& cost);

/// The number of ranks by which quartiles are wrong at most, except with a probability of 0.05.
/// That many values, at most, lie between a quartile and a right answer; each value counts as the
/// nearest point of the grid, at most half a step away. Public.
[[nodiscard]] double quartile_margin(const SummaryCost& cost, const Grid& grid);

}  // namespace tacet::mechanism
