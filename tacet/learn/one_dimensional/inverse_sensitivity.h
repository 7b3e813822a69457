#pragma once

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/minimum/norm_gradient.h"

/// Method `inverse-sensitivity`: one draw of the exponential mechanism whose score is the norm of
/// the gradient (Asi, Duchi 2020; Asi, Levy, Duchi 2021, section 3; Reimherr, Awan 2019). Purely
/// private; it adapts to how sharply the risk grows without being told. Offered where a sampler
/// with a proved law exists, and refused elsewhere:
///
///  * one encoded column without a penalty: exactly, on a grid of [-radius, radius], see
///    learn/one_dimensional/line_draw;
///  * any number of columns with a smooth loss and a penalty l2 above 0 that keeps the number of
///    proposals below a million: mechanism/minimum/norm_gradient.
///
/// No Markov chain is run: how close one comes to its law is not proved.
namespace tacet::learn {

/// What a user may ask of one draw scored by the gradient. Everything left out is chosen from
/// public facts.
struct InverseOptions : CommonOptions, PenaltyOptions, BallOptions {};
inline constexpr auto inverse_options =
    read_options<InverseOptions, penalty_bindings, ball_bindings>;

struct InverseSensitivityPlan : MethodPlan {
  bool on_a_line = false;    ///< one column, no penalty: the first sampler
  double radius = 0;         ///< of the first one's domain
  bool location = false;     ///< its column is the intercept, 1 in every record
  double clipping_norm = 0;  ///< of one record's gradient
  double mean_l2 = 0;        ///< the second one's penalty
  double epsilon = 0;        ///< of the events, at most the guarantee's

  /// What the draw is made for.
  [[nodiscard]] privacy::Epsilon spent() const { return privacy::Epsilon(epsilon); }
  /// What the second sampler is asked. Its smoothness and error bounds follow from the plan.
  [[nodiscard]] mechanism::NormGradientQuery query() const;
};

/// Resolves all parameters from the options and the schema alone. GuaranteeError where nothing is
/// proved: several columns without a smooth loss or with too small a penalty, several outputs, a
/// unit column, add_remove.
[[nodiscard]] InverseSensitivityPlan plan_inverse_sensitivity(const data::Schema& schema,
                                                              const InverseOptions& options,
                                                              const PlanContext& context = {});
[[nodiscard]] TrainedModel train_inverse_sensitivity(const data::Dataset& dataset,
                                                     const data::Schema& schema,
                                                     const InverseSensitivityPlan& plan,
                                                     const TrainingContext& context);

/// The settings of a plan, for planning and for the way back from a receipt.
void list_settings(SettingList& list, InverseSensitivityPlan& plan);

extern const Method inverse_sensitivity_method;

}  // namespace tacet::learn
