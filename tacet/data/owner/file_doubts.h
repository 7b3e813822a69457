#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Suspicious things about a public file as a whole: records of totals, quotes that are closed too
/// late, characters that were read in a wrong encoding.
class FileDoubts {
 public:
  /// Keeps references to the names of the columns and to the format of the file.
  FileDoubts(const std::vector<std::string>& names, const FileFormat& format,
             bool encoding_is_said);
  ~FileDoubts();
  FileDoubts(const FileDoubts&) = delete;
  FileDoubts& operator=(const FileDoubts&) = delete;

  /// Adds the value of column k of the record in this line. Call it for all columns of a record in
  /// their order.
  void add(std::size_t k, std::string_view field, std::int64_t line, bool is_missing);
  /// Call it after the last record.
  void end_record();

  /// One or two sentences about each, with what to do.
  [[nodiscard]] std::vector<std::string> all() const;

 private:
  struct Seen;
  const std::vector<std::string>& names_;
  const FileFormat& format_;
  bool encoding_is_said_;
  std::unique_ptr<Seen> seen_;
};

}  // namespace tacet::data
