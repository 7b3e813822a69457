#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacet/data/encode/value.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Reads records with named columns, one after the other.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  /// The values of the next record, one per name, valid until the next call; nothing at the end.
  [[nodiscard]] virtual std::optional<std::span<const Value>> next() = 0;
  /// The line in which the last record began, counted from 1; 0 if there are no lines.
  [[nodiscard]] virtual std::int64_t line() const { return 0; }
};

/// The source of such records: a file, or the memory of a program.
struct RecordSource {
  std::string name;  ///< for messages
  /// Begins a pass over all records.
  std::function<std::unique_ptr<RecordReader>()> open;
};

/// The records of a CSV file; values are texts. Errors as CsvReader and read_column_names.
[[nodiscard]] RecordSource csv_records(const std::filesystem::path& file, const FileFormat& format);

/// One pass over such records from an open source.
[[nodiscard]] std::unique_ptr<RecordReader> csv_reader(std::unique_ptr<ByteSource> source,
                                                       const std::string& file_name,
                                                       const FileFormat& format);

/// Readers check after this many rows whether they were cancelled.
inline constexpr std::int64_t rows_between_checks = 4096;

}  // namespace tacet::data
