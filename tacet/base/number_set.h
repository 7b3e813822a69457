#pragma once

#include <cstdint>
#include <map>

namespace tacet::base {

/// A set of 64-bit numbers, kept as intervals: a run of consecutive numbers takes as much memory as
/// one number. Not for several threads at once.
class NumberSet {
 public:
  /// False if the number is in the set already. If memory runs out (std::bad_alloc), the set stays
  /// as it was.
  bool insert(std::uint64_t number);
  [[nodiscard]] bool contains(std::uint64_t number) const;
  /// The number of intervals that the set consists of.
  [[nodiscard]] std::size_t intervals() const { return last_of_.size(); }
  friend bool operator==(const NumberSet&, const NumberSet&) = default;

 private:
  std::map<std::uint64_t, std::uint64_t> last_of_;  // by the first number; no two of them touch
};

}  // namespace tacet::base
