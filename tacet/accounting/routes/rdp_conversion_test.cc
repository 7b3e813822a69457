#include "tacet/accounting/routes/rdp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tests/support/renyi_bounds.h"

namespace tacet::accounting {
namespace rdp_conversion_test {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(RdpConversion, DeltaAndEpsilonAreOneStatement) {
  for (const double alpha : {1.1, 2.0, 17.0, 4096.0}) {
    for (const double value : {0.0, 1e-3, 0.5, 8.0}) {
      for (const double delta : {1e-2, 1e-9, 1e-60}) {
        const double epsilon = rdp::to_epsilon(alpha, value, delta);
        if (epsilon == 0) {
          EXPECT_LE(rdp::to_delta(alpha, value, 0), delta * (1 + 1e-9)) << alpha << " " << value;
        } else {
          EXPECT_NEAR(rdp::to_delta(alpha, value, epsilon) / delta, 1, 1e-9)
              << alpha << " " << value;
        }
      }
    }
  }
  EXPECT_EQ(rdp::to_epsilon(2, 1, 0), infinity);
  EXPECT_THROW((void)rdp::to_epsilon(1, 1, 1e-6), base::UsageError);
}

// Scanned: no order that is listed is better than the best one.
TEST(RdpConversion, TheBestOrderIsTheBestOfAll) {
  for (const double mu : {0.01, 0.3, 2.0}) {
    const auto curve = [mu](double alpha) { return rdp::gaussian(mu, alpha); };
    for (const double delta : {1e-3, 1e-6, 1e-20}) {
      double scanned = infinity;
      for (double z = -4; z < 13; z += 0.01) {
        const double alpha = 1 + std::exp(z);
        scanned = std::min(scanned, rdp::to_epsilon(alpha, curve(alpha), delta));
      }
      const auto best = rdp::best_epsilon(curve, Delta(delta));
      EXPECT_LE(best.epsilon, scanned * (1 + 1e-9)) << mu << " " << delta;
      EXPECT_GE(best.epsilon, scanned * (1 - 1e-3)) << mu << " " << delta;
      EXPECT_NEAR(rdp::to_epsilon(best.alpha, curve(best.alpha), delta), best.epsilon, 1e-9);
      // It is a bound of the noise's own epsilon.
      EXPECT_GE(best.epsilon, gaussian::epsilon(mu, Delta(delta))) << mu << " " << delta;
    }
  }
  EXPECT_EQ(rdp::best_epsilon([](double) { return 1.0; }, Delta(0)).epsilon, infinity);
}

TEST(RdpConversion, TheBestDeltaIsTheInverse) {
  for (const double mu : {0.1, 1.0}) {
    const auto curve = [mu](double alpha) { return rdp::gaussian(mu, alpha); };
    for (const double delta : {1e-2, 1e-9}) {
      const double epsilon = rdp::best_epsilon(curve, Delta(delta)).epsilon;
      EXPECT_NEAR(rdp::best_delta(curve, epsilon) / delta, 1, 1e-4) << mu << " " << delta;
      EXPECT_GE(rdp::best_delta(curve, epsilon), gaussian::delta(mu, epsilon));
    }
  }
  // Where nothing is proved, all may be lost.
  EXPECT_EQ(rdp::best_delta([](double) { return infinity; }, 1), 1);
}

}  // namespace rdp_conversion_test
}  // namespace tacet::accounting
