#pragma once

#include <cstdint>
#include <optional>

#include "tacet/data/encode/value.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Maps a target value to the label's domain: -1/+1, 0..k-1, [-1, 1] for numbers, or [0, 1] for
/// probabilities and counts. Every value has a label;
/// unknown and unreadable ones get the one the schema fixes. Numbers are compared exactly: 0.1 of
/// single precision is not the class 0.1.
class LabelEncoder {
 public:
  explicit LabelEncoder(const Target& target);

  [[nodiscard]] double encode(const Value& value) const;
  [[nodiscard]] double encode_number(double value) const;

 private:
  [[nodiscard]] double from_index(std::optional<std::uint32_t> index) const;
  [[nodiscard]] double from_value(double value) const;

  Target target_;
  ValueIndex index_;
};

}  // namespace tacet::data
