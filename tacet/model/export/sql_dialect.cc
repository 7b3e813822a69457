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

namespace {

/// Blanks, a sign and digits with at most one point, in the words of both databases.
constexpr std::string_view digits_pattern = "[ \\t]*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)";

/// A cast to float8 ends the query where a number is beyond the doubles, so that only short texts
/// come to it; of the others the exact type tells first.
std::string postgresql_number(const std::string& text) {
  const auto is = [&](std::string_view exponent) {
    return fmt::format("{} ~ '^{}([eE][+-]?{})?[ \\t]*$'", text, digits_pattern, exponent);
  };
  return fmt::format(
      "CASE WHEN length({0}) < 100 AND {1} THEN CAST({0} AS float8) "
      "WHEN length({0}) < 10000 AND {2} THEN CASE "
      "WHEN CAST({0} AS numeric) > 1.7976931348623157e308 THEN float8 '1.7976931348623157e308' "
      "WHEN CAST({0} AS numeric) < -1.7976931348623157e308 THEN float8 '-1.7976931348623157e308' "
      "WHEN abs(CAST({0} AS numeric)) < 2.5e-324 THEN float8 '0' "
      "ELSE CAST(CAST({0} AS numeric) AS float8) END END",
      text, is("[0-9]{1,2}"), is("0*[0-9]{1,4}"));
}

}  // namespace

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
      return postgresql_number(fmt::format("CAST({} AS text)", column));
    case SqlDialect::duckdb:
      // The cast alone reads more than numbers, "1_000" say, and makes infinity of 1e400.
      return fmt::format(
          "CASE WHEN typeof({0}) = 'BOOLEAN' THEN TRY_CAST({0} AS DOUBLE) "
          "WHEN regexp_full_match(CAST({0} AS VARCHAR), '{1}([eE][+-]?[0-9]+)?[ \\t]*') THEN "
          "greatest(-1.7976931348623157e308, least(1.7976931348623157e308, "
          "TRY_CAST({0} AS DOUBLE))) END",
          column, digits_pattern);
  }
  throw base::InternalError("unknown dialect of SQL");
}

namespace {

/// A date, alone or followed by a time.
constexpr std::string_view day_pattern =
    "[ \\t]*[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}.*)?[ \\t]*";

/// NULL for a text that is not a date of the calendar; a cast would end the query with an error.
/// JSON has dates and times in ISO 8601, whatever style a session prints them in.
std::string postgresql_date(const std::string& column) {
  const auto given = fmt::format("(to_jsonb({}) #>> '{{}}')", column);
  const auto text = fmt::format("left(btrim({}, E' \\t'), 10)", given);
  const auto part = [&](int first, int size) {
    return fmt::format("CAST(substr({}, {}, {}) AS integer)", text, first, size);
  };
  const auto month = fmt::format("make_date({}, {}, 1)", part(1, 4), part(6, 2));
  return fmt::format(
      "CASE WHEN {0} ~ '^{1}$' AND {2} ~ '-(0[1-9]|1[0-2])-' AND left({2}, 4) <> '0000' THEN "
      "CASE WHEN {3} BETWEEN 1 AND extract(day FROM {4} + interval '1 month' - interval '1 day') "
      "THEN CAST({4} + ({3} - 1) - date '1970-01-01' AS float8) END END",
      given, day_pattern, text, part(9, 2), month);
}

/// GLOB has no alternatives.
std::string sqlite_date(const std::string& column) {
  const auto text = fmt::format("trim({}, ' ' || char(9))", column);
  const auto day = fmt::format("substr({}, 1, 10)", text);
  // date() turns a day that no calendar has into another day where it has something to add.
  return fmt::format(
      "CASE WHEN (length({0}) = 10 OR substr({0}, 11) GLOB '[T ][0-9][0-9]:[0-9][0-9]*') "
      "AND date({1}, '+0 days') = {1} THEN CAST(julianday({1}) - 2440587.5 AS REAL) END",
      text, day);
}

}  // namespace

std::string sql_read_date(SqlDialect dialect, const std::string& column) {
  switch (dialect) {
    case SqlDialect::sqlite:
      return sqlite_date(column);
    case SqlDialect::postgresql:
      return postgresql_date(column);
    case SqlDialect::duckdb:
      // The cast alone reads other spellings too, and words such as "epoch".
      return fmt::format(
          "CASE WHEN regexp_full_match(CAST({0} AS VARCHAR), '{1}') THEN CAST(date_diff('day', "
          "DATE '1970-01-01', TRY_CAST(substr(trim(CAST({0} AS VARCHAR), ' ' || chr(9)), 1, 10) "
          "AS DATE)) AS DOUBLE) END",
          column, day_pattern);
  }
  throw base::InternalError("unknown dialect of SQL");
}

}  // namespace tacet::model::internal
