#include "tacet/data/owner/cut_sample.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/ascii.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

constexpr std::size_t sampled_records = 100;
constexpr std::size_t sampled_bytes = std::size_t{1} << 16;

/// Whether a text is a number whose point is a comma: `1,5`.
bool has_decimal_comma(std::string_view field) {
  const auto comma = field.find(',');
  if (comma == std::string_view::npos) return false;
  std::string text(field);
  text[comma] = '.';
  return parse_number(text).has_value();
}

}  // namespace

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

bool is_whole(const std::string& beginning) { return beginning.size() < sampled_bytes; }

bool Sample::has_decimal_commas() const {
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

namespace {

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
  const auto whole = beginning_of(file);
  const auto text = without_byte_order_mark(whole);
  return text.starts_with(first) || text.find(std::string{'\n', first}) != std::string::npos;
}

/// Whether some field begins with a quote and either ends with one or contains an odd number of
/// them.
bool has_opened_fields(const Sample& sample) {
  const auto opened = [](const std::string& field) {
    if (!field.starts_with('"')) return false;
    return (field.size() > 1 && field.back() == '"') || std::ranges::count(field, '"') % 2 == 1;
  };
  return std::ranges::any_of(
      sample.records, [&](const auto& record) { return std::ranges::any_of(record, opened); });
}

Sample best_quoting(const ReadableText& file, FileFormat format) {
  try {
    return read_sample(file, format);
  } catch (const base::DataError&) {
    format.quote = std::nullopt;
    Sample plain = read_sample(file, format);
    if (has_opened_fields(plain)) throw;
    return plain;
  }
}

/// If some lines begin with #: takes them for comments, unless more records fit when they are read
/// as records.
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
  } catch (const base::DataError&) {  // all lines begin with #, or the format is another one
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

/// Whether the first lines have no usual separator and have equally many words, at least two. The
/// line of names may have one word less, since R writes names of rows without a heading.
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

}  // namespace

Sample best_sample(const ReadableText& file, const FileFormat& known,
                   std::optional<char> separator) {
  const auto cut_by = [&](char character) {
    auto format = known;
    format.separator = character;
    return best_comment(file, format);
  };
  if (separator) return cut_by(*separator);
  const auto beginning = beginning_of(file);
  if (cut_by_blanks(beginning, is_whole(beginning))) {
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
      "columns; name the separator with `separator`. Do quotes stand around whole lines? Take them "
      "off",
      file.name, single->records.size());
}

namespace {

// --- blanks and single quotes around fields

bool padded(const std::string& text) { return without_blanks(text).size() < text.size(); }

bool has_single_quotes(const std::string& field) {
  return field.size() > 1 && field.front() == '\'' && field.back() == '\'';
}

/// The sample, read again without blanks or single quotes around fields if the names have them.
Sample plainest(Sample sample, const ReadableText& file) {
  const auto& names = sample.records.front();
  auto format = sample.format;
  if (std::ranges::any_of(names, padded) && names.size() > 1) format.trim = true;
  const auto one_quoted = std::ranges::count_if(names, [](const std::string& name) {
    return has_single_quotes(std::string(without_blanks(name)));
  });
  if (one_quoted == std::ssize(names)) format.quote = '\'';
  if (format.trim == sample.format.trim && format.quote == sample.format.quote) return sample;
  try {
    return read_sample(file, format);
  } catch (const base::DataError&) {
    return sample;
  }
}

/// Reads the file without comments, if all lines that begin with the sign are divided like the
/// others: a name may begin with it.
Sample with_all_lines(Sample sample, const ReadableText& file) {
  auto format = sample.format;
  format.comment = std::nullopt;
  try {
    Sample all = read_sample(file, format);
    const bool alike = std::ranges::all_of(all.records, [&](const auto& record) {
      return record.size() == sample.columns || record.front()[0] != *sample.format.comment;
    });
    return alike ? all : sample;
  } catch (const base::DataError&) {
    return sample;
  }
}

}  // namespace

/// If quotes follow blanks, the file is read without these blanks.
Sample plain_sample(const ReadableText& file, FileFormat known, std::optional<char> separator) {
  try {
    auto sample = best_sample(file, known, separator);
    const bool guessed = sample.format.comment && !known.comment && sample.columns > 1;
    if (guessed) sample = with_all_lines(std::move(sample), file);
    return plainest(std::move(sample), file);
  } catch (const base::DataError&) {
    known.trim = true;
    try {
      return best_sample(file, known, separator);
    } catch (const base::DataError&) {
    }
    throw;
  }
}

}  // namespace tacet::data
