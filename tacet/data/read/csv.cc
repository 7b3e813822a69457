#include "tacet/data/read/csv.h"

#include <fmt/format.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/read/line_fault.h"

namespace tacet::data {
namespace {

constexpr auto max_columns = static_cast<std::size_t>(base::limits::csv_columns);

constexpr std::string_view zero_byte =
    "a zero byte; the file is binary or damaged, not CSV. Text in UTF-16 needs encoding = "
    "\"utf-16\" under [format] in its schema";

// Vector loads may read this many bytes after the sentinel.
constexpr std::size_t padding = 16;

bool blank(char c) { return c == ' ' || c == '\t'; }

/// A line of names divided by a separator, without the quotes around names.
std::vector<std::string> header_fields(std::string_view line, char separator,
                                       std::optional<char> quote) {
  std::vector<std::string> fields(1);
  bool in_quotes = false;
  for (const char c : line) {
    if (quote && c == *quote) {
      in_quotes = !in_quotes;
    } else if (c == separator && !in_quotes) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteSource> source, std::string file_name,
                     const CsvOptions& options)
    : source_(options.from_start ? without_byte_order_mark(std::move(source)) : std::move(source)),
      file_name_(std::move(file_name)),
      options_(options),
      buffer_(std::max<std::size_t>(options.buffer_size, 16) + padding) {
  note_specials();
  refill();
}

void CsvReader::note_specials() {
  special_.fill(false);
  for (const char c : {options_.separator, '\n', '\r', '\0'}) {
    special_[static_cast<unsigned char>(c)] = true;
  }
  if (options_.quote) special_[static_cast<unsigned char>(*options_.quote)] = true;
}

/// The first line, of the text read so far, that is neither blank nor a comment.
std::string_view CsvReader::first_line() const {
  std::string_view text(buffer_.data() + begin_, end_ - begin_);
  while (!text.empty()) {
    bool in_quotes = false;
    std::size_t end = 0;
    while (end < text.size() && (in_quotes || text[end] != '\n')) {
      in_quotes ^= options_.quote && text[end] == *options_.quote;
      ++end;
    }
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && line.front() != options_.comment) return line;
    // A comment ends with its line, whatever quotes it holds.
    if (!line.empty()) end = std::min(text.find('\n'), text.size());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

void CsvReader::choose_separator(std::span<const std::string> wanted) {
  const auto line = first_line();
  constexpr std::string_view candidates = ",;\t|";
  char best = options_.separator;
  std::size_t best_found = 0;
  std::size_t best_fields = 1;
  for (const char candidate : candidates) {
    const auto fields = header_fields(line, candidate, options_.quote);
    const auto found = static_cast<std::size_t>(std::ranges::count_if(
        wanted, [&](const auto& name) { return std::ranges::find(fields, name) != fields.end(); }));
    const bool comma_cuts = best == ',' && best_fields > 1;
    if (found < best_found) continue;
    if (found == best_found && (comma_cuts || fields.size() <= best_fields)) continue;
    best = candidate;
    best_found = found;
    best_fields = fields.size();
  }
  options_.separator = best;
  note_specials();
}

std::optional<std::span<const std::string_view>> CsvReader::next() {
  for (;;) {
    if (begin_ == end_ && !refill()) return std::nullopt;
    switch (parse_record()) {
      case Outcome::record:
        return std::span<const std::string_view>(fields_);
      case Outcome::blank:
        break;
      case Outcome::need_more:
        refill();
    }
  }
}

std::optional<BegunText> CsvReader::take_rest() {
  if (exhausted_) return std::nullopt;
  return BegunText{.begun = {buffer_.data() + begin_, end_ - begin_}, .source = std::move(source_)};
}

bool CsvReader::refill() {
  const std::size_t kept = end_ - begin_;
  if (kept > static_cast<std::size_t>(longest_with_end())) fail_too_long();
  std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  begin_ = 0;
  end_ = kept;
  // At least half of the buffer then becomes free for new bytes, so reading a long record again
  // costs a constant factor.
  if (kept > (buffer_.size() - padding) / 2) buffer_.resize(2 * buffer_.size() - padding);
  const std::size_t capacity = buffer_.size() - padding;
  try {
    while (!exhausted_ && end_ < capacity) {
      const std::size_t count = source_->read(std::span(buffer_).subspan(end_, capacity - end_));
      exhausted_ = count == 0;
      end_ += count;
    }
  } catch (...) {
    // otherwise the records before it are read first, and the source is asked again
    if (end_ == kept) throw;
  }
  buffer_[end_] = '\n';
  return end_ > begin_;
}

CsvReader::Outcome CsvReader::parse_record() {
  fields_.clear();
  escaped_fields_.clear();
  quoted_lines_ = 0;
  const char* at = buffer_.data() + begin_;
  const char* const end = buffer_.data() + end_;
  // Comments are recognised only above the line of names. Below it, the text of one record would
  // decide whether it is a record.
  if (!expected_columns_ && options_.comment && at < end && *at == *options_.comment) {
    return skip_line(at);
  }
  const bool simple = !options_.trim;
  for (;;) {
    if (simple) at = parse_plain_fields(at);
    if (options_.trim) {
      while (blank(*at) && *at != options_.separator) ++at;
    }
    const bool quoted = options_.quote && at < end && *at == *options_.quote;
    at = quoted ? parse_quoted(at) : parse_plain(at);
    if (at == nullptr) return Outcome::need_more;
    if (at < end && *at == options_.separator) {
      ++at;
      continue;
    }
    if (at < end && *at == '\r') ++at;
    return finish_record(std::min(at + 1, end));
  }
}

CsvReader::Outcome CsvReader::skip_line(const char* at) {
  const char* const end = buffer_.data() + end_;
  const auto* line_end =
      static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
  if (line_end == nullptr && !exhausted_) return Outcome::need_more;
  ++line_;
  const char* const next = line_end == nullptr ? end : line_end + 1;
  begin_ = static_cast<std::size_t>(next - buffer_.data());
  return Outcome::blank;
}

/// The next separator, line end, quote or zero byte; at the latest the sentinel.
inline const char* CsvReader::find_special(const char* at) const {
#if defined(__SSE2__)
  const __m128i separator = _mm_set1_epi8(options_.separator);
  const __m128i quote = _mm_set1_epi8(options_.quote.value_or('\n'));
  const __m128i line_feed = _mm_set1_epi8('\n');
  const __m128i carriage_return = _mm_set1_epi8('\r');
  for (;; at += sizeof(__m128i)) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i ends =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, line_feed), _mm_cmpeq_epi8(bytes, carriage_return));
    const __m128i marks =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, separator), _mm_cmpeq_epi8(bytes, quote));
    const __m128i zeros = _mm_cmpeq_epi8(bytes, _mm_setzero_si128());
    const int found = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(ends, marks), zeros));
    if (found != 0) return at + std::countr_zero(static_cast<unsigned>(found));
  }
