#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/learn/plan/recorded.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/guarantee.h"
#include "tacet/privacy/receipt.h"
#include "tacet/random/source/source.h"

/// A sum of one's own (optimize/sums/vector_sum.h), released with noise and a receipt.
///
/// Example:
///
///     optimize::Histogram days(7);
///     for (const int day : {0, 3, 3, 6}) days.add(day);  // private records
///     const run::ReleasedSum released =
///         run::release(std::move(days).take(), {1, 0, privacy::Adjacency::add_remove},
///                      {.noise = run::Noise::discrete_laplace});
///     const double mondays = released.values[0];
///     const std::string receipt = privacy::receipt_to_json(released.receipt);
namespace tacet::run {

enum class Noise {
  gaussian,           ///< needs a delta; least noise for sums of many numbers
  laplace,            ///< pure where delta is 0; for sums clipped by their L1 norm
  discrete_gaussian,  ///< on the sum's own grid: whole numbers for a histogram
  discrete_laplace
};

/// "gaussian", "laplace", "discrete_gaussian" or "discrete_laplace".
[[nodiscard]] std::string to_string(Noise noise);

/// How a release goes.
struct ReleaseOptions {
  Noise noise = Noise::gaussian;
  /// What the sum's UnitLimit counted the records of, "patient" say; receipts state it.
  std::string privacy_unit = "record";
  std::int64_t max_records_per_unit = 1;  ///< the UnitLimit's number; 1 for "record"
  /// Pays for it; null: nobody adds releases up. Noise from a known seed is counted as if it were
  /// secret. A LedgerBudget must name the same unit, and a reason where the noise is seeded
  /// (UsageError); its release() is the caller's, before the values go out.
  privacy::Budget* budget = nullptr;
  /// Where random numbers come from, in a run of their own (next_run()). Null: the operating
  /// system.
  random::Source* source = nullptr;
};

struct ReleasedSum {
  std::vector<double> values;  ///< in real units
  double noise_stddev = 0;     ///< the standard deviation of the noise of each
  privacy::Receipt receipt;
};

/// Releases a certified sum: the least noise of its kind that keeps the guarantee `asked` for (to a
/// thousandth of epsilon), booked before a random bit is drawn. The receipt states what was proved.
///
/// UsageError for an epsilon that is 0 or infinite, for a sum over a secret sample, and for noise
/// that the sum's grid has no room for (optimize/sums/vector_sum.h); GuaranteeError where no noise
/// of this kind keeps the guarantee (Gaussian at delta 0, or where the cipher leaves nothing of
/// delta); what the budget throws. What is refused costs nothing.
[[nodiscard]] ReleasedSum release(privacy::BoundedSum sum, const privacy::Guarantee& asked,
                                  const ReleaseOptions& options = {});

/// What the release of a sum released by the parameters of its receipt. DataError where they
/// contradict each other.
[[nodiscard]] privacy::Event recorded_sum(const privacy::Receipt& receipt,
                                          learn::RecordedParameters& parameters,
                                          const privacy::Event& own);

}  // namespace tacet::run
