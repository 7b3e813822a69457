#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/dataset.h"
#include "tacet/learn/inference/inference_plan.h"
#include "tacet/learn/inference/joint_law.h"
#include "tacet/learn/inference/regression_design.h"
#include "tacet/learn/plan/training.h"

/// The releases of method inference, one after the other.
namespace tacet::learn {

/// A regression that is planned but not begun.
struct InferenceSetup {
  RegressionDesign design{};
  InferenceOptions options{};
  RegressionFacts facts{};
  InferenceNoise noise{};
  std::string warning{};  ///< for people, if some coefficients may not be identified
};

/// Chooses constants and noise from public facts alone. Errors as check_identified and
/// inference_noise; NumericError if the noise does not fit the sampler's grid.
[[nodiscard]] InferenceSetup inference_setup(RegressionDesign design,
                                             const InferenceOptions& options);

/// Keystream blocks that the noise of a run takes, and their words together: at most, whatever the
/// number of steps.
struct NoiseRoom {
  std::int64_t blocks = 0;
  std::int64_t words = 0;
};
[[nodiscard]] NoiseRoom noise_room(const RegressionDesign& design);

/// Fits records that were read with setup.design.reading, one per unit. Debits the events
/// releases(setup.noise), in order. The bits are the same for any number of threads.
[[nodiscard]] RegressionEstimate run_inference(const data::Dataset& records,
                                               const InferenceSetup& setup,
                                               const TrainingContext& context);

}  // namespace tacet::learn
