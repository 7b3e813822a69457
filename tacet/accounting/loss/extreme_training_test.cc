#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/gaussian.h"

/// Trainings at the edges of what is accounted: very many steps, next to no noise, records that
/// hardly ever take part.
namespace tacet::accounting {
namespace extreme_training_test {

struct Training {
  double rate;
  double noise;
  std::int64_t steps;
  double delta;
  Adjacency adjacency = Adjacency::add_remove;
};

PrivacyInterval account(const Training& t) {
  const auto event = to_event({SamplingRate(t.rate), t.steps}, NoiseMultiplier(t.noise));
  return epsilon_interval(event, t.adjacency, Delta(t.delta));
}

void expect_narrow(const Training& t) {
  const auto interval = account(t);
  EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper)
      << t.rate << " " << t.noise << " " << t.steps << " " << t.delta;
  EXPECT_GT(interval.lower, 0);
}

// Two stages: ten million uses, a prime number of them, have a closed form.
TEST(ManySteps, HoldTheClosedFormOfGaussians) {
  for (const std::int64_t steps : {std::int64_t{10000019}, std::int64_t{200000033}}) {
    const double mu = 1 / std::sqrt(static_cast<double>(steps));
    std::vector<pld::Component> components;
    components.push_back({pairs::gaussian(mu), steps});
    for (const double delta : {1e-3, 1e-20}) {
      const auto bracket = pld::epsilon_bracket(components, delta);
      const double exact =
          gaussian::epsilon(mu * std::sqrt(static_cast<double>(steps)), Delta(delta));
      EXPECT_LE(bracket.lower, exact) << steps << " " << delta;
      EXPECT_GE(bracket.upper, exact * (1 - 1e-10)) << steps << " " << delta;
      EXPECT_LE(bracket.upper - bracket.lower, 1.5e-3 * bracket.upper) << steps << " " << delta;
    }
  }
}

TEST(ManySteps, StayNarrow) { expect_narrow({1e-4, 1, 24200000, 1e-6}); }

// A record more makes no loss above -log(1 - q) likely or not; that many steps cost no more.
TEST(LittleNoise, StaysNarrow) {
  expect_narrow({0.01, 0.05, 1000, 1e-6});
  expect_narrow({0.001, 0.04, 100, 1e-6});
}

TEST(RareRecords, StayNarrow) {
  expect_narrow({1.5e-9, 0.2, 44, 1e-11});
  expect_narrow({1.39e-8, 12.5, 67, 6.8e-9, Adjacency::replace_one});
}

TEST(RareRecordsLong, StayNarrowOverMillionsOfSteps) {
  expect_narrow({1.5e-9, 0.506, 4000000, 1e-10});
}

// A smaller delta, or another step, never costs less than what intervals are wide.
TEST(RareRecords, CostMoreTheSmallerDeltaAndTheMoreSteps) {
  constexpr double width = 1e-3;
  std::vector<double> fewer(16, 0);
  for (const std::int64_t steps : {2, 44}) {
    double last = 0;
    std::size_t k = 0;
    for (double delta = 1e-9; delta > 1e-31; delta *= 1e-3, ++k) {
      const double upper = account({1.5e-9, 0.2, steps, delta}).upper;
      EXPECT_GE(upper, last * (1 - width)) << steps << " " << delta;
      EXPECT_GE(upper, fewer[k] * (1 - width)) << steps << " " << delta;
      last = fewer[k] = upper;
    }
  }
}

TEST(RareRecordsLong, CostMoreTheMoreThereIsOfEverything) {
  constexpr double width = 1.5e-3;
  for (const double delta : {1e-7, 1e-11, 1e-15, 1e-20, 1e-30}) {
    for (const double noise : {0.2, 0.5, 2.0}) {
      // Next to the smallest deltas Renyi bounds, which are wider, may win for a few uses.
      if (noise == 0.5 && delta < 1e-20) continue;
      std::vector<double> by_rate(3, 0);
      for (const double rate : {1e-9, 3e-9, 1e-7, 1e-5}) {
        double last = 0;
        std::size_t k = 0;
        for (const std::int64_t steps : {2, 7, 50}) {
          const double upper = account({rate, noise, steps, delta}).upper;
          EXPECT_GE(upper, last * (1 - width)) << rate << " " << noise << " " << steps;
          EXPECT_GE(upper, by_rate[k] * (1 - width)) << rate << " " << noise << " " << steps;
          EXPECT_LE(account({rate, noise * 1.2, steps, delta}).upper, upper * (1 + width))
              << rate << " " << noise << " " << steps;
          last = by_rate[k++] = upper;
        }
      }
    }
  }
}

}  // namespace extreme_training_test
}  // namespace tacet::accounting
