#include "tacet/accounting/loss/monotone_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace tacet::accounting::pld {
namespace monotone_root_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Case {
  std::function<double(double)> f;
  double target;
  double root;
};

std::vector<Case> cases() {
  return {{[](double x) { return -x; }, -3, 3},
          {[](double x) { return 5 - x * x; }, 1, 2},
          {[](double x) { return -std::exp(x); }, -std::exp(7.0), 7},
          {[](double x) { return std::exp(-1e3 * x); }, std::exp(-2.0), 2e-3},
          {[](double x) { return -std::sqrt(x); }, -1e3, 1e6},
          // A step at 4, and flat elsewhere.
          {[](double x) { return x < 4 ? 1.0 : -1.0; }, 0, 4}};
}

TEST(MonotoneRoot, EndsOnTheSideAskedForNextToTheRoot) {
  int number = 0;
  for (const auto& [f, target, root] : cases()) {
    ++number;
    for (const double guess : {0.0, 0.01, 1.0, 50.0}) {
      for (const double slope : {-1.0, -1e-3, -100.0}) {
        const double above = solve_decreasing(f, {guess, slope, target, Side::above, 1e-9});
        const double below = solve_decreasing(f, {guess, slope, target, Side::below, 1e-9});
        ASSERT_LE(f(above), target) << number << " " << guess << " " << slope;
        ASSERT_GE(f(below), target) << number << " " << guess << " " << slope;
        EXPECT_NEAR(above / root, 1, 1e-6) << number << " " << guess << " " << slope;
        EXPECT_NEAR(below / root, 1, 1e-6) << number << " " << guess << " " << slope;
      }
    }
  }
}

TEST(MonotoneRoot, SaysWhereThereIsNone) {
  const auto high = [](double x) { return 2 + std::exp(-x); };
  EXPECT_EQ(solve_decreasing(high, {1, -1, 1, Side::above, 1e-6}), infinity);
  const auto low = [](double x) { return -x - 1; };
  EXPECT_EQ(solve_decreasing(low, {1, -1, 0, Side::below, 1e-6}), 0);
  // All of the line is right: the smallest x.
  EXPECT_EQ(solve_decreasing(low, {1, -1, 0, Side::above, 1e-6}), 0);
}

// Worth nothing at x below 2: a search that lands there comes back.
TEST(MonotoneRoot, AvoidsWhereNothingIsKnown) {
  const auto f = [](double x) { return x < 2 ? -infinity : -x; };
  const double found = solve_decreasing(f, {10, -0.1, -3, Side::below, 1e-6});
  EXPECT_LE(found, 3);
  EXPECT_GE(f(found), -3);
}

}  // namespace monotone_root_test
}  // namespace tacet::accounting::pld
