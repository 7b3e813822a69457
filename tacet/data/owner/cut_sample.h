#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/data/owner/guess_format.h"

/// The first records of a public file, as separators, quotes and signs of comments cut them.
namespace tacet::data {

/// The first records as one separator cuts them.
struct Sample {
  FileFormat format;
  std::vector<std::vector<std::string>> records;
  std::vector<std::int64_t> lines;  // where they begin
  std::size_t columns = 0;          // the commonest number of columns
  std::size_t fitting = 0;          // records that have it
  std::size_t longest = 0;

  [[nodiscard]] bool usable() const { return columns > 1 && 10 * fitting >= 9 * records.size(); }
  [[nodiscard]] auto rank() const { return std::pair(fitting, columns); }
  /// Whether all commas in its fields are the points of numbers, and some are.
  [[nodiscard]] bool has_decimal_commas() const;
  /// Whether it is the better one of two usable ways to cut; the comma, which is tried first, cuts
  /// numbers that have one for a point into more columns than there are.
  [[nodiscard]] bool better_than(const Sample& other) const {
    if (other.format.separator == ',' && fitting >= other.fitting && has_decimal_commas()) {
      return true;
    }
    return rank() > other.rank();
  }
};

/// The first 64 KiB.
[[nodiscard]] std::string beginning_of(const ReadableText& file);
/// Whether these are all of it.
[[nodiscard]] bool is_whole(const std::string& beginning);

/// As the separator cuts the file that fits it best, where none is given.
[[nodiscard]] Sample best_sample(const ReadableText& file, const FileFormat& known,
                                 std::optional<char> separator);
/// The same, without blanks and single quotes around fields, where quotes stand behind blanks too.
[[nodiscard]] Sample plain_sample(const ReadableText& file, FileFormat known,
                                  std::optional<char> separator);

}  // namespace tacet::data
