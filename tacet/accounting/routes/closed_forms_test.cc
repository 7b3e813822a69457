#include "tacet/accounting/routes/closed_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/pair_profiles.h"

namespace tacet::accounting::internal {
namespace closed_forms_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
constexpr auto zero_out = Adjacency::zero_out;
using test::no_end;

// mu^2 adds over releases and is the largest over disjoint blocks; a replaced record moves twice.
TEST(SquaredMu, FollowsTheCompositionOfGaussians) {
  const Event one = Gaussian{4};
  EXPECT_EQ(squared_mu(one, add_remove), 1.0 / 16);
  EXPECT_EQ(squared_mu(one, replace_one), 4.0 / 16);
  EXPECT_EQ(squared_mu(Repeated{8, one}, add_remove), 0.5);
  EXPECT_EQ(squared_mu(Composed{{one, Repeated{3, one}, Gaussian{2}}}, add_remove), 0.5);
  EXPECT_EQ(squared_mu(Partitioned{Assignment::by_record, {one, Gaussian{2}}}, add_remove), 0.25);
  EXPECT_EQ(squared_mu(PoissonSampled{1, one}, add_remove), 1.0 / 16);
  EXPECT_EQ(squared_mu(PoissonSampled{0, one}, add_remove), 0);
  EXPECT_EQ(squared_mu(Gaussian{no_end}, add_remove), 0);
  EXPECT_EQ(squared_mu(no_event(), add_remove), 0);
}

TEST(SquaredMu, IsOfGaussianNoiseThroughoutOnly) {
  EXPECT_FALSE(squared_mu(Laplace{1}, add_remove));
  EXPECT_FALSE(squared_mu(PoissonSampled{0.5, Gaussian{1}}, add_remove));
  EXPECT_FALSE(squared_mu(Composed{{Gaussian{1}, Laplace{1}}}, add_remove));
  // A record that moves from block to block changes two of them.
  EXPECT_FALSE(
      squared_mu(Partitioned{Assignment::by_record, {Gaussian{1}, Gaussian{1}}}, replace_one));
}

TEST(SquaredMu, EndsLieOnBothSidesOfTheTruth) {
  for (const double noise : {0.3, 1.0, 3.0, 7.7, 1e5}) {
    for (const std::int64_t count : {1, 3, 1000003}) {
      const Event event = Repeated{count, Composed{{Gaussian{noise}, Gaussian{2 * noise}}}};
      const long double exact =
          static_cast<long double>(count) * 1.25L / (static_cast<long double>(noise) * noise);
      const long double below = mu_below(event, add_remove);
      EXPECT_GE(static_cast<long double>(*squared_mu(event, add_remove)), exact) << noise;
      EXPECT_LE(below * below, exact) << noise;
      EXPECT_NEAR(static_cast<double>(below * below / exact), 1, 1e-13) << noise;
    }
  }
  // Squares among the smallest doubles are known from above only.
  EXPECT_EQ(mu_below(Gaussian{1e150}, add_remove), 0);
}

TEST(PureEpsilon, IsTheSumOfWhatThePartsState) {
  EXPECT_EQ(pure_epsilon(Laplace{4}, add_remove), 0.25);
  EXPECT_EQ(pure_epsilon(Laplace{4}, replace_one), 0.5);
  EXPECT_EQ(pure_epsilon(DiscreteLaplace{8, 2}, add_remove), 0.25);
  EXPECT_EQ(pure_epsilon(PureDp{0.5, add_remove}, add_remove), 0.5);
  EXPECT_EQ(pure_epsilon(PureDp{0.5, add_remove}, replace_one), no_end);
  EXPECT_EQ(pure_epsilon(ApproximateDp{0.5, 0, add_remove}, add_remove), 0.5);
  EXPECT_EQ(pure_epsilon(ApproximateDp{0.5, 1e-9, add_remove}, add_remove), no_end);
  EXPECT_EQ(pure_epsilon(Gaussian{1}, add_remove), no_end);
  EXPECT_EQ(pure_epsilon(Gaussian{no_end}, add_remove), 0);
  EXPECT_EQ(pure_epsilon(ShuffledLocal{2, 1000}, replace_one), 2);
  EXPECT_EQ(pure_epsilon(ShuffledLocal{2, 1000}, add_remove), no_end);
  const Event parts = Composed{{Laplace{4}, Repeated{3, PureDp{0.5, add_remove}}}};
  EXPECT_EQ(pure_epsilon(parts, add_remove), 1.75);
  const Event blocks = Partitioned{Assignment::by_record, {Laplace{4}, PureDp{0.5, add_remove}}};
  EXPECT_EQ(pure_epsilon(blocks, add_remove), 0.5);
}

// log(1 + q (e^epsilon - 1)); where one record replaces another, of both losses.
TEST(PureEpsilon, SamplesAmplifyAndNeverBelowTheFormula) {
  for (const double q : {1e-6, 0.1, 0.9}) {
    for (const double epsilon : {1e-3, 1.0, 20.0}) {
      const Event event = PoissonSampled{q, PureDp{epsilon, add_remove}};
      const double one = std::log1p(q * std::expm1(epsilon));
      EXPECT_GE(pure_epsilon(event, add_remove), one * (1 - 1e-15));
      EXPECT_NEAR(pure_epsilon(event, add_remove) / one, 1, 1e-12);
      const double two = one - std::log1p(q * std::expm1(-epsilon));
      EXPECT_NEAR(pure_epsilon(event, replace_one) / two, 1, 1e-12);
    }
  }
  EXPECT_EQ(pure_epsilon(PoissonSampled{0, Gaussian{1}}, add_remove), 0);
  EXPECT_EQ(pure_epsilon(FixedSizeSampled{0, 10, Gaussian{1}}, replace_one), 0);
  EXPECT_NEAR(pure_epsilon(FixedSizeSampled{1, 10, Laplace{2}}, replace_one),
              std::log1p(0.1 * std::expm1(1)), 1e-12);
}

TEST(BasicComposition, AddsEpsilonsAndDeltas) {
  const Event part = ApproximateDp{0.5, 1e-6, add_remove};
  const auto sum = basic_composition(Composed{{part, Repeated{3, part}, Laplace{4}}}, add_remove);
  ASSERT_TRUE(sum);
  EXPECT_GE(sum->epsilon, 2.25);
  EXPECT_NEAR(sum->epsilon, 2.25, 1e-14);
  EXPECT_GE(sum->delta, 4e-6);
  EXPECT_NEAR(sum->delta, 4e-6, 1e-20);
  const auto worst = basic_composition(
      Partitioned{Assignment::by_record, {part, ApproximateDp{0.1, 1e-5, add_remove}}}, add_remove);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->epsilon, 0.5);
  EXPECT_EQ(worst->delta, 1e-5);
  EXPECT_FALSE(basic_composition(Composed{{part, Gaussian{1}}}, add_remove));
  EXPECT_FALSE(basic_composition(part, zero_out));
}

