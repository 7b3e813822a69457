#include "tacet/accounting/shapes/replacement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/base/error.h"

namespace tacet::accounting {
namespace replacement_test {

constexpr auto apart = Adjacency::add_remove;
constexpr auto replaced = Adjacency::replace_one;

TEST(Replacement, StatedCostsArePaidTwice) {
  EXPECT_EQ(under_replace_one(PureDp{0.5, apart}), Event(PureDp{1, replaced}));
  EXPECT_EQ(under_replace_one(BoundedRange{0.5, apart}), Event(BoundedRange{1, replaced}));
  EXPECT_EQ(under_replace_one(Zcdp{0.5, apart}), Event(Zcdp{2, replaced}));
  const auto both = under_replace_one(ApproximateDp{0.5, 1e-6, apart});
  const auto* leaf = both.as<ApproximateDp>();
  ASSERT_NE(leaf, nullptr);
  EXPECT_EQ(leaf->epsilon, 1);
  EXPECT_GE(leaf->delta, (1 + std::exp(0.5)) * 1e-6);
  EXPECT_NEAR(leaf->delta, (1 + std::exp(0.5)) * 1e-6, 1e-20);
  EXPECT_EQ(leaf->adjacency, replaced);
}

TEST(Replacement, NoiseOnSumsStaysAndIsAccountedAtItsOwnDistance) {
  const Event event = Composed{{Gaussian{2}, Repeated{3, Laplace{8}}, DiscreteLaplace{9, 2}}};
  EXPECT_EQ(under_replace_one(event), event);
  const Event sampled = PoissonSampled{0.1, Gaussian{2}};
  EXPECT_EQ(under_replace_one(sampled), sampled);
}

TEST(Replacement, ReachesThePartsOfACompositionOnly) {
  EXPECT_EQ(under_replace_one(Repeated{4, Composed{{PureDp{0.1, apart}, Gaussian{1}}}}),
            Event(Repeated{4, Composed{{PureDp{0.2, replaced}, Gaussian{1}}}}));
  EXPECT_THROW((void)under_replace_one(PureDp{1, Adjacency::zero_out}), base::UsageError);
  EXPECT_THROW((void)under_replace_one(PureDp{1, replaced}), base::UsageError);
  EXPECT_THROW((void)under_replace_one(FixedSizeSampled{1, 2, PureDp{1, apart}}), base::UsageError);
}

/// sup over sets of p - e^epsilon q.
double divergence(const std::array<double, 2>& p, const std::array<double, 2>& q, double epsilon) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
  return sum;
}

// Laws under D, D - x and D' that are (e, d) apart step by step and meet the bound for both steps.
TEST(Replacement, BothDeltasAreMet) {
  const double e = 0.7;
  const double d = 1e-3;
  const double seen = (1 + std::exp(e)) * d;
  const std::array p{seen, 1 - seen};
  const std::array middle{d, 1 - d};
  const std::array q{0.0, 1.0};
  for (const auto& [one, other] : {std::pair(p, middle), std::pair(middle, q)}) {
    EXPECT_LE(divergence(one, other, e), d * (1 + 1e-12));
    EXPECT_LE(divergence(other, one, e), d * (1 + 1e-12));
  }
  const auto both = under_replace_one(ApproximateDp{e, d, apart});
  EXPECT_GE(delta_interval(both, replaced, Epsilon(2 * e)).upper, divergence(p, q, 2 * e));
}

TEST(Replacement, OfEachReleaseIsTighterThanOfTheirSum) {
  const Event fit = Repeated{10, Composed{{PureDp{0.01, apart}, ApproximateDp{0.09, 1e-7, apart}}}};
  const double delta = 1e-5;
  const double each =
      epsilon_interval(Composed{{under_replace_one(fit), Gaussian{10}}}, replaced, Delta(delta))
          .upper;
  const double sum =
      epsilon_interval(Composed{{under_replace_one(ApproximateDp{1, 1e-6, apart}), Gaussian{10}}},
                       replaced, Delta(delta))
          .upper;
  EXPECT_LT(each, sum);
}

}  // namespace replacement_test
}  // namespace tacet::accounting
