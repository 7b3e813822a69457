#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/training.h"

/// The releases of descent before its steps, and their shares of the budget: means and standard
/// deviations of numbers and counts of categories (standardise.h), second moments for curves
/// (whitening.h), or the columns to keep (feature_selection.h). Chosen from public facts alone.
namespace tacet::learn {

/// Whether numbers or categories could be standardised here.
[[nodiscard]] bool can_standardise(const data::Schema& schema, const GradientOptions& options);

/// Whether a plan standardises. UsageError if that was demanded but is not possible: without a
/// number or a listed category, for units, for samples, for several classes.
[[nodiscard]] bool resolve_standardise(const data::Schema& schema, const GradientOptions& options,
                                       std::int64_t records);

/// From this noise on, categories are counted too. It is the noise in the mean gradient, for
/// gradients of norm 1, if the whole budget went into one release.
constexpr double min_noise_counted = 0.01;

/// Why `gradient` cannot select columns before its steps; null if it can.
[[nodiscard]] const char* selection_obstacle(const GradientOptions& options);

/// The shares of mu^2 for releases before the steps. The mu^2 of Gaussian releases add up. So a
/// release with a share has the noise of the whole budget, divided by the root of the share.
struct FirstShares {
  double standardise = 0;
  double whitening = 0;
  double feature_selection = 0;
  double prg_slack = 0;  ///< of these releases

  /// The share of the first release, whichever it is.
  [[nodiscard]] double first() const { return std::max(standardise, feature_selection); }
  /// The noise of a release that has a part of mu^2, if only what these shares leave is divided.
  [[nodiscard]] double beside(double noise) const {
    return noise / std::sqrt(1 - standardise - whitening) / std::sqrt(1 - feature_selection);
  }
};

struct FirstChoice {
  FirstReleases releases;
  FirstShares shares;
  Reasons reasons;
};

/// The releases before the steps, for a plan that has its problem and its batches. `one_release` is
/// the noise multiplier that the whole budget allows for one release.
[[nodiscard]] FirstChoice choose_first_releases(const GradientPlan& plan,
                                                const data::Schema& schema,
                                                const GradientOptions& options, double one_release);

}  // namespace tacet::learn
