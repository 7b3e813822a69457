#include "tacet/data/read/libsvm.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/line_fault.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

// No label and no number is longer. A longer run of characters is a field without meaning.
constexpr std::ptrdiff_t longest_field = base::limits::libsvm_field_bytes;

bool blank_between(char c) { return c == ' ' || c == '\t'; }
bool line_end(char c) { return c == '\n' || c == '\r'; }
bool field_end(char c) { return blank_between(c) || line_end(c) || c == '\0'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// The number of features in `label index:value ...`; nothing if the line has another form.
std::optional<std::size_t> libsvm_features(std::string_view line) {
  line = line.substr(0, line.find_first_of("#\r"));
  std::size_t fields = 0;
  while (!line.empty()) {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    const auto field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    if (field.empty()) continue;
    const auto colon = field.find(':');
    const bool label = fields++ == 0;
    if (label != (colon == std::string_view::npos)) return std::nullopt;
    if (label && !parse_number(field)) return std::nullopt;
    if (label) continue;
    if (colon == 0 || field.find_first_not_of("0123456789") != colon) return std::nullopt;
    if (!parse_number(field.substr(colon + 1))) return std::nullopt;
  }
  return fields == 0 ? 0 : fields - 1;
}

}  // namespace

bool looks_like_libsvm(std::string_view text, bool whole) {
  text = without_byte_order_mark(text);
  // A part of a file may end in the middle of a field.
  const auto last = text.find_last_of(text.find('\n') == std::string_view::npos ? " \t" : "\n");
  if (!whole && last != std::string_view::npos) text = text.substr(0, last);
  std::size_t features = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto found = libsvm_features(text.substr(0, end));
    if (!found) return false;
    features += *found;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return features > 0;
}

LibsvmReader::LibsvmReader(std::unique_ptr<ByteSource> source, std::string file_name,
                           const LibsvmOptions& options)
    : source_(options.from_start ? without_byte_order_mark(std::move(source)) : std::move(source)),
      file_name_(std::move(file_name)),
      column_count_(static_cast<std::uint64_t>(options.column_count)),
      index_base_(static_cast<std::uint64_t>(options.index_base)),
      fault_(options.fault),
      buffer_(std::max(options.buffer_size, std::size_t{2} * longest_field) + 1) {
  if (options.column_count < 1 ||
      options.column_count > std::numeric_limits<std::uint32_t>::max()) {
    throw base::UsageError("a LIBSVM file needs a column count between 1 and 2^32 - 1, got {}",
                           options.column_count);
  }
  if (options.index_base != 0 && options.index_base != 1) {
    throw base::UsageError("the indices of a LIBSVM file count from 0 or from 1, got {}",
                           options.index_base);
  }
  at_ = end_ = line_start_ = buffer_.data();
  refill();
}

std::optional<BegunText> LibsvmReader::take_rest() {
  if (exhausted_) return std::nullopt;
  return BegunText{.begun = {at_, end_}, .source = std::move(source_)};
}

bool LibsvmReader::refill() {
  const auto kept = static_cast<std::size_t>(end_ - at_);
  line_offset_ += at_ - line_start_;
  std::memmove(buffer_.data(), at_, kept);
  std::size_t filled = kept;
  const std::size_t capacity = buffer_.size() - 1;
  std::exception_ptr error;
  try {
    while (!exhausted_ && filled < capacity) {
      const std::size_t count =
          source_->read(std::span(buffer_).subspan(filled, capacity - filled));
      exhausted_ = count == 0;
      filled += count;
    }
  } catch (...) {
    error = std::current_exception();
  }
  buffer_[filled] = '\n';
  at_ = line_start_ = buffer_.data();
  end_ = buffer_.data() + filled;
  // If there are bytes before the error, these are read first; the source throws again when it is
  // asked again.
  if (error && filled == kept) std::rethrow_exception(error);
  return filled > kept;
}

/// Afterwards the buffer contains the whole next field, or the field is too long to be valid.
void LibsvmReader::ensure_field() {
  if (end_ - at_ >= longest_field || exhausted_) return;
  try {
    refill();
  } catch (...) {
    // The bytes that were read before the source's error count: a field that is complete is still
    // read.
    if (std::find_if(at_, end_, field_end) == end_) throw;
  }
}

void LibsvmReader::skip_blanks() {
  for (;;) {
    while (blank_between(*at_)) ++at_;
    if (at_ < end_ || exhausted_ || !refill()) return;
  }
}

/// Skips the rest of the line, including its end.
void LibsvmReader::skip_line() {
  for (;;) {
    const auto length = static_cast<std::size_t>(end_ - at_);
    const auto* found = static_cast<const char*>(std::memchr(at_, '\n', length));
    at_ = found == nullptr ? end_ : found + 1;
    if (found != nullptr) break;
    if (exhausted_ || !refill()) break;
  }
  ++line_;
  line_start_ = at_;
  line_offset_ = 0;
}

/// Goes to the first field of the next line that has one.
bool LibsvmReader::find_record() {
  for (;;) {
    skip_blanks();
    if (at_ == end_) return false;
    if (!line_end(*at_) && *at_ != '#') return true;
    skip_line();
  }
}

