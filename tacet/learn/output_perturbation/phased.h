#pragma once

#include <cstdint>
#include <vector>

#include "tacet/data/dataset.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/output_perturbation/sgd_problem.h"
#include "tacet/learn/plan/training.h"
#include "tacet/optimize/sgd/sgd_law.h"

/// Phased output perturbation: phase i makes one pass over its own part of the records, starting at
/// the released weights of the phase before. It has half as many records and a quarter of the step
/// size. It releases the mean of its iterates (Feldman, Koren, Talwar 2020, for losses that need
/// not be smooth).
///
/// Guarantee: that of one phase, since a record is in one part only: Gaussian DP with mu =
/// sensitivity / standard deviation, the same ratio in every phase, under replace_one or zero_out
/// (docs/proofs/phased.md).
namespace tacet::learn {

struct PhasedOptions : DescentOptions {
  std::optional<std::int64_t> phases{};
};
inline constexpr std::array phased_bindings{bind<&PhasedOptions::phases>("phases")};
inline constexpr auto phased_options =
    read_options<PhasedOptions, descent_bindings, penalty_bindings, ball_bindings, phased_bindings>;

struct Phase {
  std::int64_t first;  ///< index of its first record in the public order
  std::int64_t count;
  double step_size;
};

/// The phases of n records: floor(n / 2^i) records for each of the first k - 1 phases, and the rest
/// for the last. Step sizes are step_size 4^-i, i = 1..k.
[[nodiscard]] std::vector<Phase> cut_into_phases(std::int64_t n, std::int64_t k, double step_size);

/// Public facts that determine the number of phases.
struct PhaseFacts {
  std::int64_t records;
  std::int64_t dimension;  ///< released numbers
  double scale;            ///< R: size of the best weights
  double lipschitz;        ///< G
  double share;     ///< 1/2 for a smooth loss, 3/4 for one that is smoothed on the width of a step
  double ratio;     ///< standard deviation over sensitivity
  double distance;  ///< 2 under replace_one, 1 under zero_out
  double outputs = 1;  ///< predictors side by side
};

struct PhaseChoice {
  std::int64_t phases;
  double step_size;         ///< the base; phase 1 uses a quarter of it
  double predicted_excess;  ///< A / step + B step, its least value 2 sqrt(A B)
};

/// The best step size of k phases.
[[nodiscard]] PhaseChoice best_step(const PhaseFacts& facts, std::int64_t phases);
/// The number of phases in 1..max(1, floor(log2 n) - 3) with the least predicted excess.
[[nodiscard]] PhaseChoice best_phases(const PhaseFacts& facts);
/// The predicted excess at another step size.
[[nodiscard]] double predicted_excess(const PhaseFacts& facts, std::int64_t phases,
                                      double step_size);

struct PhasedPlan : MethodPlan {
  std::int64_t order_seed = 0;
  optimize::SgdProblem problem;
  double mean_l2 = 0;
  double weight_scale = 0;
  double step_size = 0;  ///< the base
  std::vector<Phase> phases;
  std::vector<double> sensitivities;  ///< of the phases, if they start at 0
  double noise_multiplier = 0;
  int norm_bits = 0;
  double stddev = 0;  ///< standard deviation of the last phase's noise in each coefficient
  double predicted_excess = 0;  ///< bound of the expected excess risk
};

/// As plan_output.
[[nodiscard]] PhasedPlan plan_phased(const data::Schema& schema, const PhasedOptions& options,
                                     const PlanContext& context = {});
/// As train_output.
[[nodiscard]] TrainedModel train_phased(const data::Dataset& dataset, const data::Schema& schema,
                                        const PhasedPlan& plan, const TrainingContext& context);

/// The event of a plan, and the list of its settings, which writes a receipt and reads it back.
[[nodiscard]] privacy::Event releases(const PhasedPlan& plan);
void list_settings(SettingList& list, PhasedPlan& plan);

extern const Method phased_method;

}  // namespace tacet::learn
