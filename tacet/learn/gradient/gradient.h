#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "tacet/base/names.h"
#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient_batches.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"

/// Noisy gradient descent for linear models: on all records, on secret Poisson samples or samples
/// of fixed size, or on the batches of a public partition.
///
/// Each step releases the sum of the records' clipped gradients through the Gaussian mechanism;
/// weights, momentum, penalty, projection and averages are functions of released values. T steps on
/// all records at noise multiplier z are exactly Gaussian DP with mu = (1 or 2) sqrt(T) / z (Dong,
/// Roth, Su 2019); steps on samples cost what the accountant proves for them. This holds whatever
/// the data, the loss and the weights are: the clipping bound is enforced in integers, so neither
/// smoothness nor a bounded domain is needed (docs/proofs/gradient.md). The proof does not need the
/// declared number of records either, which determines step size and means. But if it is public and
/// there are no units, it must be exact, since the receipt states it.
namespace tacet::learn {

/// Whether means and standard deviations of numbers are released first, and numbers counted by
/// them.
enum class Standardise {
  none,
  automatic,  ///< if it was shown to win
  demanded,
  means  ///< for numbers only; `demanded` would also count categories
};

/// The user's options of descent. All that are left out are chosen from public facts.
struct GradientOptions : CommonOptions,
                         StepOptions,
                         PenaltyOptions,
                         BallOptions,
                         ClassWeightOptions,
                         FeatureSelectionOptions {
  std::optional<double> momentum{};
  std::optional<double> average{};  ///< share of the iterates, the last ones, that are averaged
  std::optional<Averaging> averaging{};
  std::optional<std::int64_t> batch_size{};  ///< for samples the expected number
  std::optional<std::string> sampling{};     ///< how the records of a step are selected
  std::optional<std::int64_t> order_seed{};  ///< seed of a public order of the records
  std::int64_t max_records_per_unit = 1;     ///< records of each unit that take part
  Standardise standardise = Standardise::none;
};
inline constexpr auto standardise_names =
    base::names<Standardise>({{Standardise::none, "none"},
                              {Standardise::demanded, "private"},
                              {Standardise::means, "means"},
                              {Standardise::automatic, "auto"}});
inline constexpr std::array gradient_bindings{
    bind<&GradientOptions::momentum>("momentum"),
    bind<&GradientOptions::average>("average"),
    bind<&GradientOptions::averaging, averaging_names>("averaging"),
    bind<&GradientOptions::batch_size>("batch-size"),
    bind<&GradientOptions::sampling>("sampling"),
    bind<&GradientOptions::order_seed>("order-seed"),
    bind<&GradientOptions::max_records_per_unit>("max-records-per-unit"),
    bind<&GradientOptions::standardise, standardise_names>("standardise"),
};
inline constexpr auto gradient_options =
    read_options<GradientOptions, gradient_bindings, step_bindings, penalty_bindings, ball_bindings,
                 class_weight_bindings, calibration_bindings, feature_selection_bindings>;

/// Each is a release of its own.
constexpr std::int64_t max_gradient_steps = 1000000;

/// Length, number and size of the steps, resolved (learn/gradient/gradient_course.h).
struct Course {
  double clipping_norm = 0;  ///< bound of one unit's gradient
  std::int64_t steps = 0;
  double step_size = 0;
  double line_rate = 1;   ///< factor on the steps of the line's weights
  double curve_rate = 1;  ///< factor on the steps of the curves' weights
};

/// The releases before the steps, with their shares of the budget but without their noise
/// (learn/gradient/first_releases.h).
struct FirstReleases {
  bool counts_categories = false;  ///< the release of means also counts categories
  double curve_share = 0;          ///< the curves' share in a row's squared norm
  std::int64_t curve_directions = 0;
  /// in standard deviations of the noise; a column at or above it is kept
  double feature_selection_threshold = 0;
};

/// Everything that is resolved before a record is read. Sums are divided by the public row count.
struct GradientPlan : MethodPlan, Batches, FirstReleases, Course {
  double noise_multiplier = 0;
  // Noise multipliers of the releases before the steps; 0: no such release.
  double standardise_noise = 0;        ///< of means and squares
  double whitening_noise = 0;          ///< of second moments
  double feature_selection_noise = 0;  ///< of the columns to keep
  int norm_bits = 0;                   ///< the clipping norm is 2^norm_bits grid units
  double momentum = 0;
  double average = 0;  ///< share of the iterates, the last ones, that `suffix` averages
  Averaging averaging = Averaging::suffix;
  /// the penalty mean_l2/2 |w|^2 is added to the mean loss, by a proximal step
  double mean_l2 = 0;
  std::optional<double> radius;  ///< of the ball to which weights are projected
  // The options, from which clipping norm and step size are chosen again once the kept columns are
  // known.
  GradientOptions options = {};
  double path_share = 1;   ///< of the step rule's path
  double one_release = 0;  ///< noise multiplier if all of the steps' budget went into one release

  /// The norm of the noise in the mean gradient, for gradients of norm 1, if a part of the budget
  /// with the noise multiplier `of_release` went into one release.
  [[nodiscard]] double relative_noise(std::int64_t of_columns, double of_release) const {
    return std::sqrt(static_cast<double>(of_columns * outputs)) * of_release /
           static_cast<double>(public_row_count);
  }
  /// The noise multiplier of the first release before the steps; 0 if there is none.
  [[nodiscard]] double first_noise() const {
    return std::max(standardise_noise, feature_selection_noise);
  }
};

/// The plan with the same releases for the columns that were kept; it depends on released values
/// only.
[[nodiscard]] GradientPlan on_selected_columns(const GradientPlan& plan,
                                               const data::Schema& narrowed);

/// Chooses all parameters from the options and the schema alone. UsageError if something is missing
/// or makes no sense, GuaranteeError if there is no proof for it.
[[nodiscard]] GradientPlan plan_gradient(const data::Schema& schema, const GradientOptions& options,
                                         const PlanContext& context = {});

/// Trains as planned and commits the reservation. With the same seed the model has the same bits
/// for any number of threads. A plan that standardises needs records of data::raw_schema(schema).
[[nodiscard]] TrainedModel train_gradient(const data::Dataset& dataset, const data::Schema& schema,
                                          const GradientPlan& plan, const TrainingContext& context);
/// As above, for records that lie elsewhere or in parts; the model has the same bits. InternalError
/// for a plan with samples of records that are not in this process.
[[nodiscard]] TrainedModel train_gradient(optimize::PartSums& records, const data::Schema& schema,
                                          const GradientPlan& plan, const TrainingContext& context);
/// As above, but takes the records. If they are rewritten, for released means or selected columns,
/// each is in memory only once.
[[nodiscard]] TrainedModel train_gradient(data::Dataset&& dataset, const data::Schema& schema,
                                          const GradientPlan& plan, const TrainingContext& context);

/// The event of a plan, and the list of its settings, which writes a receipt and reads it back.
[[nodiscard]] privacy::Event releases(const GradientPlan& plan);
void list_settings(SettingList& list, GradientPlan& plan);

extern const Method gradient_method;

}  // namespace tacet::learn
