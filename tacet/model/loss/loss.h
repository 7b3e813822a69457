#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacet/model/loss/absolute.h"
#include "tacet/model/loss/custom.h"
#include "tacet/model/loss/hinge.h"
#include "tacet/model/loss/huber.h"
#include "tacet/model/loss/insensitive.h"
#include "tacet/model/loss/log_cosh.h"
#include "tacet/model/loss/logistic.h"
#include "tacet/model/loss/pinball.h"
#include "tacet/model/loss/poisson.h"
#include "tacet/model/loss/power.h"
#include "tacet/model/loss/squared.h"

/// Losses of linear predictors: convex scalar functions of a prediction u = <w, x> and a label y.
///
/// Labels are -1 and +1 for classes, in [-1, 1] for numbers, and in [0, 1] for shares. `slope` is
/// the derivative in u, or a fixed subgradient where there is none, so that two runs with the same
/// weights take the same step.
///
/// Example:
///
///     const model::Loss loss = model::make_loss("huber", 0.5);  // its threshold
///     const double slope = model::loss_slope(loss, 0.2, 1.0);   // at prediction 0.2, label 1
namespace tacet::model {

/// All losses. A new one is a file and a line here (loss_parts.h says what the file must state).
/// Loops over records are templates over the family, with one std::visit outside of the loop.
using Loss = std::variant<LogisticLoss,                    //
                          SquaredLoss,                     //
                          HingeLoss,                       //
                          SmoothedHingeLoss,               //
                          HuberLoss,                       //
                          AbsoluteLoss,                    //
                          PinballLoss,                     //
                          PowerHingeLoss,                  //
                          PowerRegressionLoss,             //
                          SmoothedAbsoluteLoss,            //
                          SmoothedPinballLoss,             //
                          EpsilonInsensitiveLoss,          //
                          SmoothedEpsilonInsensitiveLoss,  //
                          SquaredEpsilonInsensitiveLoss,   //
                          LinearisedPowerHingeLoss,        //
                          LinearisedPowerRegressionLoss,   //
                          SoftmaxLoss,                     //
                          PseudoHuberLoss,                 //
                          LogCoshLoss,                     //
                          SoftLogisticLoss,                //
                          PoissonLoss,                     //
                          ExtendedPoissonLoss,             //
                          CustomLossOfClasses,             //
                          CustomLossOfNumbers>;

/// Facts that hold for every prediction and every label.
struct LossProperties {
  double slope_bound;   ///< of |slope|; `unbounded` for the squared loss and for powers
  double curvature;     ///< Lipschitz constant of the slope; `unbounded` if there is none
  bool classification;  ///< labels are signs
  Labels labels;
};

/// The bounds of a label.
struct LabelRange {
  double lower;
  double upper;
};
[[nodiscard]] LabelRange label_range(Labels labels);
/// The valid label nearest to `label`: its sign, or the nearest number in range. A label that is
/// not finite becomes +1 for signs, else 0.
[[nodiscard]] double sanitised_label(Labels labels, double label);
/// At which prediction the loss of a label is least; infinite at the ends of some shares.
[[nodiscard]] double best_prediction(const Loss& loss, double label);

[[nodiscard]] LossProperties properties(const Loss& loss);
[[nodiscard]] std::string_view loss_name(const Loss& loss);
[[nodiscard]] double loss_value(const Loss& loss, double prediction, double label);
[[nodiscard]] double loss_slope(const Loss& loss, double prediction, double label);

/// The loss's own parameter (`width`, `threshold`, `quantile`, `exponent`, `insensitivity`), NaN
/// for a loss without one.
[[nodiscard]] double loss_parameter(const Loss& loss);
/// Its name, empty for a loss without one.
[[nodiscard]] std::string_view loss_parameter_name(const Loss& loss);
/// The width of the smoothing of a loss that has another parameter besides; NaN for any other.
[[nodiscard]] double loss_width(const Loss& loss);

/// A loss by name; `parameter` and `width` are NaN for their defaults. UsageError for an unknown
/// name, for a number out of range, and for a number that the loss does not have.
[[nodiscard]] Loss make_loss(std::string_view name,
                             double parameter = std::numeric_limits<double>::quiet_NaN(),
                             double width = std::numeric_limits<double>::quiet_NaN());
/// All names that make_loss accepts; custom losses have none.
[[nodiscard]] std::vector<std::string> loss_names();

/// A custom loss for signs or numbers (custom.h). UsageError for other labels, missing functions
/// and constants that are not above 0.
[[nodiscard]] Loss custom_loss(Labels labels, CustomFunctions functions);
[[nodiscard]] bool is_custom(const Loss& loss);

}  // namespace tacet::model
