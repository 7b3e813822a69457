#include "tacet/audit/one_run.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "tacet/base/error.h"

namespace tacet::audit {
namespace one_run_test {

// Of an independent program.
TEST(OneRun, BoundsAreThoseOfTheReference) {
  const auto bound = [](const Guesses& guesses, double delta) {
    return one_run_bound(guesses, delta, 0.05);
  };
  EXPECT_NEAR(bound({1000, 100, 75}, 1e-5), 0.699466813163407, 1e-9);
  EXPECT_NEAR(bound({1000, 100, 75}, 0), 0.7022139309495059, 1e-9);
  EXPECT_NEAR(bound({1000, 100, 99}, 1e-5), 3.0028323653487434, 1e-9);
  EXPECT_NEAR(bound({1000, 1000, 600}, 1e-5), 0.29722695371877617, 1e-9);
  EXPECT_NEAR(bound({5000, 200, 120}, 1e-5), 0.15300753334859388, 1e-9);
  EXPECT_NEAR(bound({100, 100, 80}, 1e-5), 0.9580863694, 1e-9);
  EXPECT_NEAR(bound({1000, 1000, 700}, 0), 0.7320108624, 1e-9);
  EXPECT_NEAR(bound({10000, 200, 200}, 1e-6), 4.1664901767, 1e-9);
  EXPECT_EQ(bound({100, 100, 50}, 1e-5), 0);
  EXPECT_NEAR(one_run_p_value({1000, 100, 75}, 1, 1e-5), 0.38450513197497765, 1e-9);
}

// A group of copies is less private than one of them, so that one of them is at most so private.
TEST(OneRun, CopiesOfACanaryProveLess) {
  const Guesses guesses{1000, 100, 90};
  const double one = one_run_bound(guesses, 1e-5, 0.05);
  EXPECT_EQ(one_run_bound_of_copies(guesses, 1, 1e-5, 0.05), one);
  for (const std::int64_t copies : {2, 5}) {
    const double each = one_run_bound_of_copies(guesses, copies, 1e-5, 0.05);
    EXPECT_GT(each, 0);
    EXPECT_LT(each, one / static_cast<double>(copies) * 1.000001);
    EXPECT_NEAR(one_run_bound_of_copies(guesses, copies, 0, 0.05),
                one_run_bound(guesses, 0, 0.05) / static_cast<double>(copies), 1e-9);
  }
}

// Randomised response at epsilon 1, whose guesses are as good as they can be: the bound is above
// epsilon in at most a twentieth of runs. Of 200 runs more than 25 would be, of a correct program,
// with a probability below 1e-4; and the bound comes near.
TEST(OneRun, RandomisedResponseIsHardlyEverRefuted) {
  std::mt19937_64 bits(12);
  const double truth = 1 / (1 + std::exp(-1.0));
  int above = 0;
  double sum = 0;
  for (int run = 0; run < 200; ++run) {
    std::int64_t right = 0;
    for (int i = 0; i < 1000; ++i) {
      right += static_cast<double>(bits() >> 11) * 0x1p-53 < truth ? 1 : 0;
    }
    const double bound = one_run_bound({1000, 1000, right}, 0, 0.05);
    above += bound > 1 ? 1 : 0;
    sum += bound;
  }
  EXPECT_LE(above, 25);
  EXPECT_GT(sum / 200, 0.8);
}

TEST(OneRun, RefusesWhatCannotBe) {
  EXPECT_THROW((void)one_run_p_value({10, 11, 5}, 1, 0), base::UsageError);
  EXPECT_THROW((void)one_run_p_value({10, 5, 6}, 1, 0), base::UsageError);
  EXPECT_THROW((void)one_run_p_value({0, 0, 0}, 1, 0), base::UsageError);
  EXPECT_THROW((void)one_run_p_value({10, 5, 3}, -1, 0), base::UsageError);
  EXPECT_THROW((void)one_run_p_value({10, 5, 3}, std::nan(""), 0), base::UsageError);
  EXPECT_THROW((void)one_run_p_value({10, 5, 3}, 1, 2), base::UsageError);
  EXPECT_THROW((void)one_run_bound({10, 5, 3}, 0, 0), base::UsageError);
  EXPECT_THROW((void)one_run_bound_of_copies({10, 5, 3}, 0, 0, 0.05), base::UsageError);
  EXPECT_EQ(one_run_p_value({10, 5, 0}, 1, 0), 1);
  EXPECT_EQ(one_run_p_value({10, 0, 0}, 1, 0), 1);
}

}  // namespace one_run_test
}  // namespace tacet::audit
