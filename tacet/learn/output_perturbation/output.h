#pragma once

#include <cstdint>
#include <optional>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/output_perturbation/sgd_problem.h"
#include "tacet/learn/plan/training.h"
#include "tacet/optimize/sgd/sgd.h"

/// Output perturbation: stochastic gradient descent without noise in a public order, and one
/// Gaussian release of the mean of its iterates.
///
/// Guarantee: Gaussian DP with mu = sensitivity / standard deviation under replace_one or zero_out,
/// for every data set and without a probability of failure: the sensitivity is that of the order
/// that was drawn (docs/proofs/output_perturbation.md, Theorems A and B; after Wu et al. 2017 and
/// Wang, Lei, Ying, Zhang 2021). Losses with kinks are smoothed on a width that depends on the step
/// size, so that no step moves two runs further apart. add_remove is refused: the number of records
/// determines the schedule.
namespace tacet::learn {

struct OutputPerturbationOptions : DescentOptions {
  std::optional<std::int64_t> steps{};
  double step_decay = 0;            ///< step t has the size step_size / t^step_decay
  std::optional<double> average{};  ///< share of the last iterates that are averaged
  std::optional<Averaging> averaging{};
  std::optional<std::int64_t> batch_size{};
  std::optional<std::string> sampling{};  ///< how the records of a step are selected
};
inline constexpr std::array output_bindings{
    bind<&OutputPerturbationOptions::steps>("steps"),
    bind<&OutputPerturbationOptions::step_decay>("step-decay"),
    bind<&OutputPerturbationOptions::average>("average"),
    bind<&OutputPerturbationOptions::averaging, averaging_names>("averaging"),
    bind<&OutputPerturbationOptions::batch_size>("batch-size"),
    bind<&OutputPerturbationOptions::sampling>("sampling"),
};
inline constexpr auto output_options =
    read_options<OutputPerturbationOptions, descent_bindings, penalty_bindings, ball_bindings,
                 smoothing_bindings, output_bindings, calibration_bindings>;

/// Everything that is resolved before a record is read.
struct OutputPlan : MethodPlan {
  optimize::SgdProblem problem;
  optimize::RecordOrder sampling = optimize::RecordOrder::permutation;
  std::int64_t order_seed = 0;
  std::int64_t steps = 1;
  std::int64_t batch = 1;  ///< records per step
  double step_size = 1;
  double step_decay = 0;
  double mean_l2 = 0;
  optimize::IterateWeights weights;
  std::optional<optimize::CertifiedSgd> sgd;  ///< problem, schedule and certificate
  double noise_multiplier = 0;  ///< standard deviation over half the sensitivity under replace_one
  int norm_bits = 0;
  double stddev = 0;  ///< standard deviation of the noise in each released coefficient
  std::optional<double> predicted_excess;  ///< bound of the expected excess risk, if one is proved
  double weight_scale = 0;                 ///< norm of the best weights for which it is proved
};

/// UsageError if something is missing or makes no sense. GuaranteeError if there is no proof:
/// add_remove, a step too large for a smooth loss, clipped gradients of several classes.
[[nodiscard]] OutputPlan plan_output(const data::Schema& schema,
                                     const OutputPerturbationOptions& options,
                                     const PlanContext& context = {});

/// Trains as planned and commits the reservation. DataError, with the reservation given back, if
/// the data set does not have public_row_count records.
[[nodiscard]] TrainedModel train_output(const data::Dataset& dataset, const data::Schema& schema,
                                        const OutputPlan& plan, const TrainingContext& context);

/// The event of a plan, and the list of its settings, which writes a receipt and reads it back.
[[nodiscard]] privacy::Event releases(const OutputPlan& plan);
void list_settings(SettingList& list, OutputPlan& plan);

extern const Method output_method;

/// The step size that minimises the bound of the excess risk over weights of norm R,
///   R^2 / (2 step T) + step G^2 b + step noise_slope,
/// for T single steps on fresh records of a G-Lipschitz loss. b is 1/2 for a smooth loss and 3/4
/// for one that is smoothed on the width of a step. noise_slope * step is the expected loss that
/// the noise adds.
struct ExcessBound {
  double scale;        ///< R
  double lipschitz;    ///< G
  double steps;        ///< T
  double share;        ///< b
  double noise_slope;  ///< G z sqrt(2/pi) sensitivity / step: no dimension in it

  [[nodiscard]] double best_step() const;
  [[nodiscard]] double at(double step) const;
};

}  // namespace tacet::learn
