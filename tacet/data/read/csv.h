#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/base/limits.h"
#include "tacet/data/read/byte_source.h"

namespace tacet::data {

struct CsvOptions {
  char separator = ',';
  std::optional<char> quote = '"';  ///< absent: quotes are ordinary characters
  bool trim = false;                ///< drop blanks and tabs around unquoted fields
  bool fill_short = false;          ///< end a record with too few columns with empty fields
  std::optional<char>
      comment{};           ///< a line above the line of names that begins with it is no record
  bool from_start = true;  ///< a byte order mark may stand before the first record
  std::size_t buffer_size = std::size_t{1} << 20;
  /// Bounds the memory of one record.
  std::size_t longest_record = static_cast<std::size_t>(base::limits::csv_record_bytes);
};

/// Reads RFC 4180 records from a stream: quoted fields with embedded separators, line breaks and
/// doubled quotes; LF or CRLF; a byte order mark at the start; blank lines are no records (except
/// in a file of one column, where they are empty values).
///
/// Structural faults are DataErrors that start with `file:line:column` (the column counts bytes
/// from 1) and never quote the file's content. Memory: the buffer, which grows to the longest
/// record. Not for several threads at once.
class CsvReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, std::string file_name,
            const CsvOptions& options = {});

  /// The fields of the next record, valid until the next call, or nothing at the end.
  [[nodiscard]] std::optional<std::span<const std::string_view>> next();

  /// Before the first record, which holds the names of columns: the separator becomes the one of
  /// comma, semicolon, tab and bar that cuts out most of the `wanted` names, of several the comma,
  /// then the one that cuts out most fields. Without wanted names the comma stays if it cuts at
  /// all. Depends on that line alone.
  void choose_separator(std::span<const std::string> wanted);
  [[nodiscard]] char separator() const { return options_.separator; }

  /// From now on a record with another number of columns is a DataError.
  void expect_columns(std::size_t count) { expected_columns_ = count; }

  /// Where the last record began, counted from 1.
  [[nodiscard]] std::int64_t line() const { return record_line_; }
  [[nodiscard]] const std::string& file_name() const { return file_name_; }

  /// Where the next record begins.
  [[nodiscard]] std::int64_t next_line() const { return line_; }
  /// What is behind the last record, for other readers; this one is done. Nothing, and it is not
  /// done, where its buffer holds everything.
  [[nodiscard]] std::optional<BegunText> take_rest();

 private:
  enum class Outcome { record, blank, need_more };

  Outcome parse_record();
  Outcome skip_line(const char* at);
  [[nodiscard]] std::string_view first_line() const;
  void note_specials();
  // Each reads one field and returns where its separator or line end stands, or null at the end
  // of what has been read so far.
  [[nodiscard]] const char* find_special(const char* at) const;
  const char* parse_plain_fields(const char* at);
  const char* parse_plain(const char* at);
  const char* parse_quoted(const char* at);
  Outcome finish_record(const char* next_record);
  void add_field(const char* first, const char* last);
  void unescape_fields();
  bool refill();
  /// `seen` is the furthest byte that tells of the fault, `at` itself where it is absent: a record
  /// that is too long before that is too long, however much of it the buffer holds.
  [[noreturn]] void fail(const char* at, std::string_view message,
                         const char* seen = nullptr) const;
  [[noreturn]] void fail_too_long() const;
  [[nodiscard]] std::ptrdiff_t longest_with_end() const {
    return static_cast<std::ptrdiff_t>(options_.longest_record) + 1;
  }

  std::unique_ptr<ByteSource> source_;
  std::string file_name_;
  CsvOptions options_;
  std::array<bool, 256> special_{};
  std::vector<char> buffer_;  // longer than what is read, for a sentinel and whole vectors
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool exhausted_ = false;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> escaped_fields_;  // whose doubled quotes are still to be undone
  std::optional<std::size_t> expected_columns_;
  std::int64_t line_ = 1;
  std::int64_t record_line_ = 0;
  std::int64_t quoted_lines_ = 0;  // line breaks inside the quotes of the current record
};

/// A field as RFC 4180 wants it: in quotes where it holds a separator, a quote or a line break, or
/// blanks at its ends, which a reader may drop.
[[nodiscard]] std::string csv_field(std::string_view text, char separator = ',');

/// A record with its line end.
[[nodiscard]] std::string csv_line(std::span<const std::string_view> fields, char separator);

}  // namespace tacet::data
