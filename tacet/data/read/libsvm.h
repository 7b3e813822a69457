#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/feature_list.h"

namespace tacet::data {

/// One record of a LIBSVM file. Columns count from 0; a value that is not a finite number is
/// LibsvmOptions::fault.
struct LibsvmRecord {
  std::string label;  ///< a single zero byte if it is too long to be a label
  FeatureList features;
  std::int64_t dropped = 0;  ///< features without a column of their own
};

struct LibsvmOptions {
  std::int64_t column_count = 0;  ///< public, from the schema; never inferred from the file
  std::int64_t index_base = 1;    ///< the index of the first column: 0 or 1
  bool from_start = true;         ///< a byte order mark may stand before the first record
  std::size_t buffer_size = std::size_t{1} << 20;
  double fault = 0;  ///< replaces a value that is not a finite number; the encoder takes NaN for 0
};

/// Reads `label index:value index:value ...` lines, indices from index_base on, in any order; `#`
/// begins a comment; blank lines are no records; a byte order mark may stand at the start.
///
/// The contents of a record are never an error: a feature whose index is after the last column is
/// dropped, and so is one whose index occurred before in the line. Structural faults are DataErrors
/// that start with `file:line:column` and never quote the file: a field that is not `index:value`,
/// a zero byte, an index of 0 if they count from 1, and a line of another format, which has no
/// features but the separators of a CSV file. A line is read field by field: memory is the buffer
/// and its different columns. Not for several threads at once.
class LibsvmReader {
 public:
  LibsvmReader(std::unique_ptr<ByteSource> source, std::string file_name,
               const LibsvmOptions& options);

  /// False at the end of the file.
  [[nodiscard]] bool next(LibsvmRecord& record);

  /// The line of the last record, counted from 1.
  [[nodiscard]] std::int64_t line() const { return record_line_; }
  /// The line in which the next record may be.
  [[nodiscard]] std::int64_t next_line() const { return line_; }
  /// As CsvReader::take_rest.
  [[nodiscard]] std::optional<BegunText> take_rest();

 private:
  bool refill();
  void ensure_field();
  bool find_record();
  void read_label(std::string& label);
  void check_is_libsvm(const LibsvmRecord& record) const;
  bool read_field(LibsvmRecord& record);
  void read_short_fields(LibsvmRecord& record);
  std::optional<std::uint32_t> read_column();
  std::uint64_t read_index();
  double read_value();
  void skip_blanks();
  void skip_field();
  void skip_line();
  [[nodiscard]] std::int64_t column_here() const;
  [[noreturn]] void fail(std::string_view message) const;

  std::unique_ptr<ByteSource> source_;
  std::string file_name_;
  std::uint64_t column_count_;
  std::uint64_t index_base_;
  double fault_;
  std::vector<char> buffer_;  // one byte longer than its contents, for a sentinel
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool exhausted_ = false;
  std::int64_t line_ = 1;
  std::int64_t record_line_ = 0;
  std::int64_t line_offset_ = 0;  // bytes of this line that are no longer in the buffer
  const char* line_start_ = nullptr;
};

/// Whether a file that begins with `text` has such lines and at least one feature. `whole`: the
/// text is the whole file.
[[nodiscard]] bool looks_like_libsvm(std::string_view text, bool whole);

}  // namespace tacet::data
