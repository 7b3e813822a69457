#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacet/model/model_file.h"

/// A model as a text that needs no code of tacet: it maps the values of a record's columns to the
/// prediction. Every export states the model's guarantee, the SHA-256 of its receipt (the text of
/// privacy::receipt_to_json) and its own options, so that it can be made again and compared.
namespace tacet::model {

enum class ExportFormat {
  c,            ///< one file of C99 (c_export.h)
  sql,          ///< one query (sql_export.h)
  coefficients  ///< JSON (coefficient_export.h)
};

enum class SqlDialect { sqlite, postgresql, duckdb };

struct ExportOptions {
  ExportFormat format = ExportFormat::c;
  SqlDialect dialect = SqlDialect::sqlite;
  /// the table that the query scores; a dot ends the name of a schema
  std::string table = "records";
  std::vector<std::string> keep;  ///< columns that the result repeats
};

/// "c", "sql" or "coefficients"; anything else is a UsageError.
[[nodiscard]] ExportFormat parse_export_format(std::string_view name);
/// "sqlite", "postgresql" or "duckdb"; anything else is a UsageError.
[[nodiscard]] SqlDialect parse_sql_dialect(std::string_view name);

/// The same text for the same model, options and version. UsageError for a model that the format
/// cannot hold.
[[nodiscard]] std::string export_model(const ModelFile& file, const ExportOptions& options);

/// The options with which an export was made, as it states them. DataError, which begins with
/// `file_name`, if it does not state them.
[[nodiscard]] ExportOptions options_of_export(std::string_view text, std::string_view file_name);

}  // namespace tacet::model
