#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The names of encoded features. Long runs that differ by a number alone (`text#17`, `feature 17`)
/// are stored as their prefix, so memory grows only with the other names.
class FeatureNames {
 public:
  FeatureNames() = default;
  FeatureNames(std::initializer_list<std::string> names);
  explicit FeatureNames(std::vector<std::string> names);

  void add(std::string name);
  /// Adds `count` names: `prefix` and the numbers from `first` on.
  void add_numbered(std::string prefix, std::int64_t first, std::int64_t count);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// `index` below size().
  [[nodiscard]] std::string operator[](std::size_t index) const;
  /// Whether both have the same names in the same order, however they are stored.
  friend bool operator==(const FeatureNames& a, const FeatureNames& b);

 private:
  struct Run {
    std::size_t begin = 0;   // index of its first feature
    bool numbered = false;   // whether the names are a prefix and a number
    std::string prefix;      // only if numbered
    std::int64_t first = 0;  // if numbered, the first number; otherwise an index into listed_
  };

  std::vector<Run> runs_;  // ascending
  std::vector<std::string> listed_;
  std::size_t size_ = 0;
};

/// In the order of Schema::encoded_columns(), with its names.
[[nodiscard]] FeatureNames feature_names(const Schema& schema);

/// For a line of names that was read as a single name: which other separator divides it, and what
/// to write in the schema. Empty if none does. Never quotes the line.
[[nodiscard]] std::string other_separator(std::string_view line, char separator);

}  // namespace tacet::data
