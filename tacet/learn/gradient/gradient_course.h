#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/loss/loss.h"

namespace tacet::learn {

/// The norm that gradients are clipped to when none is given, and why.
struct ClippingChoice {
  double norm;
  std::string reason;
};

/// Public facts that decide it.
struct ClippingFacts {
  const data::Schema& schema;
  const model::Loss& loss;
  std::int64_t outputs;  ///< 1, or one a class
  /// nu = sqrt(columns) s / records: length of the noise in the mean of gradients of norm 1 if the
  /// whole budget went into one release, which has noise multiplier s.
  double relative_noise;
};

/// The clipping norm for the squared loss of numbers, in units of the row norm: clamp(1/4 (0.005 /
/// nu)^0.3, 1/8, 1/2).
[[nodiscard]] double clipping_of_numbers(double relative_noise);

/// With several classes, units, or a loss other than logistic and squared: the loss's largest
/// slope, for unbounded ones a usual slope. Else smaller, the more noise there is: what clipping
/// distorts is weighed against the noise that it saves. docs/explanations/step-rule.md says on
/// which data the rule was found.
[[nodiscard]] ClippingChoice choose_clipping(const ClippingFacts& facts);

/// The share of the last iterates that is averaged where none is given.
[[nodiscard]] double usual_average(const data::Schema& schema, std::int64_t outputs);

/// What the course of a plan depends on beside what the plan has.
struct CourseFacts {
  std::int64_t columns;   ///< that take part, or the number that is expected to
  bool standardised;      ///< numbers are counted by released means
  double on_samples = 1;  ///< of the noise (BudgetNoise)
};

struct CourseChoice {
  Course course;
  Reasons reasons;
};

/// Clipping norm, number and size of the steps, for a plan that has its problem, its batches and
/// the noise of one release: by the step rule, or with curves by theirs (learn/plan/curves.h),
/// whose clipping norm is in released standard deviations of the target.
[[nodiscard]] CourseChoice choose_course(const GradientPlan& plan, const data::Schema& schema,
                                         const CourseFacts& facts);

/// The number of steps on samples of this rate: the given one, or ten passes over the records.
[[nodiscard]] std::int64_t steps_on_samples(const GradientOptions& options, double rate);

}  // namespace tacet::learn
