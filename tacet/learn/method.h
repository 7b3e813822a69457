#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/common_options.h"
#include "tacet/learn/plan/training.h"

/// The methods of training by name. A new method is a room that ends with its `const Method`, and
/// a line in method.cc.
namespace tacet::learn {

/// All methods, in the order of the help page.
[[nodiscard]] std::span<const Method* const> methods();

/// UsageError that lists the known names.
[[nodiscard]] const Method& find_method(std::string_view name,
                                        std::span<const Method* const> known = methods());

/// Whether delta 0 is asked for, with some protection at all.
[[nodiscard]] bool asks_pure(const ParameterValues& values);

/// The names of the methods that read a parameter; empty where all do.
[[nodiscard]] std::vector<std::string_view> readers_of(std::string_view parameter);

/// UsageError when a value was given that this method does not read; it names the methods that do.
void check_parameters(const Method& method, const ParameterValues& values);

/// UsageError for a schema whose columns have released means and standard deviations, which only
/// the model may have that they were released for.
void refuse_released_standards(const data::Schema& schema);

/// Whether the method reads this parameter.
[[nodiscard]] bool reads(const Method& method, std::string_view parameter);

/// Plans the training by the method that is asked for, gradient where none is, from public facts
/// alone. UsageError when something needed is missing, has no meaning for the method or makes no
/// sense, GuaranteeError when no guarantee can be proved for it. With epsilon infinite it is the
/// exact minimiser, whatever the method.
[[nodiscard]] Training plan_training(const data::Schema& schema, ParameterValues asked,
                                     const PlanContext& context = {},
                                     std::span<const Method* const> known = methods());

}  // namespace tacet::learn
