#pragma once

#include <string_view>

namespace tacet::data::internal {

/// Refuses what no schema is, before a parser makes a tree of it: more than limits::schema_values
/// keys and values, or dotted keys, tables and lists deeper than limits::schema_depth. A tree of
/// 20,000 levels would end its parser by the end of the stack. DataError `file_name:line: ...`.
///
/// Strings and comments are told apart as in TOML 1.0; of a text that is no TOML only what stands
/// before the first fault is looked at rightly, and a parser reads no further.
void check_toml_limits(std::string_view text, std::string_view file_name);

}  // namespace tacet::data::internal
