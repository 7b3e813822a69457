#pragma once

#include <cstdint>
#include <optional>

#include "tacet/data/encode/missing_values.h"
#include "tacet/data/encode/number_reader.h"
#include "tacet/data/encode/value.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Maps a target value to the label's domain: -1/+1, 0..k-1, [-1, 1] for numbers, or [0, 1] for
/// probabilities and counts. Unknown and missing values (and unreadable numbers) get the label that
/// the schema fixes, unless such records are dropped. Numbers are compared exactly: the float 0.1
/// is not the class 0.1.
class LabelEncoder {
 public:
  /// The schema must have a target.
  explicit LabelEncoder(const Schema& schema);

  /// The label; nothing for a record without a target that is to be dropped.
  [[nodiscard]] std::optional<double> encode(const Value& value) const;
  [[nodiscard]] std::optional<double> encode_number(double value) const;

  /// The label by the target's rule, even if the record is to be dropped.
  [[nodiscard]] double rule_label(const Value& value) const;
  /// Whether a value is missing or, for numbers, unreadable; listed classes never are.
  [[nodiscard]] bool is_missing(const Value& value) const;

  /// The label that a dropped record gets; a valid label.
  [[nodiscard]] double label_without_target() const;

 private:
  struct Found {
    double label;
    bool missing;
  };
  [[nodiscard]] Found find(const Value& value) const;
  [[nodiscard]] Found find_number(double value) const;
  [[nodiscard]] std::optional<double> kept(const Found& found) const;
  [[nodiscard]] double from_index(std::optional<std::uint32_t> index) const;
  [[nodiscard]] double from_value(double value) const;

  Target target_;
  ValueIndex index_;
  MissingValues missing_;
  NumberReader reader_;
};

}  // namespace tacet::data
