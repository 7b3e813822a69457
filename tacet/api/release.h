#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacet/api/random.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/budget.h"
#include "tacet/privacy/receipt.h"

/// Releases your own sum (optimize/sums/vector_sum.h) with noise and a receipt.
///
/// Example:
///
///     optimize::Histogram days(7);
///     for (const int day : {0, 3, 3, 6}) days.add(day);  // private records
///     const auto released = api::release(std::move(days), {1, 0, privacy::Adjacency::add_remove},
///                                        {.noise = api::Noise::discrete_laplace});
///     const double mondays = released.values[0];
///     const std::string receipt = privacy::receipt_to_json(released.receipt);
namespace tacet::api {

/// A finished sum with the bound to which its contributions were clipped. There is no other way to
/// state such a bound.
class Sum {
 public:
  Sum(optimize::VectorSum&& sum);  // NOLINT(google-explicit-constructor)
  Sum(optimize::Histogram&& sum);  // NOLINT(google-explicit-constructor)
  Sum(optimize::MeanSum&& sum);    // NOLINT(google-explicit-constructor)

 private:
  friend struct Inside;
  std::shared_ptr<privacy::BoundedSum> held_;
};

/// The law of the noise on a sum.
enum class Noise {
  gaussian,           ///< needs a delta; least noise for sums of many numbers
  laplace,            ///< pure if delta is 0; for sums clipped by their L1 norm
  discrete_gaussian,  ///< on the sum's own grid: whole numbers for a histogram
  discrete_laplace
};

/// Options of one release.
struct ReleaseOptions {
  Noise noise = Noise::gaussian;
  /// Whose records the sum's UnitLimit counted, as receipts name it.
  std::string privacy_unit = "record";
  std::int64_t max_records_per_unit = 1;  ///< as the UnitLimit allows; 1 for "record"
  /// Pays for the release; null: nobody adds releases up. A LedgerBudget must name the same unit,
  /// and a reason if the noise is seeded (UsageError). The caller has to call its release() before
  /// the values go out.
  privacy::Budget* budget = nullptr;
  const Random* random = nullptr;  ///< null: the operating system's randomness
};

/// What release() hands out; all of it is public.
struct ReleasedSum {
  std::vector<double> values;  ///< in real units
  double noise_stddev = 0;     ///< the standard deviation of the noise of each
  privacy::Receipt receipt;
};

/// Releases a sum with the least noise of its kind that keeps the guarantee `asked` (to a
/// thousandth of epsilon). The cost is booked before a random bit is drawn. The receipt states what
/// was proved.
///
/// UsageError for an epsilon that is 0 or infinite, for a sum that was released before, and for
/// noise that does not fit the sum's grid. GuaranteeError if no noise of this kind keeps the
/// guarantee (Gaussian at delta 0, or if the cipher leaves nothing of delta). Errors of the budget
/// pass through. A refused release costs nothing.
[[nodiscard]] ReleasedSum release(Sum sum, const privacy::Guarantee& asked,
                                  const ReleaseOptions& options = {});

}  // namespace tacet::api
