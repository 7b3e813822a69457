#pragma once

#include <cstdint>
#include <optional>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/privacy/guarantee.h"

/// Choices that methods of training share. Each uses the options and the schema alone, and explains
/// in `reasons` what it chose.
namespace tacet::learn {

/// UsageError when the schema has no target.
[[nodiscard]] const data::Target& target_of(const data::Schema& schema);

/// 1, or the number of classes if there are more than two.
[[nodiscard]] std::int64_t outputs_of(const data::Target& target);

/// The first lines of every plan: its method, loss, columns and outputs. The loss is the given one,
/// or the only one that the method has. Otherwise it is logistic for classes, squared for numbers,
/// soft_logistic for probabilities and poisson for counts. UsageError if it is not for this kind of
/// target. Call expect_offered before.
void resolve_problem(MethodPlan& plan, const data::Schema& schema, const CommonOptions& options,
                     const Problems& problems);

/// As resolve_problem(), for methods that only have the squared loss. They also predict classes:
/// two as the numbers -1 and 1, several with an indicator each.
void resolve_squared_problem(MethodPlan& plan, const data::Schema& schema,
                             const CommonOptions& options, const Problems& problems);

/// The declared number of records. UsageError when neither options nor schema declare one.
[[nodiscard]] std::int64_t resolve_row_count(const data::Schema& schema,
                                             const CommonOptions& options);

/// The given delta, or default_delta(row_count). 0 is a GuaranteeError: for methods with Gaussian
/// noise.
[[nodiscard]] privacy::Delta resolve_delta(const CommonOptions& options, std::int64_t row_count,
                                           Reasons& reasons);

/// As above, for methods that can be pure: 0 if that was asked for.
[[nodiscard]] double resolve_delta_or_pure(const CommonOptions& options, std::int64_t row_count,
                                           Reasons& reasons);

/// UsageError for l2 = 0 if the noise grows without bound as l2 falls; `usual` is the value that
/// would be chosen here.
void refuse_no_penalty(const MethodPlan& plan, const std::optional<double>& l2, double usual);

}  // namespace tacet::learn
