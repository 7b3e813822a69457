#include "tacet/data/read/array_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"

namespace tacet::data {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

constexpr auto longest_header = static_cast<std::size_t>(base::limits::array_header_bytes);
constexpr std::size_t input_size = 1 << 16;
constexpr std::int64_t max_numbers = base::limits::array_numbers;

template <typename Stored, typename T>
void convert(const char* bytes, std::span<T> values) {
  for (T& value : values) {
    Stored stored;
    std::memcpy(&stored, bytes, sizeof(Stored));
    value = static_cast<T>(stored);
    bytes += sizeof(Stored);
  }
}

/// The text between `'key':` and the next separator that belongs to the dictionary.
std::string_view dictionary_value(std::string_view header, std::string_view key) {
  const std::string quoted = fmt::format("'{}':", key);
  const auto found = header.find(quoted);
  if (found == std::string_view::npos) return {};
  std::string_view rest = header.substr(found + quoted.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.starts_with('(')) {
    const auto close = rest.find(')');
    return close == std::string_view::npos ? std::string_view() : rest.substr(0, close + 1);
  }
  return rest.substr(0, rest.find_first_of(",}"));
}

}  // namespace

ArrayReader::ArrayReader(std::unique_ptr<ByteSource> source, std::string file_name)
    : source_(std::move(source)), file_name_(std::move(file_name)), input_(input_size) {
  std::array<char, 4> magic{};
  read_bytes(magic);
  const std::string_view begin(magic.data(), magic.size());
  if (begin == "\x93NUM") {
    read_npy_header();
  } else if (begin.starts_with(std::string_view("\0\0\x08", 3))) {
    shape_.resize(static_cast<unsigned char>(magic[3]));
    read_idx_header();
  } else {
    fail("neither an NPY file nor an IDX file of bytes");
  }
  set_sizes();
}

void ArrayReader::set_sizes() {
  for (std::size_t k = 0; k < shape_.size(); ++k) {
    const std::int64_t extent = shape_[k];
    if (extent < 0 || extent > max_numbers || (extent > 0 && row_size_ > max_numbers / extent)) {
      fail("the shape in the header is impossible");
    }
    if (k > 0) row_size_ *= extent;
  }
  const std::int64_t rows = shape_.empty() ? 1 : shape_[0];
  if (row_size_ > 0 && rows > max_numbers / row_size_) {
    fail("the shape in the header is impossible");
  }
  size_ = rows * row_size_;
}

void ArrayReader::read_npy_header() {
  std::array<char, 4> rest{};
  read_bytes(rest);
  if (std::string_view(rest.data(), 2) != "PY") fail("neither an NPY file nor an IDX file");
  const auto version = static_cast<unsigned char>(rest[2]);
  if (version < 1 || version > 3) fail("an NPY format version other than 1, 2 and 3");
  std::array<unsigned char, 4> length_bytes{};
  const std::size_t length_size = version == 1 ? 2 : 4;
  read_bytes({reinterpret_cast<char*>(length_bytes.data()), length_size});
  std::size_t length = 0;
  for (std::size_t k = length_size; k-- > 0;) length = length * 256 + length_bytes[k];
  if (length > longest_header) fail("the NPY header is longer than any array's");
  std::string header(length, '\0');
  read_bytes(header);
  parse_header(header);
}

void ArrayReader::parse_header(std::string_view header) {
  set_number(dictionary_value(header, "descr"));
  const std::string_view order = dictionary_value(header, "fortran_order");
  set_shape(dictionary_value(header, "shape"));
  if (order == "True" && shape_.size() > 1) {
    fail("the array is stored by columns (fortran_order); save numpy.ascontiguousarray of it");
  }
  if (order != "True" && order != "False") fail("the NPY header has no valid 'fortran_order'");
}

