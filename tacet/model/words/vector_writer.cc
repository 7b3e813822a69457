#include <fmt/format.h>

#include <bit>
#include <iterator>

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/model/words/word_shape.h"
#include "tacet/model/words/word_vectors.h"

namespace tacet::model {
namespace {

constexpr std::size_t vector_buffer = std::size_t{1} << 16;
constexpr auto vector_formats = base::names<VectorFormat>(
    {{VectorFormat::text, "text"}, {VectorFormat::binary, "binary"}, {VectorFormat::npy, "npy"}});

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

std::string_view bytes_of(std::span<const float> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

/// NPY format 1.0: magic, version, length, and a dictionary that ends on a multiple of 64 bytes.
std::string npy_header(std::int64_t words, std::int64_t dimensions) {
  constexpr std::size_t before = 10;
  auto text = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", words,
                          dimensions);
  const auto size = (before + text.size() + 1 + 63) / 64 * 64 - before;
  text.resize(size - 1, ' ');
  std::string header("\x93NUMPY\x01\0", 8);
  header += static_cast<char>(size % 256);
  header += static_cast<char>(size / 256);
  return header + text + "\n";
}

}  // namespace

VectorFormat vector_format(std::string_view name) {
  if (const auto found = vector_formats.find(name)) return *found;
  throw base::UsageError("format must be text, binary or npy, got '{}'", name);
}

std::filesystem::path word_list_of(const std::filesystem::path& array) {
  auto list = array;
  return list.replace_extension(".words.txt");
}

VectorWriter::VectorWriter(VectorFormat format, std::int64_t words, std::int64_t dimensions,
                           Sink sink)
    : format_(format),
      left_(words),
      dimensions_(static_cast<std::size_t>(dimensions)),
      sink_(std::move(sink)) {
  if (words < 1) throw base::UsageError("a file of vectors needs a word");
  if (dimensions < 1 || dimensions > max_word_dimensions) {
    throw base::UsageError("dim must be 1 to {}, got {}", max_word_dimensions, dimensions);
  }
  buffer_ = format_ == VectorFormat::npy ? npy_header(words, dimensions)
                                         : fmt::format("{} {}\n", words, dimensions);
}

void VectorWriter::add(std::string_view word, std::span<const float> vector) {
  if (vector.size() != dimensions_) throw base::InternalError("a vector of another size");
  if (left_-- == 0) throw base::InternalError("a vector more than announced");
  if (format_ != VectorFormat::npy) buffer_ += word;
  if (format_ == VectorFormat::text) {
    for (const float number : vector) fmt::format_to(std::back_inserter(buffer_), " {}", number);
    buffer_ += '\n';
  } else if (format_ == VectorFormat::binary) {
    buffer_ += ' ';
    buffer_ += bytes_of(vector);
    buffer_ += '\n';
  } else {
    buffer_ += bytes_of(vector);
  }
  if (buffer_.size() >= vector_buffer) flush();
}

void VectorWriter::flush() {
  sink_(buffer_);
  buffer_.clear();
}

void VectorWriter::finish() {
  if (left_ != 0) throw base::InternalError("fewer vectors than announced");
  flush();
}

}  // namespace tacet::model
