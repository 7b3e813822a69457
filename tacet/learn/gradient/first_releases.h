#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/training.h"

/// What descent releases before its steps, and for which shares of the budget: means and standard
/// deviations of numbers and counts of categories (standardise.h), second moments for curves
/// (whitening.h), or which columns to keep (feature_selection.h). Chosen from public facts alone.
namespace tacet::learn {

/// Whether numbers or categories could be standardised here.
[[nodiscard]] bool can_standardise(const data::Schema& schema, const GradientOptions& options);

/// Whether a plan standardises. UsageError where that was demanded and cannot be: without a number
/// or a listed category, for units, for samples, for several classes.
[[nodiscard]] bool resolve_standardise(const data::Schema& schema, const GradientOptions& options,
                                       std::int64_t records);

/// From this noise on categories are counted too: of the mean gradient, for gradients of norm 1, if
/// the whole budget went into one release.
constexpr double min_noise_counted = 0.01;

/// What excludes a choice of columns before the steps of `gradient`; null where nothing does.
[[nodiscard]] const char* selection_obstacle(const GradientOptions& options);

/// The shares of mu^2 that go to releases before the steps. mu^2 of Gaussian releases add up, so
/// that a release with a share of it has the noise of the whole over the root of the share.
struct FirstShares {
  double standardise = 0;
  double whitening = 0;
  double feature_selection = 0;
  double prg_slack = 0;  ///< of these releases

  /// Of the release that comes first, whichever it is.
  [[nodiscard]] double first() const { return std::max(standardise, feature_selection); }
  /// The noise of a part of mu^2 that has what these shares leave.
  [[nodiscard]] double beside(double noise) const {
    return noise / std::sqrt(1 - standardise - whitening) / std::sqrt(1 - feature_selection);
  }
};

struct FirstChoice {
  FirstReleases releases;
  FirstShares shares;
  Reasons reasons;
};

/// What is released before the steps of a plan that knows its problem and its batches.
/// `one_release` is the noise multiplier if the whole budget were one release.
[[nodiscard]] FirstChoice choose_first_releases(const GradientPlan& plan,
                                                const data::Schema& schema,
                                                const GradientOptions& options, double one_release);

}  // namespace tacet::learn
