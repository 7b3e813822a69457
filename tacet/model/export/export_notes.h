#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/names.h"
#include "tacet/model/export/export.h"

/// The notes of every export, and how it writes numbers.
namespace tacet::model::internal {

inline constexpr auto export_formats =
    base::names<ExportFormat>({{ExportFormat::c, "c"},
                               {ExportFormat::sql, "sql"},
                               {ExportFormat::coefficients, "coefficients"}});
inline constexpr auto sql_dialects =
    base::names<SqlDialect>({{SqlDialect::sqlite, "sqlite"},
                             {SqlDialect::postgresql, "postgresql"},
                             {SqlDialect::duckdb, "duckdb"}});

/// The mark in the names of what an unprotected model exports.
inline constexpr std::string_view unprotected_mark = "UNPROTECTED";

/// The SHA-256 of the receipt's JSON.
[[nodiscard]] std::string receipt_sha256(const privacy::Receipt& receipt);

/// The options as JSON on one line, in ASCII.
[[nodiscard]] nlohmann::ordered_json options_json(const ExportOptions& options);

/// Comment lines, with at most 90 bytes if words allow it: what the file is, the options, the
/// guarantee in words, the receipt's sum, the version. Without control characters or ends of lines.
[[nodiscard]] std::vector<std::string> export_notes(const ModelFile& file,
                                                    const ExportOptions& options);

/// The text in lines of about that many bytes, cut at blanks.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// The shortest decimal number that reads back as the same double, with a point or an exponent.
[[nodiscard]] std::string double_text(double value);

/// UsageError if only the model file can contain the model.
void expect_exportable(const ModelFile& file, std::string_view format);

/// UsageError if an export cannot hold this number of coefficients.
void expect_coefficients(std::int64_t count);

/// The coefficients, with 0 for full columns that were left out, one output after the other.
/// UsageError if there are too many.
[[nodiscard]] std::vector<double> full_coefficients(const ModelFile& file);

}  // namespace tacet::model::internal
