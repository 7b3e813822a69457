#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace tacet::privacy {

/// Which two data sets count as neighbours. Requests and accounts have no default for it. Beware of
/// a Guarantee in braces: if it leaves the adjacency out, the value is add_remove.
enum class Adjacency {
  add_remove,  ///< one record's presence; the number of records is secret
  zero_out,    ///< a record replaced by one that contributes exactly nothing; the number is public
  replace_one  ///< one record replaced by another; the number of records is public
};

/// An adjacency that the caller must state. The enumeration itself becomes add_remove if braces
/// leave it out; this type has no default.
class StatedAdjacency {
 public:
  constexpr StatedAdjacency(Adjacency value)  // NOLINT(google-explicit-constructor)
      : value_(value) {}
  constexpr operator Adjacency() const {  // NOLINT(google-explicit-constructor)
    return value_;
  }

 private:
  Adjacency value_;
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

/// Some of the adjacencies: those that an algorithm has a proof for.
class AdjacencySet {
 public:
  constexpr AdjacencySet(std::initializer_list<Adjacency> members) {
    for (const auto member : members) bits_ |= bit(member);
  }
  /// Whether it is one of them.
  [[nodiscard]] constexpr bool has(Adjacency adjacency) const {
    return (bits_ & bit(adjacency)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr unsigned bit(Adjacency adjacency) {
    return 1U << static_cast<unsigned>(adjacency);
  }

  unsigned bits_ = 0;
};

inline constexpr AdjacencySet no_adjacency{};
inline constexpr AdjacencySet every_adjacency{Adjacency::add_remove, Adjacency::zero_out,
                                              Adjacency::replace_one};
/// Those under which the number of records is public.
inline constexpr AdjacencySet public_count{Adjacency::zero_out, Adjacency::replace_one};

/// "add_remove, zero_out or replace_one", in the order of the enumeration; "none" for the empty
/// set.
[[nodiscard]] std::string to_string(AdjacencySet set);

}  // namespace tacet::privacy
