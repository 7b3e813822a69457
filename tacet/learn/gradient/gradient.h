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
/// weights, momentum, penalty, projection and averages are functions of what was released. T steps
/// on all records at noise multiplier z are exactly Gaussian DP with mu = (1 or 2) sqrt(T) / z
/// (Dong, Roth, Su 2019); steps on samples cost what the accountant proves for them. This holds
/// whatever the data, the loss and the weights are: the clipping bound is enforced in integers, so
/// neither smoothness nor a bounded domain is needed (docs/proofs/gradient.md). Nor is the declared
/// number of records, which determines step size and means; where it is public and there are no
/// units it must be exact all the same, since the receipt states it.
namespace tacet::learn {

/// Whether means and standard deviations of numbers are released first, and numbers counted by
/// them.
enum class Standardise {
  none,
  automatic,  ///< where it was shown to win
  demanded,
  means  ///< of numbers alone, where `demanded` would count categories as well
};

/// What a user may ask of the descent. Everything left out is chosen from public facts.
struct GradientOptions : CommonOptions,
                         StepOptions,
                         PenaltyOptions,
                         BallOptions,
                         ClassWeightOptions,
                         FeatureSelectionOptions {
  std::optional<double> momentum{};
  std::optional<double> average{};  ///< share of the last iterates that are averaged
  std::optional<Averaging> averaging{};
  std::optional<std::int64_t> batch_size{};  ///< for samples the expected number
  std::optional<std::string> sampling{};     ///< how the records of a step are chosen
  std::optional<std::int64_t> order_seed{};  ///< of a public order of the records
  std::int64_t max_records_per_unit = 1;     ///< of a unit column's records that take part
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
  double line_rate = 1;   ///< steps of the line's weights are so many times as long
  double curve_rate = 1;  ///< those of the curves' weights
};

/// What is released before the steps, for a share of the budget, but for its noise
/// (learn/gradient/first_releases.h).
struct FirstReleases {
  bool counts_categories = false;  ///< the release of means has the categories' counts as well
  double curve_share = 0;          ///< of a row that curves have
  std::int64_t curve_directions = 0;
  double feature_selection_threshold = 0;  ///< in noise's standard deviations: from there on a
                                           ///< column is kept
};

/// Everything that is resolved before a record is read. Sums are divided by the public row count.
struct GradientPlan : MethodPlan, Batches, FirstReleases, Course {
  double noise_multiplier = 0;
  // Multipliers of the releases before the steps; 0: there is none.
  double standardise_noise = 0;        ///< of means and squares
  double whitening_noise = 0;          ///< of second moments
  double feature_selection_noise = 0;  ///< of the columns to keep
  int norm_bits = 0;                   ///< the clipping norm is 2^norm_bits grid units
  double momentum = 0;
  double average = 0;  ///< share of the last iterates that `suffix` averages
  Averaging averaging = Averaging::suffix;
  double mean_l2 = 0;  ///< penalty mean_l2/2 |w|^2 beside the mean loss, by a proximal step
  std::optional<double> radius;  ///< of the ball the weights stay in
  // By which clipping norm and step size follow the number of columns that are kept.
  GradientOptions options = {};
  double path_share = 1;   ///< of the step rule's path
  double one_release = 0;  ///< noise multiplier if the steps' share of the budget were one release

  /// Length of the noise in the mean gradient, for gradients of norm 1, if a part of the budget
  /// with the noise multiplier `of_release` were one release.
  [[nodiscard]] double relative_noise(std::int64_t of_columns, double of_release) const {
    return std::sqrt(static_cast<double>(of_columns * outputs)) * of_release /
           static_cast<double>(public_row_count);
  }
  /// The noise multiplier of the first release before the steps; 0 if there is none.
  [[nodiscard]] double first_noise() const {
    return std::max(standardise_noise, feature_selection_noise);
  }
};

/// The plan of the same releases for the columns that were kept: functions of what was released.
[[nodiscard]] GradientPlan on_selected_columns(const GradientPlan& plan,
                                               const data::Schema& narrowed);

/// Resolves all parameters from the options and the schema alone. UsageError when something needed
/// is missing or makes no sense, GuaranteeError when no guarantee can be proved for it.
[[nodiscard]] GradientPlan plan_gradient(const data::Schema& schema, const GradientOptions& options,
                                         const PlanContext& context = {});

/// Trains by the plan and commits the reservation. With one seed the model has the same bits for
/// any number of threads. A plan that standardises takes records of data::raw_schema(schema).
[[nodiscard]] TrainedModel train_gradient(const data::Dataset& dataset, const data::Schema& schema,
                                          const GradientPlan& plan, const TrainingContext& context);
/// The same for records that lie elsewhere, or in parts; the model has the same bits. InternalError
/// for a plan of samples of records that are not here.
[[nodiscard]] TrainedModel train_gradient(optimize::PartSums& records, const data::Schema& schema,
                                          const GradientPlan& plan, const TrainingContext& context);
/// The same with records that are given away: those that are written anew, for released means or
/// selected columns, are held in memory once.
[[nodiscard]] TrainedModel train_gradient(data::Dataset&& dataset, const data::Schema& schema,
                                          const GradientPlan& plan, const TrainingContext& context);

/// What a plan releases, and its settings: for planning and for the way back from a receipt.
[[nodiscard]] privacy::Event releases(const GradientPlan& plan);
void list_settings(SettingList& list, GradientPlan& plan);

extern const Method gradient_method;

}  // namespace tacet::learn
