#pragma once

#include <string>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/privacy/guarantee.h"

/// Schedules of noisy descent on single records as papers have them.
namespace tacet::learn {

/// UsageError for problems that the papers' schedules and noise do not cover: other neighbours than
/// replace_one, no ball, several classes, units, class weights, and settings that the paper fixes.
void expect_paper_problem(const data::Schema& schema, const GradientOptions& options);

/// The course that a paper has, with the paper's noise.
struct PaperCourse {
  Course course = {};
  double gradient_bound = 0;  ///< as in the paper
  double noise = 0;           ///< standard deviation of the noise in a gradient
  std::string name = {};
  std::string remark = {};
};

/// The course of a plan that has its problem. Wang, Lei, Ying, Zhang (2021), Algorithm 2: the
/// schedule of Theorem 12 and the noise of Theorem 11; GuaranteeError if no beta meets the
/// conditions of the theorem. Arora, Bassily, Guzman, Menart, Ullah (2022): n^2 steps, at most a
/// million; UsageError for a loss that is neither smooth nor of bounded slope.
[[nodiscard]] PaperCourse paper_course(const GradientPlan& plan, const data::Schema& schema,
                                       const GradientOptions& options, privacy::Delta delta);

/// Adds to the reasons of the finished plan what the paper claims and what is proved instead.
void explain_paper(GradientPlan& plan, const PaperCourse& paper);

}  // namespace tacet::learn
