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

/// Records by columns that have names, one after the other.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  [[nodiscard]] virtual const std::vector<std::string>& names() const = 0;
  /// The values of the next record, as many as names, valid until the next call; nothing at the
  /// end.
  [[nodiscard]] virtual std::optional<std::span<const Value>> next() = 0;
  /// The line where the last record began, from 1 on; 0 where there are no lines.
  [[nodiscard]] virtual std::int64_t line() const { return 0; }
};

/// Where such records come from: a file, or the memory of a program.
struct RecordSource {
  std::string name;  ///< for messages
  /// A pass over all of them, from the first on.
  std::function<std::unique_ptr<RecordReader>()> open;
};

/// The records of a CSV file, whose values are texts. Errors as CsvReader's and read_column_names.
[[nodiscard]] RecordSource csv_records(const std::filesystem::path& file, const FileFormat& format);

/// One pass over the same from an open source.
[[nodiscard]] std::unique_ptr<RecordReader> csv_reader(std::unique_ptr<ByteSource> source,
                                                       const std::string& file_name,
                                                       const FileFormat& format);

/// Readers look every so many rows whether they are to stop.
inline constexpr std::int64_t rows_between_checks = 4096;

}  // namespace tacet::data
