#include "tacet/data/owner/guess_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/transcode.h"

namespace tacet::data {
namespace {

constexpr std::size_t sampled_records = 100;
constexpr std::size_t sampled_bytes = std::size_t{1} << 16;

// --- what is no CSV file

ReadableText text_of(const std::filesystem::path& file, TextEncoding encoding) {
  return {file.string(), [=] { return open_text(file, encoding); }};
}

std::string beginning_of(const ReadableText& file) {
  const auto source = file.open();
  std::string text(sampled_bytes, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const auto count = source->read(std::span(text).subspan(filled));
    if (count == 0) break;
    filled += count;
  }
  text.resize(filled);
  return text;
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

// --- separator and quotes

/// Whether a text is a number whose point is a comma: `1,5`.
bool has_decimal_comma(std::string_view field) {
  const auto comma = field.find(',');
  if (comma == std::string_view::npos) return false;
  std::string text(field);
  text[comma] = '.';
  return parse_number(text).has_value();
}

/// The first records as one separator cuts them.
struct Sample {
  FileFormat format;
  std::vector<std::vector<std::string>> records;
  std::vector<std::int64_t> lines;  // where they begin
  std::size_t columns = 0;          // the commonest number of columns
  std::size_t fitting = 0;          // records that have it
  std::size_t longest = 0;

  [[nodiscard]] bool usable() const { return columns > 1 && 10 * fitting >= 9 * records.size(); }
  [[nodiscard]] auto rank() const { return std::pair(fitting, columns); }
  /// Whether all commas in its fields are the points of numbers, and some are.
  [[nodiscard]] bool has_decimal_commas() const {
    bool some = false;
    for (const auto& record : records) {
      for (const auto& field : record) {
        if (field.find(',') == std::string::npos) continue;
        if (!has_decimal_comma(field)) return false;
        some = true;
      }
    }
    return some;
  }
  /// Whether it is the better one of two usable ways to cut; the comma, which is tried first, cuts
  /// numbers that have one for a point into more columns than there are.
  [[nodiscard]] bool better_than(const Sample& other) const {
    if (other.format.separator == ',' && fitting >= other.fitting && has_decimal_commas()) {
      return true;
    }
    return rank() > other.rank();
  }
};

Sample read_sample(const ReadableText& file, const FileFormat& format) {
  Sample sample;
  sample.format = format;
  CsvReader reader(file.open(), file.name, csv_options(format));
  std::map<std::size_t, std::size_t> counts;
  std::int64_t bytes = 0;
  while (sample.records.size() < sampled_records && bytes < base::limits::sample_bytes) {
    const auto record = reader.next();
    if (!record) break;
    sample.records.emplace_back(record->begin(), record->end());
    sample.lines.push_back(reader.line());
    for (const auto& field : *record) {
      bytes += static_cast<std::int64_t>(field.size() + sizeof(std::string));
    }
    sample.longest = std::max(sample.longest, record->size());
    if (++counts[record->size()] >= sample.fitting) {
      sample.fitting = counts[record->size()];
      sample.columns = record->size();
    }
  }
  if (sample.records.empty()) throw base::DataError("{}: the file is empty", file.name);
  return sample;
}

bool has_line_with(const ReadableText& file, char first) {
  const auto text = beginning_of(file);
  return text.starts_with(first) || text.find(std::string{'\n', first}) != std::string::npos;
}

bool has_enclosed_fields(const Sample& sample) {
  const auto enclosed = [](const std::string& field) {
    return field.size() > 1 && field.front() == '"' && field.back() == '"';
  };
  return std::ranges::any_of(
      sample.records, [&](const auto& record) { return std::ranges::any_of(record, enclosed); });
}

Sample best_quoting(const ReadableText& file, FileFormat format) {
  try {
    return read_sample(file, format);
  } catch (const base::DataError&) {
    format.quote = std::nullopt;
    Sample plain = read_sample(file, format);
    if (has_enclosed_fields(plain)) throw;
    return plain;
  }
}

/// Where lines begin with #: whether they are comments, since they are cut unlike all others.
Sample best_comment(const ReadableText& file, const FileFormat& format) {
  constexpr char usual = '#';
  if (format.comment || !has_line_with(file, usual)) {
    return best_quoting(file, format);
  }
  auto commented = format;
  commented.comment = usual;
  std::optional<Sample> without;
  try {
    without = best_quoting(file, commented);
  } catch (const base::DataError&) {  // all lines begin so, or the format is another one
    return best_quoting(file, format);
  }
  try {
    Sample with = best_quoting(file, format);
    const bool like_others = with.fitting > without->fitting;
    return like_others ? with : *std::move(without);
  } catch (const base::DataError&) {
    return *std::move(without);
  }
}

constexpr std::array candidates{',', ';', '\t', '|'};

std::int64_t words_in(std::string_view line) {
  std::int64_t words = 0;
  for (std::size_t at = 0; (at = line.find_first_not_of(' ', at)) != std::string_view::npos;) {
    ++words;
    at = std::min(line.find(' ', at), line.size());
  }
  return words;
}

/// Whether the first lines have no usual separator and equally many words, at least two; below the
/// names there may be one more, as R writes the names of rows.
bool cut_by_blanks(std::string_view text, bool whole) {
  constexpr std::size_t enough = 10;
  std::vector<std::int64_t> words;
  while (!text.empty() && words.size() < enough) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos && !whole) break;
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    for (const char separator : candidates) {
      if (line.find(separator) != std::string_view::npos) return false;
    }
    if (!line.empty()) words.push_back(words_in(line));
  }
  if (words.size() < 3) return false;
  const bool equal = std::all_of(words.begin() + 1, words.end(),
                                 [&](std::int64_t count) { return count == words[1]; });
  return equal && words[1] > 1 && (words[0] == words[1] || words[0] + 1 == words[1]);
}

Sample best_sample(const ReadableText& file, const FileFormat& known,
                   std::optional<char> separator) {
  const auto cut_by = [&](char character) {
    auto format = known;
    format.separator = character;
    return best_comment(file, format);
  };
  if (separator) return cut_by(*separator);
  const auto beginning = beginning_of(file);
  if (cut_by_blanks(beginning, beginning.size() < sampled_bytes)) {
    throw base::DataError(
        "{}: the columns stand apart by blanks; put commas there: (tr -s ' ' ',' < FILE) | tacet "
        "... "
        "-, or write the file with commas, in R by write.csv(..., row.names = FALSE). If it is one "
        "column of texts, name a `separator` that does not occur in it",
        file.name);
  }
  std::optional<Sample> best;
  std::optional<Sample> single;
  std::string fault;
  bool one_column = true;
  for (const char candidate : candidates) {
    try {
      Sample sample = cut_by(candidate);
      one_column = one_column && sample.longest == 1;
      if (!single) single = sample;
      if (sample.usable() && (!best || sample.better_than(*best))) best = std::move(sample);
    } catch (const base::DataError& error) {
      if (fault.empty()) fault = error.what();
    }
  }
  if (best) return *std::move(best);
  if (!fault.empty()) throw base::DataError(fault);
  if (one_column && single) return *std::move(single);
  throw base::DataError(
      "{}: none of comma, semicolon, tab and bar cuts the first {} records into equally many "
      "columns; name the separator with `separator`",
      file.name, single->records.size());
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

/// A name that is known tells which line holds the names.
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

/// Where the first line is shorter or longer than the others, it is a title, or they hold
/// separators.
void check_length_of_first(const Sample& sample, const std::filesystem::path& file) {
  const auto length = sample.records.front().size();
  if (!sample.usable() || length == sample.columns) return;
  constexpr std::size_t fewest = 3;  // a title with a comma has two
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

/// Some names are missing. The first one alone: row names of R, an index of pandas. The last ones:
/// lines that end with separators.
[[noreturn]] void refuse_gaps(const std::vector<std::string>& names,
                              const std::filesystem::path& file) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k].empty()) places.push_back(k + 1);
  }
  const bool first = places == std::vector<std::size_t>{1};
  const bool last = places.size() == names.size() - places.front() + 1;
  const std::string_view why =
      first ? ". Row numbers? Write the file without them: in R write.csv(..., row.names = FALSE), "
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
  const bool whole = text.size() < sampled_bytes;
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
  const Sample sample = best_sample(text_of(file, start.encoding), start, separator);
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
