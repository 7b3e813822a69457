#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tacet::base {

// Messages of the library name a parameter in backquotes, by its name with underscores, and with a
// value behind an equals sign where they propose one: `public_row_count`, `method=gradient`. What
// one does to a ledger or a schema is named alike: `ledger.resolve`, `schema.fit`. Every front end
// writes these as its users type them; programs in C and C++ see the backquotes.

/// How a front end writes the parameter of that name, with a value where a text proposes one.
/// Nothing for a name that the front end does not know.
using Spelling = std::function<std::optional<std::string>(std::string_view name,
                                                          std::optional<std::string_view> value)>;

/// The text with its parameters as `spelling` writes them. Whatever else stands in it, and every
/// name that is not known, stays as it is with its backquotes: names of columns and files, too.
[[nodiscard]] std::string spell_parameters(std::string_view text, const Spelling& spelling);

/// `step_size` in backquotes, for the name "step-size" of a table: how a message names it.
[[nodiscard]] std::string parameter_name(std::string_view name);

}  // namespace tacet::base
