#include "tacet/accounting/loss/list_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/pld.h"

namespace tacet::accounting::pld {
namespace list_sum_test {

template <typename... Parts>
std::vector<Component> components(Parts... parts) {
  std::vector<Component> all;
  (all.push_back({std::move(parts.first), parts.second}), ...);
  return all;
}

// Kairouz, Oh and Viswanath 2015, Theorem 3.3: k uses at (e, d) are
// ((k - 2i) e, 1 - (1 - d)^k (1 - d_i))-private with
// d_i = sum_{l < i} C(k, l) (e^{(k-l) e} - e^{(k-2i+l) e}) / (1 + e^e)^k.
TEST(ListSum, IsTheOptimalCompositionOfEqualParts) {
  const double e = 0.3;
  const double d = 1e-6;
  const int k = 14;
  const auto sum = ListSum::of(components(std::pair(pairs::approximate(e, d), k)));
  ASSERT_TRUE(sum);
  for (int i = 0; i <= k / 2; ++i) {
    double inner = 0;
    double choose = 1;
    for (int l = 0; l < i; ++l) {
      inner += choose * (std::exp((k - l) * e) - std::exp((k - 2 * i + l) * e));
      choose *= static_cast<double>(k - l) / (l + 1);
    }
    inner /= std::pow(1 + std::exp(e), k);
    const double expected = 1 - std::pow(1 - d, k) * (1 - inner);
    const auto ends = sum->log_delta((k - 2 * i) * e).value();
    EXPECT_LE(ends.lower, std::log(expected) + 1e-9) << i;
    EXPECT_GE(ends.upper, std::log(expected) - 1e-9) << i;
    EXPECT_LT(ends.upper - ends.lower, 1e-10) << i;
  }
}

// Grids bracket the same composition.
TEST(ListSum, LiesInsideWhatGridsProve) {
  std::mt19937_64 words(7);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(words() >> 11) * 0x1p-53;
  };
  for (int i = 0; i < 12; ++i) {
    const auto parts = components(
        std::pair(pairs::approximate(between(0.05, 1), between(0, 1e-7)), 1 + i % 5),
        std::pair(pairs::approximate(between(0.05, 1), 0), 1 + i % 3),
        std::pair(pairs::profile({{0, 0.1}, {1, between(1e-4, 1e-2)}, {2, 1e-9}}), 1 + i % 2));
    const auto sum = ListSum::of(parts);
    ASSERT_TRUE(sum);
    const double log_delta = std::log(between(2e-6, 1e-3));
    const auto ends = sum->epsilon(log_delta);
    ASSERT_TRUE(ends);
    const auto grid = epsilon_bracket(parts, std::exp(log_delta),
                                      {.tolerance = 1e-6, .largest_log2_size = 22, .step = 1e-4});
    EXPECT_LE(grid.lower, ends->upper);
    EXPECT_GE(grid.upper, ends->lower);
    EXPECT_LT(ends->upper - ends->lower, 1e-9 * ends->upper);
  }
}

TEST(ListSum, RefusesWhatIsNoShortList) {
  EXPECT_FALSE(ListSum::of(components(std::pair(pairs::gaussian(1), 2))));
  EXPECT_FALSE(ListSum::of(components(std::pair(pairs::approximate(1, 0), 101))));
  EXPECT_FALSE(ListSum::of(components(std::pair(pairs::discrete_gaussian(4, 1), 9))));
}

// The fit of a schema at the delta that its releases promise together: all but some parts in a
// million of it is spent on infinite losses, and grids left three per cent open there.
TEST(ListSum, FitsOfSchemasHaveANarrowIntervalAtTheirOwnDelta) {
  for (const double total : {0.1, 1.0, 4.0, 8.0}) {
    for (const int columns : {1, 3, 14, 30}) {
      const double share = total / columns;
      const Event fit =
          Repeated{columns, Composed{{PureDp{0.1 * share, Adjacency::add_remove},
                                      ApproximateDp{0.9 * share, 0.99999999999 * 1e-6 / columns,
                                                    Adjacency::add_remove}}}};
      const auto interval = epsilon_interval(fit, Adjacency::add_remove, Delta(1e-6));
      EXPECT_LE(interval.upper, total * (1 + 1e-12));
      EXPECT_LE(interval.upper - interval.lower, 1e-6 * interval.upper) << columns;
    }
  }
}

}  // namespace list_sum_test
}  // namespace tacet::accounting::pld
