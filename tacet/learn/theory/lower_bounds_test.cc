#include "tacet/learn/theory/lower_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacet::learn {
namespace lower_bounds_test {

GrowthProblem problem_of(double kappa) {
  return {.rows = 1000, .kappa = kappa, .lambda = 0.5, .lipschitz = 1, .radius = 1};
}

// An independent computation with 1000 records, lambda = 1/2, L = R = 1, epsilon 1.
TEST(LowerBounds, TwoPointsReproduceTheIndependentNumbers) {
  struct Row {
    double kappa;
    double value;
    std::int64_t changed;
  };
  for (const auto& row : {Row{1.25, 4.084992019217e-13, 5}, Row{1.5, 5.762243591074e-9, 3},
                          Row{2, 9.536233761769e-7, 2}, Row{3, 1.305802586241e-5, 2}}) {
    const auto bound = two_point_bound(problem_of(row.kappa), 1, 0);
    EXPECT_NEAR(bound.value / row.value, 1, 1e-8) << row.kappa;
    EXPECT_EQ(bound.changed, row.changed) << row.kappa;
  }
  EXPECT_NEAR(two_point_bound(problem_of(2), 1, 1e-6).value / 9.536198303365e-7, 1, 1e-8);
}

TEST(LowerBounds, PackingReproducesTheIndependentNumbers) {
  const auto two = packing_bound(problem_of(2), 1, 40, 0.5);
  EXPECT_NEAR(two.value / 6.321205588286e-7, 1, 1e-8);
  EXPECT_EQ(two.changed, 4);
  EXPECT_NEAR(packing_bound(problem_of(3), 1, 40, 0.5).value / 1.177887116263e-6, 1, 1e-8);
}

TEST(LowerBounds, SamplingReproducesTheIndependentNumbers) {
  EXPECT_NEAR(sampling_bound(problem_of(1.5)) / 7.5021e-6, 1, 1e-3);
  EXPECT_NEAR(sampling_bound(problem_of(2)) / 1.48126e-4, 1, 1e-3);
  EXPECT_NEAR(sampling_bound(problem_of(3)) / 6.4012e-4, 1, 1e-3);
}

// n^(-kappa/(kappa-1)) of the privacy bound, n^(-kappa/(2(kappa-1))) of sampling.
TEST(LowerBounds, FallWithTheRatesOfTheTheorems) {
  for (const double kappa : {1.5, 2.0, 3.0, 8.0}) {
    auto few = problem_of(kappa);
    auto many = few;
    few.rows = 20000;
    many.rows = 200000;
    const double rate = kappa / (kappa - 1);
    const double privacy =
        std::log10(two_point_bound(few, 1, 0).value / two_point_bound(many, 1, 0).value);
    EXPECT_NEAR(privacy, rate, 1e-6) << kappa;
    EXPECT_NEAR(std::log10(sampling_bound(few) / sampling_bound(many)), rate / 2, 0.01) << kappa;
  }
}

TEST(LowerBounds, LessPrivacyAndMoreDeltaLowerThem) {
  double last = two_point_bound(problem_of(2), 0.1, 0).value;
  for (const double epsilon : {0.3, 1.0, 3.0}) {
    const double next = two_point_bound(problem_of(2), epsilon, 0).value;
    EXPECT_LT(next, last);
    last = next;
  }
  EXPECT_LT(two_point_bound(problem_of(2), 1, 0.1).value,
            two_point_bound(problem_of(2), 1, 0).value);
}

TEST(LowerBounds, RefuseWhatMakesNoSense) {
  EXPECT_THROW((void)two_point_bound(problem_of(1), 1, 0), base::UsageError);
  EXPECT_THROW((void)two_point_bound(problem_of(2), 0, 0), base::UsageError);
  EXPECT_THROW((void)two_point_bound(problem_of(2), 1, 1), base::UsageError);
  EXPECT_THROW((void)packing_bound(problem_of(1.5), 1, 40, 0.5), base::UsageError);
  EXPECT_THROW((void)packing_bound(problem_of(2), 1, 0, 0.5), base::UsageError);
}

}  // namespace lower_bounds_test
}  // namespace tacet::learn
