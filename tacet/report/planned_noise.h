#pragma once

#include <cstdint>
#include <optional>

#include "tacet/learn/plan/training.h"

/// What a plan says of the noise in its coefficients, before any record is read.
namespace tacet::report {

struct PlannedNoise {
  /// Standard deviation of privacy's noise in a coefficient that the records say nothing about: no
  /// coefficient has more.
  double at_most = 0;
  /// The same for a usual column, in standardised units: in what the column adds to the sum that
  /// the model predicts from, when its value moves by one standard deviation. If steps are few or a
  /// penalty shrinks, an effect is learned in part. The noise is then divided by that share, so
  /// that it can be compared with effects of their full size.
  double standardised = 0;
  /// Whether `standardised` is the law's own for every column of that spread. Elsewhere the records
  /// pull it back, and it is an estimate for a column that goes with no other.
  bool exact = false;
};

/// The standard deviation of a usual feature before its row is scaled. A number that is
/// standardised by released means has the first one whatever its column; the second one is that of
/// a category which half of the records have, or of a number that is spread over its bounds with a
/// standard deviation of a fifth of their distance.
inline constexpr double standardised_spread = 0.35;
inline constexpr double usual_spread = 0.5;
[[nodiscard]] double usual_spread_of(const learn::Training& plan);

/// By the plan's settings, as a receipt would have them: of full or sampled descent (`gradient`)
/// the response to a unit of noise, where `verify` and `show` know it too; of `objective` to first
/// order; of methods that add noise to the coefficients that noise. Nothing for other methods, with
/// a penalty, a projection, curves or polynomial averaging, and where nothing is protected.
[[nodiscard]] std::optional<PlannedNoise> planned_noise(const learn::Training& plan);

/// How many steps the plan takes; nothing where it is no descent.
[[nodiscard]] std::optional<std::int64_t> planned_steps(const learn::Training& plan);

/// The bound of the expected excess risk that is proved for the plan; nothing where none is.
[[nodiscard]] std::optional<double> proved_excess_risk(const learn::Training& plan);

}  // namespace tacet::report
