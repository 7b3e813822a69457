#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/read/csv.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

[[nodiscard]] CsvOptions csv_options(const FileFormat& format);

/// The file's column names, from its first record or from the format; later records must have as
/// many columns. DataError for a file without a header. If the format does not name a separator
/// other than the comma, the header also decides the separator; the `wanted` names help
/// (CsvReader::choose_separator).
[[nodiscard]] std::vector<std::string> read_column_names(CsvReader& reader,
                                                         const FileFormat& format,
                                                         std::span<const std::string> wanted = {});

/// The format with the separator that was found in the file's line of names.
[[nodiscard]] FileFormat with_found_separator(const std::filesystem::path& file,
                                              const FileFormat& format,
                                              std::span<const std::string> wanted);

/// Opens a file of that format; the line of names comes first.
[[nodiscard]] CsvReader open_csv(const std::filesystem::path& file, const FileFormat& format);

/// Refuses names that a schema cannot contain (equal names, empty ones, or not UTF-8). Unless
/// somebody vouches for them (`declared`), it also refuses numbers, which look like a record. Names
/// will be published. The DataErrors say which column, but never quote the text.
enum class HeaderTrust { guessed, declared };
void check_header(const std::vector<std::string>& names, std::string_view file_name,
                  HeaderTrust trust);

/// DataError if a file that is opened again no longer has the same columns.
void expect_same_columns(std::span<const std::string> before, std::span<const std::string> now,
                         std::string_view file_name);

/// The index of the column of that name; DataError unless exactly one has it.
[[nodiscard]] std::size_t column_place(std::string_view column,
                                       const std::vector<std::string>& names,
                                       std::string_view file_name);

}  // namespace tacet::data
