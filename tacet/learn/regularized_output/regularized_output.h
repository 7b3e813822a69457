#pragma once

#include <cstdint>
#include <optional>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"

/// Method `regularized-output`: the minimiser of a strongly convex risk plus noise.
///
/// Minimises sum_i loss(<w, x_i>, y_i) + (Lambda/2) |w|^2 over the ball of radius R and releases
/// the minimiser plus Gaussian noise (with delta 0: noise of density exp(-|z| / s)). One record
/// moves the exact minimiser by at most G / Lambda, where G bounds a record's gradient on the ball.
/// A replaced record moves it by at most D / Lambda, where D <= 2 G bounds the distance between two
/// records' gradients. For replace_one and zero_out the solver is gradient descent with a fixed
/// number of steps, whose iterates are no more sensitive, converged or not. For add_remove, where
/// the number of records is private, and if descent would take long, it is a solver with a
/// certificate (optimize/solver/local_minimum.h). It works for any loss of a linear predictor:
/// kinks are smoothed by a Moreau envelope of public width, and unbounded slopes are cut at the
/// edge of the ball. With a unit column one record of each unit takes part
/// (learn/plan/unit_draw.h). docs/proofs/regularized-output.md; Chaudhuri, Monteleoni, Sarwate 2011
/// with the constants of Arora, Bassily, Guzman, Menart, Ullah 2022.
namespace tacet::learn {

/// The user's options of output perturbation of a minimiser. All that are left out are chosen from
/// public facts.
struct RegularizedOptions : CommonOptions, PenaltyOptions, BallOptions, ClassWeightOptions {};
inline constexpr auto regularized_options =
    read_options<RegularizedOptions, penalty_bindings, ball_bindings, class_weight_bindings,
                 calibration_bindings>;

struct RegularizedOutputPlan : MethodPlan {
  double sum_l2 = 0;            ///< Lambda, of the sum over the records
  double radius = 0;            ///< R
  double slope_bound = 0;       ///< of the loss on the ball; G is this times the norm of a row
  double gradient_share = 0;    ///< G, or D / 2 under replace_one
  double smoothing_width = 0;   ///< 0 for a loss without kinks
  double noise_multiplier = 0;  ///< of the Gaussian noise; 0 for pure privacy
  double record_share = 0;      ///< largest distance that one record moves the result, on its grid
  /// standard deviation of the noise at the public count, or its scale for pure privacy
  double noise = 0;
  std::int64_t steps = 0;       ///< of the descent; 0: the certified solver is used
  double solver_tolerance = 0;  ///< of the certified route

  [[nodiscard]] bool pure() const { return guarantee.delta == 0; }
};

/// Chooses all parameters from the options and the schema alone. UsageError if something is missing
/// or makes no sense; GuaranteeError for more than two classes.
[[nodiscard]] RegularizedOutputPlan plan_regularized_output(const data::Schema& schema,
                                                            const RegularizedOptions& options,
                                                            const PlanContext& context = {});
[[nodiscard]] TrainedModel train_regularized_output(const data::Dataset& dataset,
                                                    const data::Schema& schema,
                                                    const RegularizedOutputPlan& plan,
                                                    const TrainingContext& context);

/// The list of a plan's settings, which writes a receipt and reads it back.
void list_settings(SettingList& list, RegularizedOutputPlan& plan);

extern const Method regularized_output_method;

/// lambda = Lambda / n that balances the bias lambda R^2 / 2 against the cost of the noise. That
/// cost does not depend on the dimension, because only <noise, x> matters. It is H X^2 sigma^2 / 2
/// for a smooth loss and sqrt(2/pi) G_z X sigma for a Lipschitz one, with sigma = distance G_z X /
/// (lambda n mu). The smaller one of the two is used.
struct OutputNoiseFacts {
  double rows;
  double norm_bound;  ///< X
  double slope;       ///< G_z
  double curvature;   ///< H; infinite: only Lipschitz
  double radius;
  double distance;  ///< 1 or 2
  double mu;        ///< of the release; for pure privacy epsilon / sqrt(d + 1)
};
[[nodiscard]] double optimal_mean_l2(const OutputNoiseFacts& facts);

}  // namespace tacet::learn
