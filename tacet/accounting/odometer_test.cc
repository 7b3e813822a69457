#include "tacet/accounting/odometer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/accounting/filter.h"
#include "tacet/base/error.h"

namespace tacet::accounting {
namespace odometer_test {

constexpr auto add_remove = Adjacency::add_remove;

TEST(Odometer, CostsMoreThanAFilterAndGrows) {
  Odometer odometer(0.01, Delta(1e-6), add_remove);
  EXPECT_EQ(odometer.epsilon(), 0);
  double last = 0;
  for (int i = 1; i <= 10; ++i) {
    odometer.record(Gaussian{5});
    EXPECT_GE(odometer.epsilon(), last);
    last = odometer.epsilon();
    EXPECT_GT(last, zcdp_epsilon(0.02 * i, Delta(1e-6)));
  }
}

// The claim is a union bound: whatever is spent, the caps asked share one delta between them.
TEST(Odometer, SharesOfAllCapsStayWithinDelta) {
  std::vector<double> shares;
  const GrowingCaps caps{.first = 1, .factor = 2, .epsilon = [&](double cap, Delta delta) {
                           shares.push_back(delta.value());
                           return cap;
                         }};
  double sum = 0;
  for (int k = 0; k < 1000; ++k) {
    const double spent = std::ldexp(1.0, k);
    EXPECT_EQ(epsilon_at_any_time(spent, caps, Delta(0.25)), spent);
    sum += shares.back();
  }
  // Beyond the first thousand the shares sum up to less than 6 / (pi^2 1000).
  EXPECT_LE(sum, 0.25);
  EXPECT_GE(sum, 0.25 * (1 - 6.1e-4));
}

TEST(Odometer, ShowsTheFirstCapThatIsNotExceeded) {
  const GrowingCaps caps{
      .first = 0.5, .factor = 4, .epsilon = [](double cap, Delta) { return cap; }};
  const Delta delta(1e-6);
  EXPECT_EQ(epsilon_at_any_time(1e-9, caps, delta), 0.5);
  EXPECT_EQ(epsilon_at_any_time(0.5, caps, delta), 0.5);
  EXPECT_EQ(epsilon_at_any_time(0.500001, caps, delta), 2);
  EXPECT_EQ(epsilon_at_any_time(33, caps, delta), 128);
}

TEST(Odometer, EdgeTable) {
  const GrowingCaps caps{.first = 1, .epsilon = zcdp_epsilon};
  EXPECT_EQ(epsilon_at_any_time(0, caps, Delta(1e-6)), 0);
  EXPECT_EQ(epsilon_at_any_time(HUGE_VAL, caps, Delta(1e-6)), HUGE_VAL);
  EXPECT_THROW(Odometer(0, Delta(1e-6), add_remove), base::UsageError);
  EXPECT_THROW(Odometer(HUGE_VAL, Delta(1e-6), add_remove), base::UsageError);
  EXPECT_THROW(Odometer(1, Delta(0), add_remove), base::UsageError);
  Odometer odometer(1, Delta(1e-6), add_remove);
  odometer.record(Gaussian{0});
  EXPECT_EQ(odometer.epsilon(), HUGE_VAL);
}

}  // namespace odometer_test
}  // namespace tacet::accounting
