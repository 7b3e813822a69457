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
      comment{};           ///< a line above the line of names that begins with it is a comment
  bool from_start = true;  ///< a byte order mark may stand before the first record
  std::size_t buffer_size = std::size_t{1} << 20;
  /// Bounds the memory of one record.
  std::size_t longest_record = static_cast<std::size_t>(base::limits::csv_record_bytes);
};

/// Reads RFC 4180 records from a stream: quoted fields with embedded separators, line breaks and
/// doubled quotes; LF or CRLF; a byte order mark at the start; blank lines are skipped (except in a
/// file with one column, where they are empty values).
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

  /// Call it before the first record, which contains the names of the columns. Chooses the
  /// separator out of comma, semicolon, tab and bar that gives most of the `wanted` names. Among
  /// several it prefers the comma, and then the one that gives most fields. Without wanted names
  /// the comma stays if it occurs at all. Depends on that line alone.
  void choose_separator(std::span<const std::string> wanted);
  [[nodiscard]] char separator() const { return options_.separator; }

  /// From now on a record with another number of columns is a DataError.
  void expect_columns(std::size_t count) { expected_columns_ = count; }

  /// The line in which the last record began, counted from 1.
  [[nodiscard]] std::int64_t line() const { return record_line_; }
  [[nodiscard]] const std::string& file_name() const { return file_name_; }

  /// The line in which the next record begins.
  [[nodiscard]] std::int64_t next_line() const { return line_; }
  /// The rest of the file after the last record, for other readers; this reader has then finished.
  /// Nothing, and this reader goes on, if its buffer contains the whole rest.
  [[nodiscard]] std::optional<BegunText> take_rest();

 private:
  enum class Outcome { record, blank, need_more };

  Outcome parse_record();
  Outcome skip_line(const char* at);
  [[nodiscard]] std::string_view first_line() const;
  void note_specials();
  // Each of these reads one field and returns the place of its separator or line end, or null at
  // the end of the bytes read so far.
  [[nodiscard]] const char* find_special(const char* at) const;
  const char* parse_plain_fields(const char* at);
  const char* parse_plain(const char* at);
  const char* parse_quoted(const char* at);
  Outcome finish_record(const char* next_record);
  void add_field(const char* first, const char* last);
  void unescape_fields();
  bool refill();
  /// `seen` is the furthest byte that shows the fault; `at` itself if it is absent. If the record
  /// up to there is too long, the error says that instead, so the message does not depend on how
  /// much of the record the buffer contains.
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
  std::vector<char> buffer_;  // longer than its contents, to fit a sentinel and whole vectors
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool exhausted_ = false;
  std::vector<std::string_view> fields_;
  // fields with doubled quotes that are still to be replaced
  std::vector<std::size_t> escaped_fields_;
  std::optional<std::size_t> expected_columns_;
  std::int64_t line_ = 1;
  std::int64_t record_line_ = 0;
  std::int64_t quoted_lines_ = 0;  // line breaks inside the quotes of the current record
};

/// A field in the form of RFC 4180: in quotes if it contains a separator, a quote or a line break,
/// or has blanks at its ends, which readers may drop.
[[nodiscard]] std::string csv_field(std::string_view text, char separator = ',');

/// A record with its line end.
[[nodiscard]] std::string csv_line(std::span<const std::string_view> fields, char separator);

}  // namespace tacet::data
