#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tacet::base {

// Messages of the library put a parameter's name between backquotes, with underscores. If they
// propose a value, it follows an equals sign: `public_row_count`, `method=gradient`. Actions on a
// ledger or a schema are named in the same way: `ledger.resolve`, `schema.fit`. Every front end
// writes these names as its users type them; programs in C and C++ see the backquotes.

/// Spells the parameter of that name as a front end does, with a value if the text proposes one.
/// Nothing for a name that the front end does not know.
using Spelling = std::function<std::optional<std::string>(std::string_view name,
                                                          std::optional<std::string_view> value)>;

/// The text with its parameters written by `spelling`. All other text stays as it is, and so do
/// names that are not known (columns, files), with their backquotes.
[[nodiscard]] std::string spell_parameters(std::string_view text, const Spelling& spelling);

/// How a message names a parameter of the table: "step-size" becomes `step_size` in backquotes.
[[nodiscard]] std::string parameter_name(std::string_view name);

}  // namespace tacet::base
