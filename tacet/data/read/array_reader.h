#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/read/byte_source.h"

namespace tacet::data {

/// Reads the numbers of one array file from front to back: NPY (format versions 1 to 3; booleans,
/// integers of 1 to 8 bytes, float32, float64; little-endian, C order) or IDX (unsigned bytes, as
/// MNIST is published), told apart by their first bytes.
///
/// A wrong header, data that end early and bytes that are left over are DataErrors that name the
/// file. Not for several threads at once.
class ArrayReader {
 public:
  ArrayReader(std::unique_ptr<ByteSource> source, std::string file_name);

  [[nodiscard]] const std::vector<std::int64_t>& shape() const { return shape_; }
  /// Product of the shape.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Numbers per row: the product of the shape without its first extent; 1 for a vector.
  [[nodiscard]] std::int64_t row_size() const { return row_size_; }
  [[nodiscard]] const std::string& file_name() const { return file_name_; }

  /// The next numbers; 64-bit integers above 2^53 are rounded.
  void read(std::span<double> values);
  /// The next numbers of an integer array; a float array is a DataError.
  void read(std::span<std::int64_t> values);
  /// Throws unless every byte has been used.
  void expect_end();

 private:
  enum class Number { u1, u2, u4, u8, i1, i2, i4, i8, f4, f8 };

  template <typename T>
  void read_numbers(std::span<T> values);
  void read_npy_header();
  void read_idx_header();
  void parse_header(std::string_view header);
  void set_number(std::string_view descr);
  void set_shape(std::string_view text);
  void set_sizes();
  bool read_ahead();
  void read_bytes(std::span<char> bytes);
  [[nodiscard]] std::size_t number_size() const;
  [[noreturn]] void fail(std::string_view message) const;

  std::unique_ptr<ByteSource> source_;
  std::string file_name_;
  Number number_ = Number::u1;
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 1;
  std::int64_t row_size_ = 1;
  std::vector<char> input_;  // numbers read ahead, for callers that take few at a time
  std::span<char> ahead_;    // the unused part of it
  std::vector<char> buffer_;
};

/// Whether a file that begins with `text` is an NPY or IDX array.
[[nodiscard]] bool looks_like_array(std::string_view text, bool whole);

}  // namespace tacet::data
