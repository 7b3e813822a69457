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

/// The ids that a record has in a column of ids, as places among the column's features.
///
/// A function of one field and of public facts, and never an error:
/// - a field is cut at the separator, an entry of a list likewise; blanks around an id are dropped;
/// - an id that is empty or spelt like a missing value is left out, with `count` also one that is
///   no whole number from 0 to below it (1.0 is 1);
/// - an id that comes again counts once, and so do two in one bucket;
/// - of what is left the first `max_ids` count, in the record's order.
/// Any bytes are an id: they are hashed as they stand, also where they are no UTF-8.
/// Not for several threads at once.
class IdBag {
 public:
  /// `missing` outlives it.
  IdBag(const IdsColumn& rule, const MissingValues& missing) : rule_(rule), missing_(&missing) {}

  /// Ascending, each once, at most `max` of them; valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> places(const Value& value);

  /// What the rule made of the last value, for its owner.
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }  ///< ids out of range
  [[nodiscard]] std::int64_t beyond() const { return beyond_; }    ///< new ones behind the first

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
