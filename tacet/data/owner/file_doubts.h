#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// What is strange about a public file as a whole: records of sums, quotes that are closed too
/// late, characters that were read in a wrong encoding.
class FileDoubts {
 public:
  /// Keeps references to the names of columns and to the format by which the file is read.
  FileDoubts(const std::vector<std::string>& names, const FileFormat& format,
             bool encoding_is_said);
  ~FileDoubts();
  FileDoubts(const FileDoubts&) = delete;
  FileDoubts& operator=(const FileDoubts&) = delete;

  /// The value of column k of the record in this line; all columns of a record in turn.
  void add(std::size_t k, std::string_view field, std::int64_t line, bool is_missing);
  /// Behind the last record.
  void end_record();

  /// A sentence or two for each, with what to do.
  [[nodiscard]] std::vector<std::string> all() const;

 private:
  struct Seen;
  const std::vector<std::string>& names_;
  const FileFormat& format_;
  bool encoding_is_said_;
  std::unique_ptr<Seen> seen_;
};

}  // namespace tacet::data
