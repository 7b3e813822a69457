#include "tacet/privacy/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/composition.h"
#include "tacet/privacy/gaussian.h"

namespace tacet::privacy {
namespace {

TEST(Calibration, ReturnedNoiseMeetsTheTargetAndWastesLittle) {
  for (const double q : {0.01, 0.3}) {
    for (const double target : {0.5, 4.0}) {
      const SampledGaussianPlan plan{SamplingRate(q), 100};
      const auto noise = calibrate_noise(plan, Epsilon(target), Delta(1e-6), Adjacency::add_remove);
      const double spent = epsilon(to_event(plan, noise), Adjacency::add_remove, Delta(1e-6));
      EXPECT_LE(spent, target);
      EXPECT_GE(spent, target * (1 - 3e-3));
    }
  }
}

TEST(Calibration, FullBatchIsTheClosedForm) {
  const SampledGaussianPlan plan{SamplingRate(1), 25};
  const auto noise = calibrate_noise(plan, Epsilon(1), Delta(1e-6), Adjacency::replace_one);
  EXPECT_NEAR(noise.value() / (10 * gaussian::sigma_for(1, Epsilon(1), Delta(1e-6))), 1, 1e-5);
}

TEST(Calibration, EdgeTable) {
  const SampledGaussianPlan plan{SamplingRate(0.1), 10};
  const auto adjacency = Adjacency::add_remove;
  EXPECT_EQ(calibrate_noise(plan, Epsilon(HUGE_VAL), Delta(1e-6), adjacency).value(), 0);
  EXPECT_THROW(static_cast<void>(calibrate_noise(plan, Epsilon(1), Delta(0), adjacency)),
               base::GuaranteeError);
  EXPECT_THROW(static_cast<void>(
                   calibrate_noise({SamplingRate(0.1), 0}, Epsilon(1), Delta(1e-6), adjacency)),
               base::UsageError);
}

}  // namespace
}  // namespace tacet::privacy
