#include "tacet/data/owner/guess_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/ascii.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/owner/cut_sample.h"
#include "tacet/data/owner/guess_encoding.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/transcode.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

// --- what is no CSV file

ReadableText text_of(const std::filesystem::path& file, TextEncoding encoding) {
  return {file.string(), [=] { return open_text(file, encoding); }};
}

void refuse_other_kinds(const std::filesystem::path& file) {
  const auto* kind = recognised_kind(file);
  if (kind == nullptr) return;
  throw base::DataError(
      "{}: the file looks like {}, whose features have no names; a draft is for CSV files. Write "
      "the schema by hand: [format] with kind = \"{}\", [features] with count, lower and upper, "
      "and [target]",
      file.string(), kind->description, kind->name);
}

// --- tables drawn for people

// The first bytes of the box-drawing characters, for single and for double lines.
constexpr std::string_view drawn_line = "\xe2\x94";
constexpr std::string_view drawn_double_line = "\xe2\x95";

/// Whether a line consists of dashes, at least three in a row, and of characters between groups of
/// dashes.
bool is_ruling(std::string_view line) {
  return (line.find("---") != std::string_view::npos ||
          line.find("===") != std::string_view::npos) &&
         line.find_first_not_of("-=+|: \t,;\r") == std::string_view::npos;
}

bool has_drawn_lines(std::string_view line) {
  return line.find(drawn_line) != std::string_view::npos ||
         line.find(drawn_double_line) != std::string_view::npos;
}

/// Up to three lines from the first one that is not blank, with their numbers.
std::vector<std::pair<std::int64_t, std::string_view>> first_lines(std::string_view text) {
  constexpr std::size_t enough = 3;
  std::vector<std::pair<std::int64_t, std::string_view>> lines;
  for (std::int64_t number = 1; !text.empty() && lines.size() < enough; ++number) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    const auto line = text.substr(0, end + 1);
    if (line.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      lines.emplace_back(number, without_blanks(line.substr(0, line.find_last_not_of("\r\n") + 1)));
    }
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Refuses tables as psql, mysql, sqlcmd, SQL*Plus and Markdown show them on a screen.
void refuse_drawings(const std::filesystem::path& file, std::string_view beginning) {
  const auto lines = first_lines(beginning);
  const auto ruled = std::ranges::find_if(lines, [](const auto& line) {
    return is_ruling(line.second) || has_drawn_lines(line.second);
  });
  if (ruled == lines.end()) return;
  const auto& [number, ruling] = *ruled;
  const bool bars = ruling.starts_with('|') && !has_drawn_lines(ruling);
  if (bars) {
    throw base::DataError(
        "{}:{}: the table is drawn, as in Markdown; take the drawing off: sed -e '{}d' -e "
        "'s/^ *| *//' -e 's/ *| *$//' -e 's/ *| */|/g' FILE | tacet ... -",
        file.string(), number, number);
  }
  if (number > 1 && ruling.find_first_of("\t,;|") != std::string_view::npos) {
    throw base::DataError(
        "{}:{}: there are dashes alone below the names; take this line out: sed '{}d' FILE | tacet "
        "... -",
        file.string(), number, number);
  }
  throw base::DataError(
      "{}:{}: the table is drawn for a screen; let the program that drew it write CSV: psql with "
      "\\pset format csv, mysql -B (with tabs), sqlite3 -csv -header, SQL*Plus with SET MARKUP CSV "
      "ON",
      file.string(), number);
}

// --- header

enum class FirstLine { header, record, header_with_gaps };

FirstLine first_line(const Sample& sample) {
  const auto& first = sample.records.front();
  std::set<std::string_view> names;
  bool some_empty = false;
  for (std::size_t k = 0; k < first.size(); ++k) {
    some_empty = some_empty || first[k].empty();
    if (parse_number(first[k]) || !names.insert(first[k]).second) return FirstLine::record;
    const bool again =
        std::any_of(sample.records.begin() + 1, sample.records.end(), [&](const auto& record) {
          return k < record.size() && !first[k].empty() && record[k] == first[k];
        });
    if (again) return FirstLine::record;
  }
  return some_empty ? FirstLine::header_with_gaps : FirstLine::header;
}

bool holds(const std::vector<std::string>& record, const std::string& name) {
  return std::ranges::find(record, name) != record.end();
}

/// If one name is known, it shows which line contains the names.
void check_line_of_names(const Sample& sample, const std::string& name,
                         const std::filesystem::path& file) {
  const auto& first = sample.records.front();
  constexpr std::size_t near = 10;
  for (std::size_t k = 1; k < std::min(near, sample.records.size()); ++k) {
    if (holds(first, name) || !holds(sample.records[k], name)) continue;
    throw base::DataError(
        "{}:{}: the names of the columns stand here, not in the first line; leave out what is "
        "above them: tail -n +{} FILE | tacet ... -",
        file.string(), sample.lines[k], sample.lines[k]);
  }
  if (!holds(first, name)) return;
  std::set<std::string_view> names;
  for (const auto& text : first) {
    if (text.empty() || names.insert(text).second) continue;
    throw base::DataError("{}:1: two columns have the name '{}'; give each a name of its own",
                          file.string(), text);
  }
}

/// If the first line has more or fewer fields than the others, it is a title, or names contain
/// separators.
void check_length_of_first(const Sample& sample, const std::filesystem::path& file) {
  const auto length = sample.records.front().size();
  if (!sample.usable() || length == sample.columns) return;
  const auto behind = std::min(length, sample.columns);
  const bool ends_empty = std::ranges::all_of(
      sample.records.begin() + 1, sample.records.end(), [&](const auto& record) {
        return record.size() <= behind ||
               std::all_of(record.begin() + static_cast<std::ptrdiff_t>(behind), record.end(),
                           [](const auto& field) { return field.empty(); });
      });
  if (length < sample.columns && length > 1 && ends_empty) {
    const auto more = sample.columns - length;
    const char separator = sample.format.separator;
    throw base::DataError(
        "{}:1: records end with {} more {} than the first line; take {} off: sed 's/{}{{{}}}$//' "
        "-E FILE | tacet ... -",
        file.string(), more, more == 1 ? "separator" : "separators", more == 1 ? "it" : "them",
        separator == '\t' ? std::string("\\t") : fmt::format("[{}]", separator), more);
  }
  const auto& only = sample.records.front().front();
  for (const char other : {',', ';', '\t', '|'}) {
    const auto cuts = static_cast<std::size_t>(std::ranges::count(only, other)) + 1;
    if (length > 1 || cuts != sample.columns) continue;
    throw base::DataError(
        "{}:1: other characters stand between the names than between the values; write the first "
        "line as the others: sed '1s/{}/{}/g' FILE | tacet ... -",
        file.string(), other == '\t' ? "\\t" : std::string(1, other),
        sample.format.separator == '\t' ? "\\t" : std::string(1, sample.format.separator));
  }
  constexpr std::size_t fewest = 3;  // a title with one comma has two fields
  if (length + 1 == sample.columns && length >= fewest) {
    throw base::DataError(
        "{}:1: the first line has {} fields and most others have {}. Row names without a name, as "
        "R's write.table writes them? Write the file without them: row.names = FALSE. Do values "
        "hold the separator? Enclose them in double quotes",
        file.string(), length, sample.columns);
  }
  throw base::DataError(
      "{}:1: the first line has {} {} and most others have {}. Is it a title above the names? "
      "Leave "
      "it out: tail -n +2 FILE | tacet ... -. Do values hold the separator? Enclose them in double "
      "quotes",
      file.string(), length, length == 1 ? "field" : "fields", sample.columns);
}

/// Some names are missing. If it is only the first one: names of rows from R, or an index from
/// pandas. If it is the last ones: lines that end with separators.
[[noreturn]] void refuse_gaps(const std::vector<std::string>& names,
                              const std::filesystem::path& file) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k].empty()) places.push_back(k + 1);
  }
  const bool first = places == std::vector<std::size_t>{1};
  const bool last = places.size() == names.size() - places.front() + 1;
  const bool every_second = places.size() > 1 && names.size() == 2 * places.size() + 1 &&
                            std::ranges::all_of(places, [](auto k) { return k % 2 == 0; });
  const std::string_view why =
      every_second ? ". Two separators between fields? Write one: sed 's/||/|/g' FILE | tacet ... -"
      : first
          ? ". Row numbers? Write the file without them: in R write.csv(..., row.names = FALSE), "
            "in pandas to_csv(..., index=False)"
      : last ? ". Does each line end with a separator? Take it off"
             : "";
  throw base::DataError(
      "{}:1: no text in the first line in column {}; give each column a name, or `no_header` if "
      "that line is a record{}",
      file.string(), fmt::join(places, ", "), why);
}

