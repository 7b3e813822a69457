#include "tacet/model/export/export.h"

#include <nlohmann/json.hpp>

#include "tacet/base/error.h"
#include "tacet/model/export/c_export.h"
#include "tacet/model/export/coefficient_export.h"
#include "tacet/model/export/export_notes.h"
#include "tacet/model/export/sql_export.h"

namespace tacet::model {
namespace {

constexpr std::string_view options_mark = "options: ";

/// The JSON object after the mark, on the same line.
nlohmann::json written_options(std::string_view text) {
  if (text.starts_with('{')) return nlohmann::json::parse(text).at("export").at("options");
  const auto mark = text.find(options_mark);
  if (mark == std::string_view::npos) return {};
  const auto begin = mark + options_mark.size();
  return nlohmann::json::parse(text.substr(begin, text.find('\n', begin) - begin));
}

}  // namespace

ExportFormat parse_export_format(std::string_view name) {
  if (const auto found = internal::export_formats.find(name)) return *found;
  throw base::UsageError("`format` must be c, sql or coefficients, got '{}'", name);
}

SqlDialect parse_sql_dialect(std::string_view name) {
  if (const auto found = internal::sql_dialects.find(name)) return *found;
  throw base::UsageError("`dialect` must be sqlite, postgresql or duckdb, got '{}'", name);
}

std::string export_model(const ModelFile& file, const ExportOptions& options) {
  expect_margins(file.model);
  switch (options.format) {
    case ExportFormat::c:
      return internal::c_export(file);
    case ExportFormat::sql:
      return internal::sql_export(file, options);
    case ExportFormat::coefficients:
      return internal::coefficient_export(file);
  }
  throw base::InternalError("unknown format of an export");
}

ExportOptions options_of_export(std::string_view text, std::string_view file_name) {
  try {
    const auto written = written_options(text);
    ExportOptions options;
    options.format = parse_export_format(written.at("format").get<std::string>());
    if (options.format != ExportFormat::sql) return options;
    options.dialect = parse_sql_dialect(written.at("dialect").get<std::string>());
    options.table = written.at("table").get<std::string>();
    options.keep = written.at("keep").get<std::vector<std::string>>();
    return options;
  } catch (const nlohmann::json::exception&) {
    throw base::DataError(
        "{}: not an export of this program: it does not say how it was made; files that "
        "'python -m tacet.export' wrote are compared by that module",
        file_name);
  } catch (const base::UsageError& error) {
    throw base::DataError("{}: {}; perhaps a newer version wrote it", file_name, error.what());
  }
}

}  // namespace tacet::model
