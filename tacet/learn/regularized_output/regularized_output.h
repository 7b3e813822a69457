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
/// moves the exact minimiser by at most G / Lambda, G the bound of a record's gradient on the ball,
/// or D / Lambda where it is replaced, D <= 2 G that of the distance between two records'
/// gradients. For replace_one and zero_out the solver is gradient descent of a fixed length, whose
/// iterates move no further than that, converged or not; for add_remove, where the number of
/// records is private, and where descent would take long it is one with a certificate
/// (optimize/solver/local_minimum.h). Any loss of a
/// linear predictor: kinks are rounded by their Moreau envelope of a public width, unbounded slopes
/// cut where the ball ends. With a unit column one record of each unit takes part
/// (learn/plan/unit_draw.h). docs/proofs/regularized-output.md; Chaudhuri, Monteleoni, Sarwate 2011
/// with the constants of Arora, Bassily, Guzman, Menart, Ullah 2022.
namespace tacet::learn {

/// What a user may ask of output perturbation of a minimiser. Everything left out is chosen from
/// public facts.
struct RegularizedOptions : CommonOptions, PenaltyOptions, BallOptions, ClassWeightOptions {};
inline constexpr auto regularized_options =
    read_options<RegularizedOptions, penalty_bindings, ball_bindings, class_weight_bindings,
                 calibration_bindings>;

struct RegularizedOutputPlan : MethodPlan {
  double sum_l2 = 0;            ///< Lambda, of the sum over the records
  double radius = 0;            ///< R
  double slope_bound = 0;       ///< of the loss on the ball; G is that times the row norm
  double gradient_share = 0;    ///< G, or D / 2 under replace_one
  double smoothing_width = 0;   ///< 0 for a loss without kinks
  double noise_multiplier = 0;  ///< of the Gaussian noise; 0 for pure privacy
  double record_share = 0;      ///< how far one record moves the result at most, on the grid
  double noise = 0;        ///< standard deviation, or for pure privacy scale, for the public count
  std::int64_t steps = 0;  ///< of the descent; 0: the certified route
  double solver_tolerance = 0;  ///< of the certified route

  [[nodiscard]] bool pure() const { return guarantee.delta == 0; }
};

/// Resolves all parameters from the options and the schema alone. UsageError when something needed
/// is missing or makes no sense; GuaranteeError for more than two classes.
[[nodiscard]] RegularizedOutputPlan plan_regularized_output(const data::Schema& schema,
                                                            const RegularizedOptions& options,
                                                            const PlanContext& context = {});
[[nodiscard]] TrainedModel train_regularized_output(const data::Dataset& dataset,
                                                    const data::Schema& schema,
                                                    const RegularizedOutputPlan& plan,
                                                    const TrainingContext& context);

/// The settings of a plan, for planning and for the way back from a receipt.
void list_settings(SettingList& list, RegularizedOutputPlan& plan);

extern const Method regularized_output_method;

/// Lambda / n that balances the bias lambda R^2 / 2 against the noise's cost, which does not depend
/// on the dimension because only <noise, x> matters: H X^2 sigma^2 / 2 for a smooth loss,
/// sqrt(2/pi) G_z X sigma for a Lipschitz one, sigma = distance G_z X / (lambda n mu). The smaller
/// predicted cost of the two decides.
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
