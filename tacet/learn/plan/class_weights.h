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

/// UsageError for a numeric target, for a name that is not a class or occurs twice, and for a
/// weight out of range. Classes that are not named have weight 1.
[[nodiscard]] model::ClassWeights parse_class_weights(std::string_view text,
                                                      const data::Target& target);

/// The same form of text for the weights of a schema; empty if there are none.
[[nodiscard]] std::string class_weights_text(const data::Target& target);

/// Takes the given weights, or else the schema's, and adds the setting that states them; for
/// methods that use class weights.
void resolve_class_weights(MethodPlan& plan, const data::Schema& schema,
                           const std::optional<std::string>& given);

}  // namespace tacet::learn