#else
  while (!special_[static_cast<unsigned char>(*at)]) ++at;
  return at;
#endif
}

/// Reads the plain fields that end at a separator, as most do. Returns the start of the first other
/// field.
const char* CsvReader::parse_plain_fields(const char* at) {
  const char separator = options_.separator;
  const std::size_t max = expected_columns_.value_or(max_columns);
  for (;;) {
    const char* const first = at;
    at = find_special(at);
    if (*at != separator || fields_.size() == max) return first;
    fields_.emplace_back(first, static_cast<std::size_t>(at - first));
    ++at;
  }
}

const char* CsvReader::parse_plain(const char* at) {
  const char* const end = buffer_.data() + end_;
  const char* const first = at;
  at = find_special(at);
  if (at == end && !exhausted_) return nullptr;
  if (at < end && *at != options_.separator && *at != '\n') {
    if (*at == '\0') fail(at, zero_byte);
    if (*at != '\r') {
      fail(at, "a quote inside an unquoted field; quote the whole field and double inner quotes");
    }
    if (at + 1 == end && !exhausted_) return nullptr;
    if (at + 1 < end && at[1] != '\n') {
      fail(at,
           "a carriage return without a line feed outside of quotes; where all lines end so: "
           "(tr '\\r' '\\n' < FILE) | tacet ... -",
           at + 1);
    }
  }
  const char* last = at;
  if (options_.trim) {
    while (last > first && blank(last[-1])) --last;
  }
  add_field(first, last);
  return at;
}

