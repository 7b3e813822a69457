#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/privacy/guarantee.h"

/// Schedules of noisy descent on single records as papers have them.
namespace tacet::learn {

/// What a paper says of noisy descent on single records, beside steps and step size.
struct PaperCourse {
  double gradient_bound;  ///< as the paper has it
  double noise;           ///< its standard deviation, in a gradient
  std::string name;
  std::string remark = {};
};

/// Algorithm 2 of Wang, Lei, Ying, Zhang (2021): the schedule of Theorem 12, the noise of
/// Theorem 11. Determines steps and step size; GuaranteeError where no beta meets the conditions of
/// the theorem.
[[nodiscard]] PaperCourse wang_course(GradientPlan& plan, const data::Schema& schema,
                                      const GradientOptions& options, privacy::Delta delta);

/// Noisy SGD of Arora, Bassily, Guzman, Menart, Ullah (2022): n^2 steps, of which at most a million
/// are carried out. UsageError for a loss that is neither smooth nor of bounded slope.
[[nodiscard]] PaperCourse arora_course(GradientPlan& plan, const data::Schema& schema,
                                       const GradientOptions& options, privacy::Delta delta);

}  // namespace tacet::learn
