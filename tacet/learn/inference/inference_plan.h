#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacet/optimize/sums/joint_bound.h"
#include "tacet/optimize/sums/residual.h"
#include "tacet/privacy/adjacency.h"
#include "tacet/privacy/event.h"

/// How method inference spends its budget, derived from public facts alone.
///
/// There are three kinds of releases, each of joint sums (optimize/sums/joint_sum.h): a start on
/// encoded rows for a fifth of the squared budget, a few rough Newton steps, and a last release for
/// the rest. All are Gaussian, so their squared mu add up exactly to that of (epsilon, delta).
namespace tacet::learn {

/// The user's options for a regression table.
struct InferenceOptions {
  double epsilon = 0;
  double delta = 0;  ///< above 0: the delta that the PRG slack leaves for the noise
  privacy::Adjacency adjacency = privacy::Adjacency::add_remove;
  std::int64_t rows = 0;          ///< declared number of records, or of units
  std::string terms{};            ///< empty: all columns
  std::optional<double> reach{};  ///< c: rows with |z|^2 > c columns get less weight
  /// the user states it: the intercept is then reported with a narrow cut
  bool symmetric_errors = false;
  /// Larger counts are cut to this one, which is smaller than the schema's bound. For counts that
  /// the user states to be Poisson.
  std::optional<std::int64_t> count_cut{};
};

/// The facts on which the noise and the constants depend.
struct RegressionFacts {
  optimize::MeanModel mean = optimize::MeanModel::identity;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  /// the bound over the standard deviation of the noise, for the whole budget in one release
  double mu = 0;
  privacy::Adjacency adjacency = privacy::Adjacency::add_remove;
  double mean_count = 1.5;  ///< for counts: the mean expected before anything is released
  double cut = 1;           ///< of counts: K
};

/// Shares of the squared budget.
struct BudgetShares {
  double start;
  double steps;  ///< for all rough steps together
  [[nodiscard]] double last() const { return 1 - start - steps; }
};
[[nodiscard]] BudgetShares budget_shares(optimize::MeanModel mean);

/// Shares of the squared distance within each release. The curvature of counts is left out: it
/// depends on the released mean (poisson_curvature_share).
[[nodiscard]] optimize::JointShares start_shares(const RegressionFacts& facts);
[[nodiscard]] optimize::JointShares step_shares(const RegressionFacts& facts);
[[nodiscard]] optimize::JointShares last_shares(const RegressionFacts& facts);

/// For counts cut at K with bounded curvature: the largest share of the curvature with which almost
/// no mean violates the joint bound, on a grid of means. The joint bound is enforced for each
/// record, whatever this share is.
[[nodiscard]] std::int64_t poisson_curvature_share(double cut, double curvature_bound,
                                                   const optimize::JointShares& others,
                                                   privacy::Adjacency adjacency);

/// A prediction, before the fit, of how good it can be.
struct InferenceForecast {
  double reach = 0;  ///< c
  double cut = 1;    ///< K: of numbers in units of the residuals' standard deviation
  std::int64_t steps = 0;
  /// The noise of the information matrix over the matrix: above .3 nothing would be identified.
  double relative_noise = 0;
  double width = 1;  ///< width of an interval, over its width without privacy
  /// The number of records that a category or flag needs in order to be identified nearly always:
  /// one and a half times as many as make it stand out from the noise of the start.
  double level_records = 0;
};
/// R^2 of the start's rows, in encoded units.
[[nodiscard]] double start_squared_reach(std::int64_t columns);
[[nodiscard]] InferenceForecast forecast(const RegressionFacts& facts,
                                         std::optional<double> reach = {});

/// The smallest cut of residuals, in standard deviations: 6 if its noise adds at most .3 of the
/// sampling variance, else 3. `information` is the variance of sampling over that of the noise with
/// a cut of 1. A cut of 6 keeps coefficients right even if errors are skewed.
[[nodiscard]] double first_cut(double information);
inline constexpr double wide_cut = 6;

/// Above the first nothing is fitted, above the second some coefficients may be refused.
inline constexpr double max_relative_noise = .3;
inline constexpr double doubtful_relative_noise = .15;
/// Regressions of counts are refused if their intervals would be more than this many times as wide
/// as without privacy. Steps are then so rough that the curvature, which grows with the mean,
/// differs much between a step's start and its end. Of 100 intervals of a rare level 80 held
/// at 4.9, and 90 or more at 4.1 and below (bench/utility/inference_counts.py).
inline constexpr double max_width_of_counts = 4;

/// The smallest number of rows for which the relative noise is at most `limit`, all other facts
/// being equal.
[[nodiscard]] std::int64_t rows_needed(RegressionFacts facts, double limit = max_relative_noise);
/// The least mu, likewise.
[[nodiscard]] double mu_needed(RegressionFacts facts, double limit = max_relative_noise);

/// Noise multipliers of the releases, in order.
struct InferenceNoise {
  double whole = 0;  ///< of one release that takes the whole budget
  double start = 0;
  std::vector<double> steps{};
  double last = 0;
};
/// Divides one multiplier into that of the start, those of the steps, and that of the last release.
[[nodiscard]] InferenceNoise shared_noise(double whole, optimize::MeanModel mean,
                                          std::int64_t steps);
inline constexpr std::int64_t max_newton_steps = 3;
/// UsageError for options that make no sense, GuaranteeError if no finite noise suffices.
[[nodiscard]] InferenceNoise inference_noise(const InferenceOptions& options,
                                             const RegressionFacts& facts, std::int64_t steps);
[[nodiscard]] privacy::Event releases(const InferenceNoise& noise);

/// The facts of a regression at a budget. GuaranteeError if no finite noise suffices, UsageError
/// for counts with too large a bound.
[[nodiscard]] RegressionFacts regression_facts(const InferenceOptions& options,
                                               optimize::MeanModel mean, std::int64_t columns,
                                               double largest_count = 1);

/// UsageError, which states the rows and the epsilon that are needed, if too little would be
/// identified. Otherwise returns a warning for people, or an empty text.
[[nodiscard]] std::string check_identified(const InferenceOptions& options,
                                           const RegressionFacts& facts);

}  // namespace tacet::learn
