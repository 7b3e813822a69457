#include "tacet/accounting/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"

namespace tacet::accounting {
namespace calibrate_test {

/// Steps of noise 1 on samples of that rate.
auto samples_of(double rate) {
  return [rate](std::int64_t steps) {
    return to_event({SamplingRate(rate), steps}, NoiseMultiplier(1));
  };
}

TEST(Calibration, ReturnedNoiseMeetsTheTargetAndWastesLittle) {
  for (const double q : {0.01, 0.3}) {
    for (const double target : {0.5, 4.0}) {
      const SampledGaussianPlan plan{SamplingRate(q), 100};
      const auto noise =
          calibrate_noise(plan, {Epsilon(target), Delta(1e-6), Adjacency::add_remove});
      const double spent = epsilon(to_event(plan, noise), Adjacency::add_remove, Delta(1e-6));
      EXPECT_LE(spent, target);
      EXPECT_GE(spent, target * (1 - 3e-3));
    }
  }
}

TEST(Calibration, FullBatchIsTheClosedForm) {
  const SampledGaussianPlan plan{SamplingRate(1), 25};
  const auto noise = calibrate_noise(plan, {Epsilon(1), Delta(1e-6), Adjacency::replace_one});
  EXPECT_NEAR(noise.value() / (10 * gaussian::sigma_for(1, Epsilon(1), Delta(1e-6))), 1, 1e-5);
}

// The reference of replaced_pair_test.cc, the other way round; noise 2.9 was asked for when the
// pair of samples of fixed size stood for it.
TEST(Calibration, PoissonSamplesWithAReplacedRecordTakeTheTightPair) {
  const SampledGaussianPlan plan{SamplingRate(.01), 1000};
  const auto noise =
      calibrate_noise(plan, {Epsilon(2.843440259), Delta(1e-5), Adjacency::replace_one});
  EXPECT_GE(noise.value(), 1);
  EXPECT_LE(noise.value(), 1 + 1e-3);
  const auto added =
      calibrate_noise(plan, {Epsilon(2.843440259), Delta(1e-5), Adjacency::add_remove});
  EXPECT_LE(added.value(), noise.value());
}

TEST(Calibration, EdgeTable) {
  const SampledGaussianPlan plan{SamplingRate(0.1), 10};
  const auto adjacency = Adjacency::add_remove;
  EXPECT_EQ(calibrate_noise(plan, {Epsilon(HUGE_VAL), Delta(1e-6), adjacency}).value(), 0);
  EXPECT_THROW(static_cast<void>(calibrate_noise(plan, {Epsilon(1), Delta(0), adjacency})),
               base::GuaranteeError);
  EXPECT_THROW(static_cast<void>(
                   calibrate_noise({SamplingRate(0.1), 0}, {Epsilon(1), Delta(1e-6), adjacency})),
               base::UsageError);
}

TEST(Calibration, StepsAndRateAreTheLargestThatHold) {
  const auto adjacency = Adjacency::add_remove;
  const Delta delta(1e-6);
  const auto steps = max_steps(samples_of(0.01), {Epsilon(1.5), delta, adjacency});
  EXPECT_LE(epsilon(to_event({SamplingRate(0.01), steps}, NoiseMultiplier(1)), adjacency, delta),
            1.5);
  EXPECT_GT(
      epsilon(to_event({SamplingRate(0.01), steps + 1}, NoiseMultiplier(1)), adjacency, delta),
      1.5);
  EXPECT_EQ(max_steps(samples_of(1), {Epsilon(0.1), delta, adjacency}), 0);
  const auto rate = calibrate_rate(100, NoiseMultiplier(1), {Epsilon(1.5), delta, adjacency});
  const auto spent = [&](double q) {
    return epsilon(to_event({SamplingRate(q), 100}, NoiseMultiplier(1)), adjacency, delta);
  };
  EXPECT_LE(spent(rate.value()), 1.5);
  EXPECT_GT(spent(rate.value() * 1.005), 1.5);
}

// At tiny rates a Renyi bound and halvings once took seconds and two dozen accountings.
TEST(Calibration, VeryManyStepsSpendAllOfEpsilon) {
  const auto adjacency = Adjacency::add_remove;
  const auto steps = max_steps(samples_of(1e-4), {Epsilon(3), Delta(1e-6), adjacency});
  const auto spent = [&](std::int64_t count) {
    return epsilon(to_event({SamplingRate(1e-4), count}, NoiseMultiplier(1)), adjacency,
                   Delta(1e-6));
  };
  EXPECT_LE(spent(steps), 3);
  EXPECT_GE(spent(steps), 3 * (1 - 2e-3));
  // What the interval's lower end certifies: no more than a few thousandths were possible.
  const auto more = to_event({SamplingRate(1e-4), steps + steps / 200}, NoiseMultiplier(1));
  EXPECT_GT(epsilon_interval(more, adjacency, Delta(1e-6)).lower, 3);
}

TEST(CalibrationLong, EpsilonZeroIsMetByFewStepsAtATinyRate) {
  // A record takes part with probability at most delta up to 100 steps; more have total variation
  // delta.
  const auto steps = max_steps(samples_of(1e-8), {Epsilon(0), Delta(1e-6), Adjacency::add_remove});
  EXPECT_GE(steps, 100);
  EXPECT_EQ(epsilon(to_event({SamplingRate(1e-8), steps}, NoiseMultiplier(1)),
                    Adjacency::add_remove, Delta(1e-6)),
            0);
}

TEST(Calibration, AnyFamilyOfEventsHasItsLeastNoise) {
  const auto laplace = [](double noise) { return Event(Laplace{noise}); };
  EXPECT_NEAR(min_noise(laplace, {Epsilon(2), Delta(0), Adjacency::add_remove}), 0.5, 1e-5);
  const auto fixed_size = [](double noise) {
    return Event(Repeated{100, FixedSizeSampled{10, 1000, Gaussian{noise}}});
  };
  const double noise = min_noise(fixed_size, {Epsilon(1), Delta(1e-6), Adjacency::replace_one});
  const double spent = epsilon(fixed_size(noise), Adjacency::replace_one, Delta(1e-6));
  EXPECT_LE(spent, 1);
  EXPECT_GE(spent, 1 - 2e-3);
}

TEST(CalibrationLong, RareRecordsWasteLittle) {
  struct Case {
    double rate;
    std::int64_t steps;
    double delta;
  };
  for (const auto& c :
       {Case{1e-5, 1000000, 1e-6}, Case{1e-5, 10000000, 1e-6}, Case{1e-6, 1000000, 1e-6},
        Case{1e-7, 1000000, 1e-6}, Case{1e-7, 1000000, 1e-10}, Case{1e-8, 1000000, 1e-10}}) {
    const SampledGaussianPlan plan{SamplingRate(c.rate), c.steps};
    const auto noise = calibrate_noise(plan, {Epsilon(1), Delta(c.delta), Adjacency::add_remove});
    const double spent = epsilon(to_event(plan, noise), Adjacency::add_remove, Delta(c.delta));
    EXPECT_LE(spent, 1) << c.rate << " " << c.steps << " " << c.delta;
    EXPECT_GE(spent, 1 - 5e-3) << c.rate << " " << c.steps << " " << c.delta;
  }
}

TEST(CalibrationLong, RoundTripsOnAGrid) {
  for (const double q : {1e-3, 1e-2, 0.1, 0.5, 1.0}) {
    for (const std::int64_t steps : {1, 10, 100, 1000, 10000}) {
      for (const double target : {0.1, 0.5, 1.0, 4.0, 10.0}) {
        const SampledGaussianPlan plan{SamplingRate(q), steps};
        const auto noise =
            calibrate_noise(plan, {Epsilon(target), Delta(1e-6), Adjacency::add_remove});
        const double spent = epsilon(to_event(plan, noise), Adjacency::add_remove, Delta(1e-6));
        EXPECT_LE(spent, target) << q << " " << steps;
        EXPECT_GE(spent, target * (1 - 5e-3)) << q << " " << steps << " " << target;
      }
    }
  }
}

}  // namespace calibrate_test
}  // namespace tacet::accounting
