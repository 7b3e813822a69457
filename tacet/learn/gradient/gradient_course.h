#pragma once

#include <cstdint>
#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/model/loss/loss.h"
#include "tacet/privacy/guarantee.h"

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

/// Of the squared loss of numbers, in units of the row norm: clamp(1/4 (0.005 / nu)^0.3, 1/8, 1/2).
[[nodiscard]] double clipping_of_numbers(double relative_noise);

/// With several classes, units, or a loss other than logistic and squared: the loss's largest
/// slope, for unbounded ones a usual slope. Else smaller, the more noise there is: what clipping
/// distorts is weighed against the noise that it saves. docs/explanations/step-rule.md says on
/// which data the rule was found.
[[nodiscard]] ClippingChoice choose_clipping(const ClippingFacts& facts);

/// The share of the last iterates that is averaged where none is given.
[[nodiscard]] double usual_average(const data::Schema& schema, std::int64_t outputs);

/// What the course of a plan depends on beside the plan's options and its noise.
struct CourseFacts {
  std::int64_t columns;  ///< that take part, or the number that is expected to
  bool standardised;     ///< numbers are counted by released means
  privacy::Delta delta;
};

/// Clipping norm, number and size of the steps. What was chosen is said in `reasons`.
struct GradientCourse {
  double clipping_norm;
  std::int64_t steps;
  double step_size;
};
[[nodiscard]] GradientCourse choose_course(const GradientPlan& plan, const data::Schema& schema,
                                           const CourseFacts& facts, Reasons& reasons);

/// The same with curves, by their rule (learn/plan/curves.h): the clipping norm is in released
/// standard deviations of the target. Sets the rates of the plan too, and its reasons.
[[nodiscard]] GradientCourse curve_course(GradientPlan& plan);

}  // namespace tacet::learn
