#pragma once

#include <string>
#include <string_view>

namespace tacet::privacy {

/// Which two data sets count as neighbours. Nothing in the library has a default for it.
enum class Adjacency {
  add_remove,  ///< one record's presence; the number of records is secret
  zero_out,    ///< a record replaced by one that contributes exactly nothing; the number is public
  replace_one  ///< one record replaced by another; the number of records is public
};

/// How far a sum of vectors of norm at most C moves between neighbours, in units of C: 1, or 2
/// under replace_one (the diameter of the ball).
[[nodiscard]] constexpr double distance_factor(Adjacency adjacency) {
  return adjacency == Adjacency::replace_one ? 2.0 : 1.0;
}

/// "add_remove", "zero_out" or "replace_one".
[[nodiscard]] std::string to_string(Adjacency adjacency);

/// The inverse of to_string; anything else is a UsageError that lists the names.
[[nodiscard]] Adjacency parse_adjacency(std::string_view name);

}  // namespace tacet::privacy