/// Skips a field of any length.
void LibsvmReader::skip_field() {
  for (;;) {
    while (!field_end(*at_)) ++at_;
    if (at_ < end_ || exhausted_ || !refill()) break;
  }
  if (*at_ == '\0') fail("a zero byte; the file is binary or damaged, not LIBSVM");
}

bool LibsvmReader::next(LibsvmRecord& record) {
  record.features.clear();
  record.dropped = 0;
  if (!find_record()) return false;
  read_label(record.label);
  while (read_field(record)) {
  }
  check_is_libsvm(record);
  record.features.finish();
  record.dropped += record.features.repeated();
  record_line_ = line_;
  skip_line();
  return true;
}

void LibsvmReader::read_label(std::string& label) {
  ensure_field();
  const char* const first = at_;
  while (!field_end(*at_) && *at_ != ':' && at_ - first < longest_field) ++at_;
  if (*at_ == ':') fail("the line begins with a feature; a label must stand before it");
  if (*at_ == '\0') fail("a zero byte; the file is binary or damaged, not LIBSVM");
  label.assign(first, at_);
  if (at_ - first < longest_field) return;
  label.assign(1, '\0');
  skip_field();
}

/// A record may have no features, but a line of a CSV file is refused.
void LibsvmReader::check_is_libsvm(const LibsvmRecord& record) const {
  if (!record.features.columns().empty() || record.dropped > 0) return;
  if (record.label.find_first_of(",;|\"") == std::string::npos) return;
  fail(
      "the line has the separators or quotes of a CSV file and no index:value; if the file is CSV, "
      "its schema needs kind = \"csv\" under [format], and a [[column]] for each column");
}

/// Reads the most common fields: one blank, an index above the last one, a value of one digit.
/// Stops before any other field.
void LibsvmReader::read_short_fields(LibsvmRecord& record) {
  // a blank, ten digits, a colon, a digit and the next character
  constexpr std::ptrdiff_t longest = 16;
  const char* at = at_;
  const auto& columns = record.features.columns();
  std::uint64_t next_column = columns.empty() ? 0 : columns.back() + std::uint64_t{1};
  while (end_ - at >= longest && *at == ' ') {
    const char* next = at + 1;
    std::uint64_t index = 0;
    while (digit(*next) && next - at <= 10) {
      index = index * 10 + static_cast<std::uint64_t>(*next++ - '0');
    }
    if (*next != ':' || !digit(next[1]) || !(next[2] == ' ' || next[2] == '\n')) break;
    // index 0 wraps to a number far beyond all columns
    const std::uint64_t column = index - index_base_;
    if (column < next_column || column >= column_count_) break;
    record.features.add(static_cast<std::uint32_t>(column), next[1] - '0');
    next_column = column + 1;
    at = next + 2;
  }
  at_ = at;
}

/// Reads one `index:value`; false at the end of the line.
bool LibsvmReader::read_field(LibsvmRecord& record) {
  read_short_fields(record);
  skip_blanks();
  ensure_field();
  if (*at_ == '\r' && at_ + 1 < end_ && at_[1] != '\n') {
    fail("a carriage return without a line feed");
  }
  if (line_end(*at_) || *at_ == '#') return false;
  const auto column = read_column();
  const double value = read_value();
  if (column) {
    record.features.add(*column, value);
  } else {
    ++record.dropped;
  }
  return true;
}

/// The column of an index; nothing for an index after the last column.
std::optional<std::uint32_t> LibsvmReader::read_column() {
  const std::uint64_t index = read_index();
  if (index < index_base_) {
    fail(
        "the index 0, where indices count from 1; if the file's indices count from 0, its schema "
        "needs index_base = 0 under [format]");
  }
  const std::uint64_t column = index - index_base_;
  if (column >= column_count_) return std::nullopt;
  return static_cast<std::uint32_t>(column);
}

/// The index; for one that is beyond the columns, some number beyond the columns.
std::uint64_t LibsvmReader::read_index() {
  if (!digit(*at_)) {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with("qid:")) {
      fail("query ids (qid) are for ranking, which is not supported; remove them");
    }
    fail("a feature must be written index:value");
  }
  std::uint64_t index = 0;
  do {
    for (; digit(*at_); ++at_) {
      if (index <= column_count_) index = index * 10 + static_cast<std::uint64_t>(*at_ - '0');
    }
  } while (at_ == end_ && !exhausted_ && refill());
  if (*at_ != ':') fail("a feature must be written index:value");
  ++at_;
  return index;
}

/// A text that is not a number is a value fault, never an error.
double LibsvmReader::read_value() {
  const char* first = at_;
  if (digit(*first) && field_end(first[1]) && first + 1 < end_) {
    ++at_;  // most values in sparse files have one digit
    return *first - '0';
  }
  ensure_field();
  first = at_;
  while (!field_end(*at_) && at_ - first < longest_field) ++at_;
  if (*at_ == '\0') fail("a zero byte; the file is binary or damaged, not LIBSVM");
  if (at_ == first) fail("a feature must be written index:value");
  if (at_ - first < longest_field) return parse_number({first, at_}).value_or(fault_);
  skip_field();
  return fault_;
}

std::int64_t LibsvmReader::column_here() const { return line_offset_ + (at_ - line_start_) + 1; }

void LibsvmReader::fail(std::string_view message) const {
  throw LineFault(file_name_, line_, column_here(), std::string(message));
}

}  // namespace tacet::data
