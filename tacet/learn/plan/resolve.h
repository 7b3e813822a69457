#pragma once

#include <cstdint>
#include <optional>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/guarantee.h"

/// Decisions that methods of training share. Each uses the options and the schema alone, and says
/// in `reasons` what it chose on its own.
namespace tacet::learn {

/// UsageError when the schema has no target.
[[nodiscard]] const data::Target& target_of(const data::Schema& schema);

/// 1, or one a class beyond two.
[[nodiscard]] std::int64_t outputs_of(const data::Target& target);

/// The first lines of every plan: its method, loss, columns and outputs. The loss is the given one,
/// or logistic for classes, squared for numbers, soft_logistic for probabilities and poisson for
/// counts, and the only one where the method takes one alone; UsageError when it is not for this
/// kind of target. What a method is made for was asked before (expect_offered).
void resolve_problem(MethodPlan& plan, const data::Schema& schema, const CommonOptions& options,
                     const Problems& problems);

/// The same for methods that solve the squared loss alone, also of classes: two are the numbers -1
/// and 1, several have an indicator each.
void resolve_squared_problem(MethodPlan& plan, const data::Schema& schema,
                             const CommonOptions& options, const Problems& problems);

/// The declared number of records. UsageError when neither options nor schema declare one.
[[nodiscard]] std::int64_t resolve_row_count(const data::Schema& schema,
                                             const CommonOptions& options);

/// The given delta, or default_delta(row_count). 0 is a GuaranteeError: for methods with Gaussian
/// noise.
[[nodiscard]] privacy::Delta resolve_delta(const CommonOptions& options, std::int64_t row_count,
                                           Reasons& reasons);

/// The same for methods that can be pure: 0 where that was asked for.
[[nodiscard]] double resolve_delta_or_pure(const CommonOptions& options, std::int64_t row_count,
                                           Reasons& reasons);

/// UsageError for an l2 of 0 where the noise grows without bound as it falls; `usual` is what would
/// be chosen here.
void refuse_no_penalty(const MethodPlan& plan, const std::optional<double>& l2, double usual);

}  // namespace tacet::learn
