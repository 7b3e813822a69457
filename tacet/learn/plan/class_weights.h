#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"
#include "tacet/model/class_weights.h"

/// Class weights in words: `yes=3,no=1`, by the names of the target's classes.
namespace tacet::learn {

/// UsageError for a target that is a number, a name that is none of its classes or stands twice, or
/// a number out of range. Classes that are not named weigh 1.
[[nodiscard]] model::ClassWeights parse_class_weights(std::string_view text,
                                                      const data::Target& target);

/// The same text for the weights of a schema; empty without any.
[[nodiscard]] std::string class_weights_text(const data::Target& target);

/// The weights that were given, or else the schema's, and the setting that says so; for methods
/// that take them.
void resolve_class_weights(MethodPlan& plan, const data::Schema& schema,
                           const std::optional<std::string>& given);

}  // namespace tacet::learn
