#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/choose/read_options.h"
#include "tacet/data/schema/schema.h"
#include "tacet/learn/plan/parameters.h"

/// `auto`: what is trained where nobody says how. Public facts alone decide: the declared number of
/// records, the columns of the schema, the kind of target and the loss, epsilon, delta, adjacency,
/// unit, and which options were given. No record is read, nothing is tried.
namespace tacet::choose {

/// A line of the table by which `auto` chooses; docs/methods/auto.md prints it.
struct AutoRule {
  std::string where;
  std::string choice;
};
[[nodiscard]] std::vector<AutoRule> auto_rules();

/// The method alone. Errors as auto_options.
[[nodiscard]] std::string_view auto_method(const learn::ParameterValues& given,
                                           const data::Schema& schema);

/// The options that `auto` stands for, with a line of `reasons` for each choice. What was given
/// holds; an option that some methods alone read picks among these. UsageError where options
/// exclude each other, and for values out of range; GuaranteeError where pure privacy is asked for
/// and nothing is pure. With epsilon infinite nothing is chosen.
[[nodiscard]] ResolvedRequest auto_options(const learn::ParameterValues& given,
                                           const data::Schema& schema);

/// The schema of a constant: the intercept alone, no column read. The schema itself where it has
/// none that could be left out.
[[nodiscard]] data::Schema constant_schema(const data::Schema& schema);

}  // namespace tacet::choose
