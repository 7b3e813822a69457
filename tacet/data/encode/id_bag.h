#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tacet/data/encode/missing_values.h"
#include "tacet/data/encode/value.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The ids of a record in a column of ids, as places among the column's features.
///
/// It is a function of one field and of public facts, and never fails:
/// - a field is split at the separator, and a list into its entries; blanks around an id are
/// dropped;
/// - an id that is empty or spelt like a missing value is left out, and with `count` also an id
/// that
///   is not a whole number from 0 to count - 1 (1.0 is 1);
/// - an id that occurs again counts once, and so do two ids in one bucket;
/// - of the rest, the first `max_ids` count, in the record's order.
///
/// Any bytes are an id. They are hashed as they are, even if they are not UTF-8. Not for several
/// threads at once.
class IdBag {
 public:
  /// `missing` outlives it.
  IdBag(const IdsColumn& rule, const MissingValues& missing) : rule_(rule), missing_(&missing) {}

  /// The places, ascending and without repetition, at most `max_ids` of them; valid until the next
  /// call.
  [[nodiscard]] std::span<const std::uint32_t> places(const Value& value);

  /// What was left out of the last value, for the owner of the records.
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }  ///< ids out of range
  /// different ids after the first `max_ids`
  [[nodiscard]] std::int64_t beyond() const { return beyond_; }

 private:
  void add_all(std::string_view text);
  void add(std::string_view id);
  [[nodiscard]] std::optional<std::uint32_t> place_of(std::string_view id) const;

  IdsColumn rule_;
  const MissingValues* missing_;
  std::vector<std::uint32_t> places_;
  std::int64_t dropped_ = 0;
  std::int64_t beyond_ = 0;
};

}  // namespace tacet::data
