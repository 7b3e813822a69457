#include "tacet/accounting/routes/rdp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/numeric/rounding.h"

namespace tacet::accounting {
namespace rdp_replaced_test {

constexpr auto replace_one = Adjacency::replace_one;
using numeric::infinity;

// Arbitrary precision. Never below: these are bounds.
TEST(ReplacedRdp, RenyiDivergencesAgreeWithTheReference) {
  struct Case {
    double q, s, alpha, value;
  };
  for (const auto& c : {Case{.01, 1, 2, 4.5755438253754e-4},
                        {.01, 1, 8, 1.9844545230565e-3},
                        {.01, 1, 32, 11.256326272902},
                        {.001, .8, 4.5, 2.0363508072738e-5},
                        {.05, 2, 16, .021282511370017},
                        {.2, 4, 64, .67313816024119},
                        {.5, 3, 1.25, .067569316799614},
                        {.9, 10, 10, .16172792153619},
                        {1e-4, .5, 3, 1.6062617946573e-6}}) {
    const double found = rdp::replaced_gaussian(c.q, c.s, c.alpha);
    EXPECT_GE(found, c.value * (1 - 1e-13)) << c.q << " " << c.alpha;
    EXPECT_LE(found, c.value * (1 + 3e-12)) << c.q << " " << c.alpha;
    const auto curve = rdp::curve(PoissonSampled{c.q, Gaussian{c.s}}, replace_one);
    ASSERT_TRUE(curve);
    EXPECT_LE((*curve)(c.alpha), found * (1 + 1e-12));
    EXPECT_GE((*curve)(c.alpha), c.value * (1 - 1e-13));
  }
}

// E[k(x)^alpha k(-x)^(1 - alpha)] summed finely and far out, where nothing cancels.
TEST(ReplacedRdp, RenyiDivergencesBoundAFineSum) {
  for (const double q : {.3, .01}) {
    for (const double s : {.3, 1.0, 7.0}) {
      for (const double alpha : {1.5, 3.0, 20.0, 150.0}) {
        const double step = 1e-3 * s;
        double largest = -infinity;
        std::vector<double> logs;
        for (double x = -12 * s - 1; x < 2 * alpha + 12 * s; x += step) {
          const auto k = [&](double y) {
            const double u = (2 * y - 1) / (2 * s * s);
            return u > 300 ? u + std::log(q) : std::log(1 - q + q * std::exp(u));
          };
          logs.push_back(alpha * k(x) + (1 - alpha) * k(-x) - x * x / (2 * s * s));
          largest = std::max(largest, logs.back());
        }
        double sum = 0;
        for (const double one : logs) sum += std::exp(one - largest);
        const double moment = largest + std::log(sum * step / (s * std::sqrt(2 * M_PI)));
        const double found = rdp::replaced_gaussian(q, s, alpha);
        EXPECT_NEAR(found / (moment / (alpha - 1)), 1, 1e-7) << q << " " << s << " " << alpha;
      }
    }
  }
}

// Randomised response on a sample: outcomes with and without the record, replaced by its opposite.
TEST(ReplacedRdp, PureMechanismsMeetTheTwoPointPair) {
  for (const double q : {.01, .4, .95}) {
    for (const double epsilon : {.1, 1.0, 6.0}) {
      for (const double alpha : {1.2, 2.0, 9.0, 60.0}) {
        // Three outcomes: the record's own, its opposite's, and none of them told apart.
        const long double share = 1 / (1 + std::exp(static_cast<long double>(epsilon)));
        const long double up = (1 - q + q * std::exp(static_cast<long double>(epsilon))) * share;
        const long double down = (1 - q + q * std::exp(-static_cast<long double>(epsilon))) * share;
        const long double ratio = std::log(up / down);
        const long double excess =
            up * std::expm1((alpha - 1) * ratio) + down * std::expm1((1 - alpha) * ratio);
        const auto exact = static_cast<double>(std::log1p(excess) / (alpha - 1));
        const double found = rdp::replaced_pure(q, epsilon, alpha);
        EXPECT_GE(found, exact * (1 - 1e-11)) << q << " " << epsilon << " " << alpha;
        EXPECT_NEAR(found / exact, 1, 1e-7) << q << " " << epsilon << " " << alpha;
      }
    }
  }
}

// By way of the sample without the record: never below what is known of Gaussian noise itself.
TEST(ReplacedRdp, TheGeneralBoundIsNeverBelowTheGaussianOne) {
  for (const double q : {.001, .1, .7}) {
    for (const double sigma : {.7, 2.0, 10.0}) {
      const auto base = [sigma](double alpha) { return rdp::gaussian(1 / sigma, alpha); };
      for (const double alpha : {1.5, 4.0, 20.0}) {
        EXPECT_GE(rdp::replaced(q, base, alpha) * (1 + 1e-9),
                  rdp::replaced_gaussian(q, sigma, alpha))
            << q << " " << sigma << " " << alpha;
      }
    }
  }
}

TEST(ReplacedRdp, EdgeTable) {
  EXPECT_EQ(rdp::replaced_gaussian(0, 1, 3), 0);
  EXPECT_EQ(rdp::replaced_gaussian(.1, infinity, 3), 0);
  EXPECT_EQ(rdp::replaced_gaussian(.1, 0, 3), infinity);
  EXPECT_EQ(rdp::replaced_gaussian(1, 2, 3), rdp::gaussian(1, 3));
  EXPECT_EQ(rdp::replaced_pure(0, 1, 3), 0);
  EXPECT_EQ(rdp::replaced_pure(.1, 0, 3), 0);
  EXPECT_EQ(rdp::replaced_pure(.1, infinity, 3), infinity);
}

}  // namespace rdp_replaced_test
}  // namespace tacet::accounting
