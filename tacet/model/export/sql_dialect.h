#pragma once

#include <string>
#include <string_view>

#include "tacet/model/export/export.h"

/// How the dialects of SQL write and read.
namespace tacet::model::internal {

/// A name in quotes. UsageError for one that no dialect can hold.
[[nodiscard]] std::string sql_name(std::string_view name);
/// The form of a name that the database compares: SQLite and DuckDB ignore the case of ASCII
/// letters, even in quotes, and PostgreSQL reads only 63 bytes.
[[nodiscard]] std::string sql_folded(SqlDialect dialect, std::string_view name);
/// A table's name, perhaps after the name of a schema and a dot; each part in quotes.
[[nodiscard]] std::string sql_table(std::string_view name);
/// A literal of a text without zero bytes.
[[nodiscard]] std::string sql_text(SqlDialect dialect, std::string_view text);
/// A literal of a number of double precision.
[[nodiscard]] std::string sql_number(SqlDialect dialect, double value);

/// The integer next to a number toward zero.
[[nodiscard]] std::string sql_truncated(SqlDialect dialect, const std::string& number);
[[nodiscard]] std::string sql_least(SqlDialect dialect, const std::string& a, const std::string& b);
[[nodiscard]] std::string sql_largest(SqlDialect dialect, const std::string& values);

/// Expressions that convert a column's value: to its text, which is compared byte by byte; to its
/// number, or the number of its text, in double precision; to the days since 1970-01-01. NULL if it
/// has none.
[[nodiscard]] std::string sql_read_text(SqlDialect dialect, const std::string& column);
[[nodiscard]] std::string sql_read_number(SqlDialect dialect, const std::string& column);
[[nodiscard]] std::string sql_read_date(SqlDialect dialect, const std::string& column);

}  // namespace tacet::model::internal
