#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

/// A search for neighbours that lie further apart than is certified. If it finds none, that proves
/// nothing. If it comes near the bound, the bound is no larger than it has to be.
namespace tacet::audit {

/// A pair of neighbours that is looked at, as numbers from -1 to 1, one after the other.
class PairNumbers {
 public:
  explicit PairNumbers(std::span<const double> numbers) : numbers_(numbers) {}

  /// InternalError where the pair has no more numbers.
  [[nodiscard]] double next();
  [[nodiscard]] double between(double low, double high) {
    return low + (high - low) * (next() + 1) / 2;
  }
  [[nodiscard]] double sign() { return next() < 0 ? -1 : 1; }
  /// 0, ..., count - 1
  [[nodiscard]] std::int64_t one_of(std::int64_t count);

 private:
  std::span<const double> numbers_;
  std::size_t place_ = 0;
};

/// A certified bound of how far neighbours move a sum, a minimiser or a descent.
struct CertifiedBound {
  std::string_view name;  ///< in tests/audits/registry.toml
  double reached;         ///< the least share of the bound that the search has to find
  std::size_t numbers;    ///< that a pair consists of
  /// The distance of the pair's results over what is certified.
  std::function<double(PairNumbers& pair)> share;
};

struct Farthest {
  double share = 0;
  std::vector<double> pair{};
};

/// Tries so many pairs of neighbours and gives the farthest. A quarter is random, a quarter has
/// each number at an end or in the middle of its range, and the rest climbs from the farthest pair,
/// changing one number at a time. The same seed gives the same result.
[[nodiscard]] Farthest farthest_neighbours(const CertifiedBound& claim, std::int64_t pairs,
                                           std::uint64_t seed);

}  // namespace tacet::audit
