#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/data/owner/guess_format.h"

/// The first records of a public file, divided by a separator, quotes and a comment sign.
namespace tacet::data {

/// The first records as one separator cuts them.
struct Sample {
  FileFormat format;
  std::vector<std::vector<std::string>> records;
  std::vector<std::int64_t> lines;  // first line of each record
  std::size_t columns = 0;          // the commonest number of columns
  std::size_t fitting = 0;          // records that have it
  std::size_t longest = 0;

  [[nodiscard]] bool usable() const { return columns > 1 && 10 * fitting >= 9 * records.size(); }
  [[nodiscard]] auto rank() const { return std::pair(fitting, columns); }
  /// Whether its fields contain commas, all of them decimal commas.
  [[nodiscard]] bool has_decimal_commas() const;
  /// Whether this is the better one of two usable ways to divide the file. The comma is tried
  /// first; a file with decimal commas then has too many columns.
  [[nodiscard]] bool better_than(const Sample& other) const {
    if (other.format.separator == ',' && fitting >= other.fitting && has_decimal_commas()) {
      return true;
    }
    return rank() > other.rank();
  }
};

/// The first 64 KiB.
[[nodiscard]] std::string beginning_of(const ReadableText& file);
/// Whether the records are the whole file.
[[nodiscard]] bool is_whole(const std::string& beginning);

/// Divides the file by the separator that fits best, unless one is given.
[[nodiscard]] Sample best_sample(const ReadableText& file, const FileFormat& known,
                                 std::optional<char> separator);
/// As best_sample(), without blanks and single quotes around fields, also if quotes follow blanks.
[[nodiscard]] Sample plain_sample(const ReadableText& file, FileFormat known,
                                  std::optional<char> separator);

}  // namespace tacet::data
