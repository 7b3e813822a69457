#include "tacet/model/export/sql_dialect.h"

#include <fmt/format.h>

#include "tacet/base/error.h"
#include "tacet/data/utf8.h"
#include "tacet/model/export/export_notes.h"

namespace tacet::model::internal {
namespace {

std::string doubled(std::string_view text, char mark) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == mark) out += c;
  }
  return out;
}

}  // namespace

std::string sql_name(std::string_view name) {
  if (name.empty() || name.find('\0') != std::string_view::npos || !data::valid_utf8(name)) {
    throw base::UsageError("'{}' cannot be the name of a table or column in SQL", name);
  }
  return '"' + doubled(name, '"') + '"';
}

std::string sql_folded(SqlDialect dialect, std::string_view name) {
  constexpr std::size_t bytes_of_postgresql = 63;
  if (dialect == SqlDialect::postgresql) return std::string(name.substr(0, bytes_of_postgresql));
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

std::string sql_table(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return sql_name(name);
  return sql_name(name.substr(0, dot)) + "." + sql_table(name.substr(dot + 1));
}

std::string sql_text(SqlDialect dialect, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    throw base::UsageError("a text with a zero byte cannot be exported as SQL; it begins with '{}'",
                           text.substr(0, text.find('\0')));
  }
  const auto quoted = '\'' + doubled(text, '\'') + '\'';
  // The same whatever the setting standard_conforming_strings is.
  if (dialect == SqlDialect::postgresql && text.find('\\') != std::string_view::npos) {
    return "E" + doubled(quoted, '\\');
  }
  return quoted;
}

std::string sql_number(SqlDialect dialect, double value) {
  auto text = double_text(value);
  // In other dialects the type of a signed literal depends on its context.
  if (dialect == SqlDialect::postgresql) return fmt::format("float8 '{}'", text);
  // Without an exponent it is a decimal number in DuckDB.
  if (dialect == SqlDialect::duckdb && text.find('e') == std::string::npos) text += "e0";
  return value < 0 ? fmt::format("({})", text) : text;
}

std::string sql_truncated(SqlDialect dialect, const std::string& number) {
  return dialect == SqlDialect::sqlite ? fmt::format("CAST({} AS INTEGER)", number)
                                       : fmt::format("trunc({})", number);
}

std::string sql_least(SqlDialect dialect, const std::string& a, const std::string& b) {
  return fmt::format("{}({}, {})", dialect == SqlDialect::sqlite ? "min" : "least", a, b);
}

std::string sql_largest(SqlDialect dialect, const std::string& values) {
  return fmt::format("{}({})", dialect == SqlDialect::sqlite ? "max" : "greatest", values);
}

std::string sql_read_text(SqlDialect dialect, const std::string& column) {
  switch (dialect) {
    case SqlDialect::sqlite:
      return fmt::format("CAST({} AS TEXT) COLLATE BINARY", column);
    case SqlDialect::postgresql:
      return fmt::format("CAST({} AS text) COLLATE \"C\"", column);
    case SqlDialect::duckdb:
      return fmt::format("CAST({} AS VARCHAR)", column);
  }
  throw base::InternalError("unknown dialect of SQL");
}

std::string sql_read_number(SqlDialect dialect, const std::string& column) {
  switch (dialect) {
    case SqlDialect::sqlite:
      // A cast accepts a text that begins with a number, so check first that the whole text is one.
      return fmt::format(
          "CASE WHEN typeof({0}) IN ('integer', 'real') THEN CAST({0} AS REAL) "
          "WHEN typeof({0}) = 'text' AND {1} NOT GLOB '*[^0-9.eE+-]*' AND {1} GLOB '*[0-9]*' "
          "AND {1} NOT GLOB '*[+-][+-]*' AND {1} NOT GLOB '*[0-9.][+-]*' "
          "AND {1} NOT GLOB '*.*.*' AND {1} NOT GLOB '*[eE]*[.eE]*' AND {1} NOT GLOB '[eE]*' "
          "AND {1} NOT GLOB '[+-][eE]*' AND {1} NOT GLOB '*[eE+-]' "
          "AND {1} NOT GLOB '.[eE]*' AND {1} NOT GLOB '[+-].[eE]*' "
          "THEN max(-1.7976931348623157e308, min(1.7976931348623157e308, CAST({1} AS REAL))) END",
          column, fmt::format("trim({}, ' ' || char(9))", column));
    case SqlDialect::postgresql:
      return fmt::format(
          "CASE WHEN CAST({0} AS text) ~ '^[ "
          "\\t]*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?([0-9]{{1,2}}|[12][0-9][0-9]))?[ "
          "\\t]*$' THEN CAST(CAST({0} AS text) AS float8) END",
          column);
    case SqlDialect::duckdb:
      return fmt::format("TRY_CAST({} AS DOUBLE)", column);
  }
  throw base::InternalError("unknown dialect of SQL");
}

namespace {

/// NULL for a text that is not a date of the calendar; a cast would end the query with an error.
/// JSON has dates and times in ISO 8601, whatever style a session prints them in.
std::string postgresql_date(const std::string& column) {
  const auto text = fmt::format("left(to_jsonb({}) #>> '{{}}', 10)", column);
  const auto part = [&](int first, int size) {
    return fmt::format("CAST(substr({}, {}, {}) AS integer)", text, first, size);
  };
  const auto month = fmt::format("make_date({}, {}, 1)", part(1, 4), part(6, 2));
  return fmt::format(
      "CASE WHEN {0} ~ '^[0-9]{{4}}-(0[1-9]|1[0-2])-[0-3][0-9]$' AND left({0}, 4) <> '0000' THEN "
      "CASE WHEN {1} BETWEEN 1 AND extract(day FROM {2} + interval '1 month' - interval '1 day') "
      "THEN CAST({2} + ({1} - 1) - date '1970-01-01' AS float8) END END",
      text, part(9, 2), month);
}

}  // namespace

std::string sql_read_date(SqlDialect dialect, const std::string& column) {
  switch (dialect) {
    case SqlDialect::sqlite:
      // date() turns an invalid date into another date.
      return fmt::format(
          "CASE WHEN date(substr({0}, 1, 10)) = substr({0}, 1, 10) THEN "
          "CAST(julianday(substr({0}, 1, 10)) - 2440587.5 AS REAL) END",
          column);
    case SqlDialect::postgresql:
      return postgresql_date(column);
    case SqlDialect::duckdb:
      return fmt::format(
          "CAST(date_diff('day', DATE '1970-01-01', TRY_CAST({} AS DATE)) AS DOUBLE)", column);
  }
  throw base::InternalError("unknown dialect of SQL");
}

}  // namespace tacet::model::internal
