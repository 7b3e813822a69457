#include "tacet/data/libsvm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/value_index.h"

namespace tacet::data {
namespace {

// No label, index or value is longer; a longer run of characters is no field.
constexpr std::size_t longest_field = 4096;

bool blank(char c) { return c == ' ' || c == '\t'; }
bool line_end(char c) { return c == '\n' || c == '\r'; }
bool field_end(char c) { return blank(c) || line_end(c) || c == '\0'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

LibsvmReader::LibsvmReader(std::unique_ptr<ByteSource> source, std::string file_name,
                           const LibsvmOptions& options)
    : source_(std::move(source)),
      file_name_(std::move(file_name)),
      column_count_(static_cast<std::uint64_t>(options.column_count)),
      fault_(options.fault),
      buffer_(std::max(options.buffer_size, 2 * longest_field) + 1) {
  if (options.column_count < 1 ||
      options.column_count > std::numeric_limits<std::uint32_t>::max()) {
    throw base::UsageError(fmt::format(
        "a LIBSVM file needs a column count between 1 and 2^32 - 1, got {}", options.column_count));
  }
  at_ = end_ = line_start_ = buffer_.data();
  refill();
}

bool LibsvmReader::refill() {
  const auto kept = static_cast<std::size_t>(end_ - at_);
  line_offset_ += at_ - line_start_;
  std::memmove(buffer_.data(), at_, kept);
  std::size_t filled = kept;
  const std::size_t capacity = buffer_.size() - 1;
  while (!exhausted_ && filled < capacity) {
    const std::size_t count = source_->read(std::span(buffer_).subspan(filled, capacity - filled));
    exhausted_ = count == 0;
    filled += count;
  }
  buffer_[filled] = '\n';
  at_ = line_start_ = buffer_.data();
  end_ = buffer_.data() + filled;
  return filled > kept;
}

/// Afterwards the next field lies in the buffer as a whole, or is too long to be one.
void LibsvmReader::ensure_field() {
  if (static_cast<std::size_t>(end_ - at_) < longest_field && !exhausted_) refill();
}

void LibsvmReader::skip_blanks() {
  for (;;) {
    while (blank(*at_)) ++at_;
    if (at_ < end_ || exhausted_ || !refill()) return;
  }
}

/// Goes behind the end of the line.
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

bool LibsvmReader::next(LibsvmRecord& record) {
  record.columns.clear();
  record.values.clear();
  if (!find_record()) return false;
  ascending_ = true;
  read_label(record.label);
  while (read_field(record)) {
  }
  if (!ascending_) sort_fields(record);
  record_line_ = line_;
  skip_line();
  return true;
}

void LibsvmReader::read_label(std::string& label) {
  ensure_field();
  const char* const first = at_;
  while (!field_end(*at_) && *at_ != ':') ++at_;
  if (*at_ == ':') fail("the line begins with a feature; a label must stand before it");
  if (*at_ == '\0') fail("a zero byte; the file is binary or damaged, not LIBSVM");
  if (static_cast<std::size_t>(at_ - first) >= longest_field) fail("the label is too long");
  label.assign(first, at_);
}

/// The commonest fields: one blank, an index above the last one, a value of one digit. Stops in
/// front of any other field.
void LibsvmReader::read_short_fields(LibsvmRecord& record) {
  constexpr std::ptrdiff_t longest = 16;  // blank, ten digits, colon, digit and what follows
  const char* at = at_;
  std::uint64_t previous = record.columns.empty() ? 0 : record.columns.back() + std::uint64_t{1};
  while (end_ - at >= longest && *at == ' ') {
    const char* next = at + 1;
    std::uint64_t index = 0;
    while (digit(*next) && next - at <= 10) {
      index = index * 10 + static_cast<std::uint64_t>(*next++ - '0');
    }
    if (*next != ':' || !digit(next[1]) || !(next[2] == ' ' || next[2] == '\n')) break;
    if (index <= previous || index > column_count_) break;
    record.columns.push_back(static_cast<std::uint32_t>(index - 1));
    record.values.push_back(next[1] - '0');
    previous = index;
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
  const std::uint32_t column = read_index();
  const double value = read_value();
  if (!record.columns.empty() && column <= record.columns.back()) ascending_ = false;
  // More fields than columns must repeat one; stopping here bounds the memory.
  if (record.columns.size() == column_count_) fail("an index appears twice in the line");
  record.columns.push_back(column);
  record.values.push_back(value);
  return true;
}

std::uint32_t LibsvmReader::read_index() {
  const char* const first = at_;
  std::uint64_t index = 0;
  while (digit(*at_)) {
    index = index * 10 + static_cast<std::uint64_t>(*at_ - '0');
    if (index > column_count_) {
      at_ = first;
      fail(fmt::format("an index beyond the {} features of the schema", column_count_));
    }
    ++at_;
  }
  if (*at_ != ':' || at_ == first) {
    if (std::string_view(first, static_cast<std::size_t>(end_ - first)).starts_with("qid:")) {
      at_ = first;
      fail("query ids (qid) are for ranking, which is not supported; remove them");
    }
    fail("a feature must be written index:value");
  }
  if (index == 0) {
    at_ = first;
    fail("index 0; LIBSVM counts features from 1");
  }
  ++at_;
  return static_cast<std::uint32_t>(index - 1);
}

/// Anything that is no number is a value fault, never an error.
double LibsvmReader::read_value() {
  const char* const first = at_;
  if (digit(*first) && field_end(first[1])) {  // most values of sparse files are one digit
    ++at_;
    return *first - '0';
  }
  while (!field_end(*at_)) ++at_;
  if (*at_ == '\0') fail("a zero byte; the file is binary or damaged, not LIBSVM");
  if (at_ == first) fail("a feature must be written index:value");
  const auto length = static_cast<std::size_t>(at_ - first);
  if (length >= longest_field) fail("the value is too long for a number");
  return parse_number({first, length}).value_or(fault_);
}

void LibsvmReader::sort_fields(LibsvmRecord& record) const {
  std::vector<std::pair<std::uint32_t, double>> fields(record.columns.size());
  for (std::size_t k = 0; k < fields.size(); ++k) fields[k] = {record.columns[k], record.values[k]};
  std::sort(fields.begin(), fields.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k > 0 && fields[k].first == fields[k - 1].first) {
      fail("an index appears twice in the line");
    }
    record.columns[k] = fields[k].first;
    record.values[k] = fields[k].second;
  }
}

std::int64_t LibsvmReader::column_here() const { return line_offset_ + (at_ - line_start_) + 1; }

void LibsvmReader::fail(std::string_view message) const {
  throw base::DataError(fmt::format("{}:{}:{}: {}", file_name_, line_, column_here(), message));
}

}  // namespace tacet::data
