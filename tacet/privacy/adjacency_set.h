#pragma once

#include <initializer_list>
#include <string>

#include "tacet/privacy/adjacency.h"

namespace tacet::privacy {

/// Some of the adjacencies: those that an algorithm has a proof for.
class AdjacencySet {
 public:
  constexpr AdjacencySet(std::initializer_list<Adjacency> members) {
    for (const auto member : members) bits_ |= bit(member);
  }
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

/// "add_remove or zero_out", in the order in which Adjacency names them; "none" of no member.
[[nodiscard]] inline std::string to_string(AdjacencySet set) {
  std::string text;
  for (const auto one : {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    if (set.has(one)) text += (text.empty() ? "" : " or ") + to_string(one);
  }
  return text.empty() ? "none" : text;
}

}  // namespace tacet::privacy
