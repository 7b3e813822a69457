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

/// The file's column names, from its first record or from the format; further records must have as
/// many columns. A file without even a header is a DataError.
/// A header also says which separator a file has whose format names none other than the comma; the
/// `wanted` names help (CsvReader::choose_separator).
[[nodiscard]] std::vector<std::string> read_column_names(CsvReader& reader,
                                                         const FileFormat& format,
                                                         std::span<const std::string> wanted = {});

/// The format with the separator that was found in the file's line of names.
[[nodiscard]] FileFormat with_found_separator(const std::filesystem::path& file,
                                              const FileFormat& format,
                                              std::span<const std::string> wanted);

/// Opens a file of that format; its names come first.
[[nodiscard]] CsvReader open_csv(const std::filesystem::path& file, const FileFormat& format);

/// Refuses names that cannot stand in a schema (several alike, no text at all, or not UTF-8) and,
/// unless `declared` says that somebody vouches for them, numbers, which look like a record. Names
/// are published; the DataErrors say which column, never what stands there.
enum class HeaderTrust { guessed, declared };
void check_header(const std::vector<std::string>& names, std::string_view file_name,
                  HeaderTrust trust);

/// DataError unless a file that is opened again still has the columns that it had.
void expect_same_columns(std::span<const std::string> before, std::span<const std::string> now,
                         std::string_view file_name);

/// Where the column of that name stands; a DataError unless exactly one does.
[[nodiscard]] std::size_t column_place(std::string_view column,
                                       const std::vector<std::string>& names,
                                       std::string_view file_name);

}  // namespace tacet::data