void ArrayReader::set_number(std::string_view descr) {
  constexpr std::pair<std::string_view, Number> known[] = {
      {"'|b1'", Number::u1}, {"'|u1'", Number::u1}, {"'|i1'", Number::i1}, {"'<u2'", Number::u2},
      {"'<i2'", Number::i2}, {"'<u4'", Number::u4}, {"'<i4'", Number::i4}, {"'<u8'", Number::u8},
      {"'<i8'", Number::i8}, {"'<f4'", Number::f4}, {"'<f8'", Number::f8}};
  for (const auto& [name, number] : known) {
    if (descr == name) {
      number_ = number;
      return;
    }
  }
  fail(
      "the NPY type must be a boolean, integer or float of the machine's own byte order, such as "
      "'<f8', '<f4', '<i8' or '|u1'");
}

void ArrayReader::set_shape(std::string_view text) {
  if (text.size() < 2 || text.front() != '(') fail("the NPY header has no valid 'shape'");
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    std::int64_t extent = 0;
    const char* first = entry.data();
    const char* const last = first + entry.size();
    while (first < last && *first == ' ') ++first;
    const auto [end, error] = std::from_chars(first, last, extent);
    if (error != std::errc() || end != last) fail("the NPY header has no valid 'shape'");
    shape_.push_back(extent);
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
  }
}

void ArrayReader::read_idx_header() {
  constexpr std::size_t max_dimensions = 4;
  if (shape_.empty() || shape_.size() > max_dimensions) fail("an IDX file of odd dimension");
  for (std::int64_t& extent : shape_) {
    std::array<unsigned char, 4> bytes{};  // big-endian
    read_bytes({reinterpret_cast<char*>(bytes.data()), bytes.size()});
    extent = 0;
    for (const unsigned char byte : bytes) extent = extent * 256 + byte;
  }
}

std::size_t ArrayReader::number_size() const {
  switch (number_) {
    case Number::u1:
    case Number::i1:
      return 1;
    case Number::u2:
    case Number::i2:
      return 2;
    case Number::u4:
    case Number::i4:
    case Number::f4:
      return 4;
    default:
      return 8;
  }
}

bool ArrayReader::read_ahead() {
  ahead_ = std::span(input_).first(source_->read(input_));
  return !ahead_.empty();
}

void ArrayReader::read_bytes(std::span<char> bytes) {
  while (!bytes.empty()) {
    if (ahead_.empty() && !read_ahead()) fail("the file ends before its header's shape is filled");
    const std::size_t count = std::min(bytes.size(), ahead_.size());
    std::copy_n(ahead_.data(), count, bytes.data());
    ahead_ = ahead_.subspan(count);
    bytes = bytes.subspan(count);
  }
}

template <typename T>
void ArrayReader::read_numbers(std::span<T> values) {
  buffer_.resize(values.size() * number_size());
  read_bytes(buffer_);
  const char* const bytes = buffer_.data();
  switch (number_) {
    case Number::u1:
      return convert<std::uint8_t>(bytes, values);
    case Number::u2:
      return convert<std::uint16_t>(bytes, values);
    case Number::u4:
      return convert<std::uint32_t>(bytes, values);
    case Number::u8:
      return convert<std::uint64_t>(bytes, values);
    case Number::i1:
      return convert<std::int8_t>(bytes, values);
    case Number::i2:
      return convert<std::int16_t>(bytes, values);
    case Number::i4:
      return convert<std::int32_t>(bytes, values);
    case Number::i8:
      return convert<std::int64_t>(bytes, values);
    case Number::f4:
    case Number::f8:
      if constexpr (std::is_floating_point_v<T>) {
        return number_ == Number::f4 ? convert<float>(bytes, values)
                                     : convert<double>(bytes, values);
      }
  }
  fail("an array of integers is needed here");
}

void ArrayReader::read(std::span<double> values) { read_numbers(values); }

void ArrayReader::read(std::span<std::int64_t> values) { read_numbers(values); }

void ArrayReader::expect_end() {
  if (!ahead_.empty() || read_ahead())
    fail("bytes are left behind the array of the header's shape");
}

void ArrayReader::fail(std::string_view message) const {
  throw base::DataError("{}: {}", file_name_, message);
}

bool looks_like_array(std::string_view text, bool /*whole*/) {
  return text.starts_with("\x93NUMPY") || text.starts_with(std::string_view("\0\0\x08", 3));
}

}  // namespace tacet::data
