#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/loss/loss.h"

namespace tacet::learn {

/// The clipping norm if none is given, and the reason.
struct ClippingChoice {
  double norm;
  std::string reason;
};

/// Public facts that decide it.
struct ClippingFacts {
  const data::Schema& schema;
  const model::Loss& loss;
  std::int64_t outputs;  ///< 1, or one a class
  /// nu = sqrt(columns) s / records: the norm of the noise in the mean of gradients of norm 1, if
  /// the whole budget went into one release; its noise multiplier is s.
  double relative_noise;
};

/// The clipping norm for the squared loss of numbers, in units of the row norm: clamp(1/4 (0.005 /
/// nu)^0.3, 1/8, 1/2).
[[nodiscard]] double clipping_of_numbers(double relative_noise);

/// With several classes, with units, and for a loss other than logistic and squared: the loss's
/// largest slope, or a usual slope if that is unbounded. Otherwise it becomes smaller as the noise
/// grows: the rule weighs the bias of clipping against the noise that it saves.
/// docs/explanations/step-rule.md says on which data it was found.
[[nodiscard]] ClippingChoice choose_clipping(const ClippingFacts& facts);

/// The share of the last iterates that is averaged if none is given.
[[nodiscard]] double usual_average(const data::Schema& schema, std::int64_t outputs);

/// Further facts that decide the course of a plan.
struct CourseFacts {
  std::int64_t columns;   ///< that take part, or their expected number
  bool standardised;      ///< numbers are in released standard deviations
  double on_samples = 1;  ///< of the noise (BudgetNoise)
};

struct CourseChoice {
  Course course;
  Reasons reasons;
};

/// Chooses the clipping norm and the number and size of the steps, for a plan that has its problem,
/// its batches and the noise of one release. It uses the step rule. With curves it uses their own
/// rule (learn/plan/curves.h), whose clipping norm is in released standard deviations of the
/// target.
[[nodiscard]] CourseChoice choose_course(const GradientPlan& plan, const data::Schema& schema,
                                         const CourseFacts& facts);

/// The number of steps on samples of this rate: the given one, or ten passes over the records.
[[nodiscard]] std::int64_t steps_on_samples(const GradientOptions& options, double rate);

}  // namespace tacet::learn
