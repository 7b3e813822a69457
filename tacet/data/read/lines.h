#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/read/byte_source.h"

namespace tacet::data {

/// The lines of a public list, without their ends (LF or CRLF) and without a byte order mark. A
/// line with more than `longest` bytes is a DataError with `file:line`. Not for several threads at
/// once.
class LineReader {
 public:
  LineReader(std::unique_ptr<ByteSource> source, std::string file_name,
             std::size_t longest = std::size_t{1} << 20);

  /// The next line, valid until the next call; nothing at the end. Text after the last line end is
  /// a line unless it is empty.
  [[nodiscard]] std::optional<std::string_view> next();

  /// The number of the last line, counted from 1.
  [[nodiscard]] std::int64_t line() const { return line_; }
  /// DataError "file:line: message" about the last line.
  [[noreturn]] void fail(std::string_view message) const;

 private:
  bool refill();

  std::unique_ptr<ByteSource> source_;
  std::string file_name_;
  std::size_t longest_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool exhausted_ = false;
  std::int64_t line_ = 0;
};

/// The fields of a line between blanks and tabs.
void split_at_blanks(std::string_view line, std::vector<std::string_view>& fields);

}  // namespace tacet::data
