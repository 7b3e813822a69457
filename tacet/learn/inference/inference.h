#pragma once

#include <optional>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/inference/inference_run.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"

/// Method `inference`: a regression whose coefficients have intervals for sampling error and
/// privacy noise together (docs/explanations/inference.md, docs/proofs/inference.md).
///
/// Numbers use least squares, two classes the logistic model, and counts the Poisson model, which
/// is experimental. Terms name the columns. Knots and standardisation are not used, and records
/// that lack a value have weight 0. Every release is a Gaussian on one joint sum; all noise
/// multipliers follow from one number, the mean model and the number of steps. With a unit column,
/// one record of each unit takes part (learn/plan/unit_draw.h).
///
/// The model has a table instead of coefficients, and cannot predict.
namespace tacet::learn {

/// Whether errors may be skewed; a narrow cut could then bias the intercept.
enum class ErrorLaw { any, symmetric };
inline constexpr auto error_laws =
    base::names<ErrorLaw>({{ErrorLaw::any, "any"}, {ErrorLaw::symmetric, "symmetric"}});

struct InferenceTraining : CommonOptions {
  std::string terms{};  ///< empty: all columns
  std::optional<double> reach{};
  ErrorLaw errors = ErrorLaw::any;
  std::optional<std::int64_t> count_cut{};
};

inline constexpr std::array inference_bindings{
    bind<&InferenceTraining::terms>("terms"), bind<&InferenceTraining::reach>("reach"),
    bind<&InferenceTraining::errors, error_laws>("errors"),
    bind<&InferenceTraining::count_cut>("count-cut")};
inline constexpr auto inference_options = read_options<InferenceTraining, inference_bindings>;

struct InferencePlan : MethodPlan {
  InferenceSetup setup{};
  double noise_multiplier = 0;    ///< of one release that takes the whole budget
  std::int64_t newton_steps = 0;  ///< number of rough steps, before the last release
  InferenceForecast forecast{};
};

/// Chooses everything from the options and the schema alone. UsageError as regression_design and
/// check_identified, for another loss than the mean model's, and for class weights; GuaranteeError
/// for delta 0.
[[nodiscard]] InferencePlan plan_inference(const data::Schema& schema,
                                           const InferenceTraining& options,
                                           const PlanContext& context = {});
/// `dataset` holds records of plan.setup.design.reading.
[[nodiscard]] TrainedModel train_inference(const data::Dataset& dataset, const data::Schema& schema,
                                           const InferencePlan& plan,
                                           const TrainingContext& context);

/// The event of a plan, and the list of its settings, which writes a receipt and reads it back.
[[nodiscard]] privacy::Event releases(const InferencePlan& plan);
void list_settings(SettingList& list, InferencePlan& plan);

extern const Method inference_method;

}  // namespace tacet::learn
