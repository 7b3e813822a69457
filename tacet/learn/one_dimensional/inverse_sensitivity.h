#pragma once

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/mechanism/minimum/norm_gradient.h"

/// Method `inverse-sensitivity`: one draw of the exponential mechanism whose score is the norm of
/// the gradient (Asi, Duchi 2020; Asi, Levy, Duchi 2021, section 3; Reimherr, Awan 2019). It has
/// pure privacy, and adapts to the growth of the risk without knowing it. It is offered only if
/// there is a sampler with a proved law:
///
/// * one encoded column without a penalty: exactly, on a grid of [-radius, radius], see
///    learn/one_dimensional/line_draw;
/// * any number of columns with a smooth loss and a penalty l2 above 0 that keeps the number of
///    proposals below a million: mechanism/minimum/norm_gradient.
///
/// No Markov chain is used, since it is not proved how close it comes to its law.
namespace tacet::learn {

/// The user's options of a draw that the gradient scores. All that are left out are chosen from
/// public facts.
struct InverseOptions : CommonOptions, PenaltyOptions, BallOptions {};
inline constexpr auto inverse_options =
    read_options<InverseOptions, penalty_bindings, ball_bindings>;

struct InverseSensitivityPlan : MethodPlan {
  bool on_a_line = false;    ///< one column, no penalty: the first sampler is used
  double radius = 0;         ///< of the first one's domain
  bool location = false;     ///< its column is the intercept, 1 in every record
  double clipping_norm = 0;  ///< of one record's gradient
  double mean_l2 = 0;        ///< the second one's penalty
  double epsilon = 0;        ///< epsilon of the events, at most that of the guarantee

  /// The epsilon for which the draw is made.
  [[nodiscard]] privacy::Epsilon spent() const { return privacy::Epsilon(epsilon); }
  /// The query for the second sampler. Smoothness and error bounds follow from the plan.
  [[nodiscard]] mechanism::NormGradientQuery query() const;
};

/// Chooses all parameters from the options and the schema alone. GuaranteeError if there is no
/// proof: several columns without a smooth loss or with too small a penalty, several outputs, a
/// unit column, add_remove.
[[nodiscard]] InverseSensitivityPlan plan_inverse_sensitivity(const data::Schema& schema,
                                                              const InverseOptions& options,
                                                              const PlanContext& context = {});
[[nodiscard]] TrainedModel train_inverse_sensitivity(const data::Dataset& dataset,
                                                     const data::Schema& schema,
                                                     const InverseSensitivityPlan& plan,
                                                     const TrainingContext& context);

/// The list of a plan's settings, which writes a receipt and reads it back.
void list_settings(SettingList& list, InverseSensitivityPlan& plan);

extern const Method inverse_sensitivity_method;

}  // namespace tacet::learn