bool begins_with_header(const Sample& sample, const std::string& known_name,
                        const std::filesystem::path& file) {
  const auto found = !known_name.empty() && holds(sample.records.front(), known_name)
                         ? FirstLine::header
                         : first_line(sample);
  const bool gaps = std::ranges::any_of(sample.records.front(), &std::string::empty);
  if (found == FirstLine::header && !gaps) return true;
  if (found == FirstLine::record) return false;
  refuse_gaps(sample.records.front(), file);
}

}  // namespace

const FileKind* recognised_kind(const std::filesystem::path& file) {
  return recognised_kind(text_of(file, encoding_by_mark(file)));
}

const FileKind* recognised_kind(const ReadableText& file) {
  const std::string text = beginning_of(file);
  const bool whole = is_whole(text);
  for (const FileKind& kind : file_kinds()) {
    if (kind.recognises != nullptr && kind.recognises(text, whole)) return &kind;
  }
  return nullptr;
}

FileFormat guess_format(const std::filesystem::path& file, std::optional<char> separator,
                        std::optional<bool> header, const KnownFormat& known) {
  if (!separator) refuse_other_kinds(file);
  FileFormat start;
  start.encoding = known.encoding ? *known.encoding : guess_encoding(file);
  start.comment = known.comment;
  const auto text = text_of(file, start.encoding);
  refuse_drawings(file, without_byte_order_mark(beginning_of(text)));
  const Sample sample = plain_sample(text, start, separator);
  if (!known.column.empty() && header.value_or(true)) {
    check_line_of_names(sample, known.column, file);
  }
  if (!header) check_length_of_first(sample, file);
  FileFormat format = sample.format;
  format.fill_short =
      sample.usable() && sample.longest == sample.columns && sample.fitting < sample.records.size();
  format.header = header ? *header
                         : sample.records.front().size() == sample.columns &&
                               begins_with_header(sample, known.column, file);
  if (!format.header) {
    for (std::size_t k = 1; k <= sample.columns; ++k) {
      format.names.push_back(fmt::format("column_{}", k));
    }
  }
  return format;
}

std::optional<FileFormat> likely_format(const ReadableText& text) {
  try {
    return best_sample(text, {}, std::nullopt).format;
  } catch (const base::DataError&) {
    return std::nullopt;
  }
}

}  // namespace tacet::data
