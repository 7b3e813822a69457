#include "tacet/audit/memorisation.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstddef>

#include "tacet/base/error.h"

namespace tacet::audit {

double chi_square_9_tail(double x) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(9), x));
}

RankTest test_ranks(std::span<const std::int64_t> ranks, std::int64_t others) {
  if (ranks.empty() || others < 1) throw base::UsageError("ranks need phrases to be ranked among");
  RankTest test;
  const auto count = static_cast<double>(ranks.size());
  const auto all = static_cast<double>(others);
  for (const auto rank : ranks) {
    if (rank < 0 || rank > others) {
      throw base::UsageError("a rank must be 0 to {}, got {}", others, rank);
    }
    const auto bin = std::min<std::int64_t>(9, rank * 10 / others);
    test.shares[static_cast<std::size_t>(bin)] += 1 / count;
    test.mean_exposure += (std::log2(all) - std::log2(all + 1 - static_cast<double>(rank))) / count;
  }
  for (const double share : test.shares) test.distance += (share - 0.1) * (share - 0.1) / 0.1;
  test.p_value = chi_square_9_tail(count * test.distance);
  return test;
}

}  // namespace tacet::audit
