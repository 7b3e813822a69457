#pragma once

#include <string_view>

#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Maps a target value to the label's domain: -1/+1, 0..k-1, [-1, 1] for numbers, or [0, 1] for
/// probabilities and counts. Every value has a label;
/// unknown and unreadable ones get the one the schema fixes.
class LabelEncoder {
 public:
  explicit LabelEncoder(const Target& target);

  [[nodiscard]] double encode(std::string_view text) const;
  [[nodiscard]] double encode_number(double value) const;

 private:
  [[nodiscard]] double from_index(std::optional<std::uint32_t> index) const;
  [[nodiscard]] double from_value(double value) const;

  Target target_;
  ValueIndex index_;
};

}  // namespace tacet::data
