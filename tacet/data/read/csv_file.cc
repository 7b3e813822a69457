#include "tacet/data/read/csv_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "tacet/base/error.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/transcode.h"
#include "tacet/data/utf8.h"

namespace tacet::data {

CsvOptions csv_options(const FileFormat& format) {
  return {.separator = format.separator,
          .quote = format.quote,
          .trim = format.trim,
          .fill_short = format.fill_short,
          .comment = format.comment};
}

CsvReader open_csv(const std::filesystem::path& file, const FileFormat& format) {
  return {open_text(file, format.encoding), file.string(), csv_options(format)};
}

std::vector<std::string> read_column_names(CsvReader& reader, const FileFormat& format,
                                           std::span<const std::string> wanted) {
  std::vector<std::string> names = format.names;
  if (format.header) {
    if (format.separator == FileFormat{}.separator) reader.choose_separator(wanted);
    const auto header = reader.next();
    if (!header) {
      throw base::DataError("{}:1: the file is empty; a line of column names is expected",
                            reader.file_name());
    }
    names.assign(header->begin(), header->end());
  }
  reader.expect_columns(names.size());
  return names;
}

FileFormat with_found_separator(const std::filesystem::path& file, const FileFormat& format,
                                std::span<const std::string> wanted) {
  auto reader = open_csv(file, format);
  static_cast<void>(read_column_names(reader, format, wanted));
  auto resolved = format;
  resolved.separator = reader.separator();
  return resolved;
}

namespace {

/// ASCII letters, and whatever is beyond ASCII.
bool has_letter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
  });
}

}  // namespace

void check_header(const std::vector<std::string>& names, std::string_view file_name,
                  HeaderTrust trust) {
  std::unordered_map<std::string_view, std::size_t> places;
  const bool guessed = trust == HeaderTrust::guessed;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto refuse = [&](const std::string& what) {
      throw base::DataError(
          "{}:1: {}{}", file_name, what,
          guessed ? "; if that line is a record, give `no_header`, so that it is not published as "
                    "names; if it holds the columns' names, `header` lets numbers be some"
                  : "");
    };
    if (!valid_utf8(names[k]))
      refuse("the column names are not UTF-8; name the file's `encoding`, such as windows-1252");
    const auto [found, is_new] = places.try_emplace(names[k], k);
    if (!is_new) {
      refuse(fmt::format("columns {} and {} have the same text in the first line",
                         found->second + 1, k + 1));
    }
    if (names[0].starts_with("sep=")) {
      throw base::DataError(
          "{}:1: the names stand in the line below, this one is for spreadsheets; take it out: "
          "tail "
          "-n +2 FILE | tacet ... -",
          file_name);
    }
    if (names[k].empty()) {
      refuse(fmt::format("column {} has no text in the first line; a column needs a name{}", k + 1,
                         k > 0 ? ""
                         : names.back().empty()
                             ? " (bars around a drawn table? Take them off)"
                             : " (row numbers? Write the file without them: "
                               "row.names = FALSE in R, index=False in pandas)"));
    }
    if (!guessed) continue;
    if (parse_number(names[k])) {
      refuse(fmt::format("column {} has a number in the first line", k + 1));
    }
    if (!has_letter(names[k])) {
      refuse(fmt::format(
          "column {} has no letter in the first line, as dates and amounts have none", k + 1));
    }
  }
}

void expect_same_columns(std::span<const std::string> before, std::span<const std::string> now,
                         std::string_view file_name) {
  if (std::ranges::equal(before, now)) return;
  throw base::DataError(
      "{}: the columns are others than when the file was opened before; it was changed or replaced "
      "while it was read",
      file_name);
}

std::size_t column_place(std::string_view column, const std::vector<std::string>& names,
                         std::string_view file_name) {
  const auto count = std::count(names.begin(), names.end(), column);
  if (count != 1) {
    if (count == 0)
      throw base::DataError("{}: the file has no column named '{}'", file_name, column);
    throw base::DataError("{}: the file has {} columns named '{}', exactly one is needed",
                          file_name, count, column);
  }
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin());
}

}  // namespace tacet::data
