#pragma once

#include <cstdint>
#include <optional>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/learn/plan/training.h"

/// Method `preconditioned`: noisy gradient descent whose steps a released Gram matrix makes equally
/// long in every direction (boosted AdaSSP, Tang et al. 2023, for every loss).
///
/// One release of the sums of products of columns, then one of the sum of clipped gradients a step.
/// Each is multiplied by the inverse of (positive part of the released matrix + half of what its
/// noise can hide); the model is the mean of the last iterates. All releases are Gaussian and on
/// all records, so that mu^2 adds up exactly (Dong, Roth, Su 2019): (1 or sqrt 2)^2 / z_0^2 for the
/// matrix (docs/proofs/gram.md) and T (1 or 2)^2 / z^2 for the gradients (docs/proofs/gradient.md).
/// With a unit column one record of each unit takes part (learn/plan/unit_draw.h).
namespace tacet::learn {

struct PreconditionedPlan : Settled {
  double gram_noise_multiplier = 0;
  double gram_noise = 0;     ///< deviation of the released matrix's noise, on its diagonal
  double clipping_norm = 0;  ///< of a record's gradient; slopes are cut at that over the row norm
  double noise_multiplier = 0;  ///< of a step
  int norm_bits = 0;
  std::int64_t steps = 0;
  double step_size = 0;  ///< 1 would be Newton's step for a loss of the largest curvature
  double average = 0;    ///< share of the last iterates that the model is the mean of
  std::optional<privacy::Guarantee> claim{};  ///< of the paper, where it is followed
};

/// Settles all parameters from the options and the schema alone. UsageError for a loss without a
/// curvature, for more columns than optimize::most_gram_columns; GuaranteeError for delta 0.
[[nodiscard]] PreconditionedPlan plan_preconditioned(const data::Schema& schema,
                                                     const LinearOptions& options);
[[nodiscard]] TrainedModel train_preconditioned(const data::Dataset& dataset,
                                                const data::Schema& schema,
                                                const PreconditionedPlan& plan,
                                                const TrainingMeans& means);

extern const Method preconditioned_method;

}  // namespace tacet::learn