// Balle, Barthe, Gaboardi 2018: (log(1 + q (e^epsilon - 1)), q delta).
TEST(BasicComposition, SamplesAmplifyBothNumbers) {
  const auto added =
      basic_composition(PoissonSampled{0.1, ApproximateDp{1, 1e-6, add_remove}}, add_remove);
  ASSERT_TRUE(added);
  EXPECT_NEAR(added->epsilon, std::log1p(0.1 * std::expm1(1)), 1e-12);
  EXPECT_NEAR(added->delta, 1e-7, 1e-20);
  const auto subset =
      basic_composition(FixedSizeSampled{1, 10, ApproximateDp{1, 1e-6, replace_one}}, replace_one);
  ASSERT_TRUE(subset);
  EXPECT_NEAR(subset->epsilon, std::log1p(0.1 * std::expm1(1)), 1e-12);
  EXPECT_NEAR(subset->delta, 1e-7, 1e-20);
  EXPECT_FALSE(
      basic_composition(FixedSizeSampled{1, 10, ApproximateDp{1, 1e-6, replace_one}}, add_remove));
  // Replaced: q delta (1 + e^{epsilon' - epsilon}) at the loss of both records.
  const auto replaced =
      basic_composition(PoissonSampled{0.1, ApproximateDp{1, 1e-6, add_remove}}, replace_one);
  ASSERT_TRUE(replaced);
  const double both = std::log1p(0.1 * std::expm1(1)) - std::log1p(0.1 * std::expm1(-1));
  EXPECT_NEAR(replaced->epsilon, both, 1e-12);
  EXPECT_NEAR(replaced->delta, 1e-7 * (1 + std::exp(both - 1)), 1e-19);
}

}  // namespace closed_forms_test
}  // namespace tacet::accounting::internal