const char* CsvReader::parse_quoted(const char* at) {
  const char* const end = buffer_.data() + end_;
  const char* const opening = at;
  const char quote = *options_.quote;
  bool escaped = false;
  ++at;
  for (;;) {
    at = static_cast<const char*>(std::memchr(at, quote, static_cast<std::size_t>(end - at)));
    if (at == nullptr) {
      if (exhausted_) fail(opening, "a quote is opened here and never closed", end);
      return nullptr;
    }
    if (at + 1 == end || at[1] != quote) break;
    escaped = true;
    at += 2;
  }
  if (at + 1 == end && !exhausted_) return nullptr;  // the next byte may make it a doubled quote
  const std::string_view content(opening + 1, static_cast<std::size_t>(at - opening - 1));
  if (const auto zero = content.find('\0'); zero != std::string_view::npos) {
    fail(content.data() + zero, zero_byte, at);
  }
  quoted_lines_ += std::count(content.begin(), content.end(), '\n');
  if (escaped) escaped_fields_.push_back(fields_.size());
  add_field(opening + 1, at);
  ++at;
  if (options_.trim) {
    while (at < end && blank(*at) && *at != options_.separator) ++at;
  }
  if (at == end) return exhausted_ ? at : nullptr;
  if (*at == options_.separator || *at == '\n') return at;
  if (*at == '\r') {
    if (at + 1 == end) return exhausted_ ? at : nullptr;
    if (at[1] == '\n') return at;
  }
  const auto lines = std::ranges::count(content, '\n');
  const auto opened = lines == 0 ? std::string()
                                 : fmt::format(", which was opened {} {} above", lines,
                                               lines == 1 ? "line" : "lines");
  fail(at, fmt::format("text after a closing quote{}; double a quote that belongs to the value",
                       opened));
}

void CsvReader::add_field(const char* first, const char* last) {
  const std::size_t max = expected_columns_.value_or(max_columns);
  if (fields_.size() == max) {
    fail(first,
         fmt::format("the record has more than the {} columns {}", max,
                     expected_columns_ ? "the file begins with; enclose a value that holds the "
                                         "separator in double quotes"
                                       : "a CSV file may have"),
         last);
  }
  fields_.emplace_back(first, static_cast<std::size_t>(last - first));
}

CsvReader::Outcome CsvReader::finish_record(const char* next_record) {
  const char* const record = buffer_.data() + begin_;
  const bool is_blank = fields_.size() == 1 && fields_[0].empty() &&
                        (*record == '\n' || *record == '\r' || options_.trim) &&
                        (!options_.quote || *record != *options_.quote);
  if (next_record - record > longest_with_end()) fail_too_long();
  if (is_blank && expected_columns_ != 1) {
    ++line_;
    begin_ = static_cast<std::size_t>(next_record - buffer_.data());
    return Outcome::blank;
  }
  if (expected_columns_ && options_.fill_short) fields_.resize(*expected_columns_);
  if (expected_columns_ && fields_.size() != *expected_columns_) {
    fail(record, fmt::format("the record has {} columns; the file begins with {}{}", fields_.size(),
                             *expected_columns_,
                             fields_.size() > 1 ? "" : ". A note or a sum? Take that line out"));
  }
  unescape_fields();
  record_line_ = line_;
  line_ += 1 + quoted_lines_;
  begin_ = static_cast<std::size_t>(next_record - buffer_.data());
  return Outcome::record;
}

void CsvReader::unescape_fields() {
  for (const std::size_t index : escaped_fields_) {
    const std::string_view field = fields_[index];
    char* const first = buffer_.data() + (field.data() - buffer_.data());
    char* out = first;
    for (std::size_t k = 0; k < field.size(); ++k) {
      *out++ = field[k];
      if (field[k] == *options_.quote) ++k;  // the second one of a doubled quote
    }
    fields_[index] = {first, static_cast<std::size_t>(out - first)};
  }
}

void CsvReader::fail(const char* at, std::string_view message, const char* seen) const {
  const char* const record = buffer_.data() + begin_;
  if ((seen == nullptr ? at : seen) - record > longest_with_end()) fail_too_long();
  const auto lines = std::count(record, at, '\n');
  const char* line_start = at;
  while (line_start > record && line_start[-1] != '\n') --line_start;
  throw LineFault(file_name_, line_ + lines, at - line_start + 1, std::string(message));
}

void CsvReader::fail_too_long() const {
  throw LineFault(file_name_, line_, 1,
                  fmt::format("the record is longer than {} bytes; is a closing quote missing?",
                              options_.longest_record));
}

std::string csv_field(std::string_view text, char separator) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool padded = !text.empty() && (blank(text.front()) || blank(text.back()));
  const bool special = text.find_first_of("\"\r\n") != std::string_view::npos;
  if (!padded && !special && text.find(separator) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"') quoted += '"';
    quoted += letter;
  }
  return quoted + '"';
}

std::string csv_line(std::span<const std::string_view> fields, char separator) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += separator;
    line += csv_field(fields[i], separator);
  }
  return line + "\n";
}

}  // namespace tacet::data
