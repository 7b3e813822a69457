#include "tacet/report/record/attack.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/progress.h"
#include "tacet/numeric/special.h"

namespace tacet::report::attack_test {

using privacy::Adjacency;

CertifiedCurve curve_of(const privacy::Event& event, double prg_slack = 0) {
  base::WorkMeter work(60);
  return certified_curve(event, Adjacency::add_remove, prg_slack, work);
}

// The best test against noise of mu has the true positive rate Phi(Phi^-1(a) + mu) (Dong, Roth, Su
// 2022, section 2.3).
TEST(Attack, BoundsLieAboveTheBestTestAgainstGaussianNoiseAndNotFar) {
  for (const double mu : {0.05, 0.2, 0.5, 1.0, 2.0}) {
    const auto curve = curve_of(privacy::Gaussian{1 / mu});
    for (const double rate : false_positive_rates) {
      const double best = numeric::normal_cdf(numeric::normal_quantile(rate) + mu);
      const double bound = largest_true_positive_rate(curve, rate);
      EXPECT_GE(bound, best) << mu << " " << rate;
      EXPECT_LE(bound, best * 1.25 + 0.002) << mu << " " << rate;
    }
  }
}

TEST(Attack, APureGuaranteeBoundsBothErrors) {
  const auto curve = curve_of(privacy::PureDp{1, Adjacency::add_remove});
  EXPECT_NEAR(largest_true_positive_rate(curve, 0.01), 0.01 * std::exp(1.0), 1e-9);
  const auto strong = curve_of(privacy::PureDp{8, Adjacency::add_remove});
  EXPECT_NEAR(largest_true_positive_rate(strong, 0.05), 1 - std::exp(-8.0) * 0.95, 1e-9);
}

TEST(Attack, NothingReleasedFindsNobody) {
  const auto curve = curve_of(privacy::no_event());
  for (const double rate : false_positive_rates) {
    EXPECT_NEAR(largest_true_positive_rate(curve, rate), rate, 1e-12);
    for (const double prior : priors) {
      EXPECT_NEAR(share_after_positive(prior, rate, rate), prior, 1e-12);
    }
  }
}

TEST(Attack, NoNoiseFindsEverybody) {
  const auto curve = curve_of(privacy::Gaussian{0});
  EXPECT_EQ(largest_true_positive_rate(curve, 0.001), 1);
}

TEST(Attack, TheCipherMakesNoBoundSmaller) {
  const auto ideal = curve_of(privacy::Gaussian{2});
  const auto cipher = curve_of(privacy::Gaussian{2}, 1e-4);
  for (const double rate : false_positive_rates) {
    EXPECT_GT(largest_true_positive_rate(cipher, rate), largest_true_positive_rate(ideal, rate));
  }
}

TEST(Attack, APositiveAnswerSaysWhatBayesSays) {
  EXPECT_NEAR(share_after_positive(0.1, 0.01, 0.05), 0.005 / (0.005 + 0.009), 1e-12);
  EXPECT_EQ(share_after_positive(0.5, 0, 0), 0);
}

}  // namespace tacet::report::attack_test
