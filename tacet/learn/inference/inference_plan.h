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
/// Three kinds of releases, each of joint sums (optimize/sums/joint_sum.h): a start on encoded rows
/// for a fifth of the squared budget, a few rough Newton steps, and one last release for all the
/// rest. All are Gaussian, so that their squared mu add up exactly to that of (epsilon, delta).
namespace tacet::learn {

/// What a user asks of a regression table.
struct InferenceOptions {
  double epsilon = 0;
  double delta = 0;  ///< above 0: what is left for the noise beside the PRG slack
  privacy::Adjacency adjacency = privacy::Adjacency::add_remove;
  std::int64_t rows = 0;          ///< declared number of records, or of units
  std::string terms{};            ///< empty: all columns
  std::optional<double> reach{};  ///< c: rows beyond |z|^2 = c columns weigh less
  bool symmetric_errors = false;  ///< the user says so: the intercept is stated with a narrow cut
  /// The largest count that is told apart, smaller than the schema's: for counts that are Poisson's
  /// by the user's word.
  std::optional<std::int64_t> count_cut{};
};

/// What the noise and the constants depend on.
struct RegressionFacts {
  optimize::MeanModel mean = optimize::MeanModel::identity;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  double mu = 0;  ///< one bound over the noise's standard deviation, for the whole budget
  privacy::Adjacency adjacency = privacy::Adjacency::add_remove;
  double mean_count = 1.5;  ///< of counts, as expected before anything was released
  double cut = 1;           ///< of counts: K
};

/// Shares of the squared budget.
struct BudgetShares {
  double start;
  double steps;  ///< of all rough steps together
  [[nodiscard]] double last() const { return 1 - start - steps; }
};
[[nodiscard]] BudgetShares budget_shares(optimize::MeanModel mean);

/// Shares of the squared distance within each release. The curvature of counts is left out: it
/// depends on the released mean (poisson_curvature_share).
[[nodiscard]] optimize::JointShares start_shares(const RegressionFacts& facts);
[[nodiscard]] optimize::JointShares step_shares(const RegressionFacts& facts);
[[nodiscard]] optimize::JointShares last_shares(const RegressionFacts& facts);

/// The largest share of the curvature that hardly any mean breaks the joint bound with, for counts
/// cut at K whose curvature is bounded: on a grid of means, since the joint bound is enforced for
/// each record whatever this share is.
[[nodiscard]] std::int64_t poisson_curvature_share(double cut, double curvature_bound,
                                                   const optimize::JointShares& others,
                                                   privacy::Adjacency adjacency);

/// What is known before the fit of how good it can be.
struct InferenceForecast {
  double reach = 0;  ///< c
  double cut = 1;    ///< K: of numbers in units of the residuals' standard deviation
  std::int64_t steps = 0;
  /// The noise of the information matrix over the matrix: above .3 nothing would be identified.
  double relative_noise = 0;
  double width = 1;  ///< of an interval, over that without privacy
  /// Records that a category or flag has at least, to be identified nearly always: half as many
  /// again as make it stand out of the noise of the start.
  double level_records = 0;
};
/// R^2 of the start's rows, in encoded units.
[[nodiscard]] double start_squared_reach(std::int64_t columns);
[[nodiscard]] InferenceForecast forecast(const RegressionFacts& facts,
                                         std::optional<double> reach = {});

/// How far from 0 residuals are cut at least, in standard deviations: 6 where its noise adds no
/// more than .3 of the sampling variance, else 3. `information` is the variance of sampling over
/// that of a cut of 1. A cut of 6 keeps coefficients right where errors are skewed.
[[nodiscard]] double first_cut(double information);
inline constexpr double wide_cut = 6;

/// Above the first nothing is fitted, above the second some coefficients may be refused.
inline constexpr double max_relative_noise = .3;
inline constexpr double doubtful_relative_noise = .15;
/// Of counts nothing is fitted whose intervals would be wider than so many times those without
/// privacy. Steps are then so rough that curvature, which grows with the mean, is another where they
/// end: intervals of a rare level held 80 of 100 at 4.9, and 92 at 4.1 and less
/// (bench/utility/inference_counts.py).
inline constexpr double max_width_of_counts = 4;

/// The least number of rows whose relative noise is at most `limit`, all other facts the same.
[[nodiscard]] std::int64_t rows_needed(RegressionFacts facts, double limit = max_relative_noise);
/// The least mu, likewise.
[[nodiscard]] double mu_needed(RegressionFacts facts, double limit = max_relative_noise);

/// Noise multipliers of the releases, in order.
struct InferenceNoise {
  double whole = 0;  ///< of one release that took the whole budget
  double start = 0;
  std::vector<double> steps{};
  double last = 0;
};
/// The shares of one multiplier: the start's, those of so many steps, and the last one's.
[[nodiscard]] InferenceNoise shared_noise(double whole, optimize::MeanModel mean,
                                          std::int64_t steps);
inline constexpr std::int64_t max_newton_steps = 3;
/// UsageError for options that make no sense, GuaranteeError where no finite noise suffices.
[[nodiscard]] InferenceNoise inference_noise(const InferenceOptions& options,
                                             const RegressionFacts& facts, std::int64_t steps);
[[nodiscard]] privacy::Event releases(const InferenceNoise& noise);

/// Facts of a regression at a budget. GuaranteeError where no finite noise suffices, UsageError for
/// counts of which too many are told apart.
[[nodiscard]] RegressionFacts regression_facts(const InferenceOptions& options,
                                               optimize::MeanModel mean, std::int64_t columns,
                                               double largest_count = 1);

/// UsageError that states the rows and the epsilon that are needed where too little would be
/// identified; else a warning for people, or an empty text.
[[nodiscard]] std::string check_identified(const InferenceOptions& options,
                                           const RegressionFacts& facts);

}  // namespace tacet::learn
