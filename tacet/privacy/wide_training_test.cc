#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/privacy/accountant.h"
#include "tacet/privacy/calibrate.h"
#include "tacet/privacy/pld.h"

// Reference values of an independent program for the published training of a wide model (rate 1e-4,
// 200,000 steps, delta 1e-5) and a small one; it rounds up.
namespace tacet::privacy {
namespace {

constexpr auto add_remove = Adjacency::add_remove;

pld::Bracket training(double rate, double sigma, std::int64_t steps, pairs::Order order) {
  std::vector<pld::Component> parts;
  parts.push_back({pairs::poisson(pairs::gaussian(1 / sigma), rate, order), steps});
  return pld::epsilon_bracket(parts, 1e-5, {.tolerance = 3e-4});
}

TEST(WideModel, NoisySumsAgreeWithTheReferenceInBothOrders) {
  struct Case {
    double rate, sigma;
    std::int64_t steps;
    double remove, add;
  };
  for (const auto& c : {Case{1e-4, 0.32, 200000, 22.34832833, 5.3587316},
                        Case{1e-4, 0.5, 200000, 2.41787354, 1.02476556},
                        Case{0.01, 1, 1000, 1.82823873, 1.41666475}}) {
    for (const auto& [order, expected] :
         {std::pair(pairs::Order::remove, c.remove), std::pair(pairs::Order::add, c.add)}) {
      const auto bracket = training(c.rate, c.sigma, c.steps, order);
      EXPECT_LE(bracket.lower, expected) << c.sigma;
      EXPECT_GE(bracket.upper, expected * (1 - 5e-5)) << c.sigma;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-3 * bracket.upper) << c.sigma;
    }
  }
}

TEST(WideModel, FixedSizeSamplesOfReplacedRecordsCostAtLeastTheReference) {
  // The reference is what two data sets attain: all other records opposite to the sampled one. The
  // dominating pair costs more.
  const Event step = FixedSizeSampled{20, 200000, Gaussian{0.5}};
  const auto interval = epsilon_interval(Repeated{200000, step}, Adjacency::replace_one,
                                         Delta(1e-5), {.attained = true});
  EXPECT_LE(interval.attained, 75.66812854);
  EXPECT_GE(interval.attained, 75.66812854 * (1 - 1e-3));
  EXPECT_GT(interval.lower, 82);
  EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper);
}

TEST(WideModel, ThresholdedRowsAndGradientAreOneGaussian) {
  const Event step = PoissonSampled{1e-4, Composed{{Gaussian{5}, Gaussian{0.51}}}};
  const auto interval = epsilon_interval(Repeated{200000, step}, add_remove, Delta(1e-5));
  EXPECT_LE(interval.lower, 2.22625);
  EXPECT_GE(interval.upper, 2.2262);
  EXPECT_TRUE(interval.lower_is_attained);
}

TEST(WideModel, SelectedRowsAgreeWithTheReference) {
  struct Case {
    std::int64_t draws;
    double bound, spent, epsilon;
  };
  for (const auto& c : {Case{10, 0.25, 2, 5.0858236}, Case{20, 0.25, 2, 5.3499538},
                        Case{20, 0.25, 3, 11.573145}, Case{20, 0.75, 4, 10.419329}}) {
    const double range = std::min(2 * c.bound, std::sqrt(2.0) * 0.75);
    const ScoreSelection draw{c.spent / (2 * c.bound), c.bound, 0.75,      range,
                              1000 - c.draws + 1,      10,      add_remove};
    const Event step = PoissonSampled{1e-4, Composed{{Repeated{c.draws, draw}, Gaussian{0.5}}}};
    const auto interval = epsilon_interval(Repeated{200000, step}, add_remove, Delta(1e-5));
    EXPECT_LE(interval.upper, c.epsilon * (1 + 1e-4)) << c.draws << " " << c.spent;
    EXPECT_GE(interval.upper, c.epsilon * (1 - 1e-2)) << c.draws << " " << c.spent;
    EXPECT_EQ(interval.route, "rdp");
  }
}

TEST(WideModelLong, NoiseOfTargetsAgreesWithTheReference) {
  const SampledGaussianPlan plan{SamplingRate(1e-4), 200000};
  for (const auto& [target, sigma] :
       {std::pair(1.0, 0.57703), std::pair(2.0, 0.51696), std::pair(3.5258, 0.46547),
        std::pair(8.0, 0.39287), std::pair(30.0, 0.30195)}) {
    const auto noise = calibrate_noise(plan, Epsilon(target), Delta(1e-5), add_remove);
    EXPECT_NEAR(noise.value(), sigma, 6e-4) << target;
  }
}

TEST(BoundedRangePair, AgreesWithTheReferenceTable) {
  struct Case {
    double epsilon, at_0, at_half, kl, second;
  };
  for (const auto& c :
       {Case{0.2837869536727621, 0.0708279422174688, 0.01898497483432474, 0.013404523956477978,
             1.0270256597005392},
        Case{1, 0.24491866240370913, 0.07740468631569086, 0.1639534137386526, 1.3620537565434958},
        Case{4, 0.7615941559557649, 0.40703144179806233, 2.149258882910192, 18.538821890677657}}) {
    const auto pair = pairs::bounded_range(c.epsilon);
    const auto delta = [&](double epsilon) {
      const auto m = pair->interval(epsilon, HUGE_VAL);
      return m.p - std::exp(epsilon) * m.q;
    };
    EXPECT_NEAR(delta(0) / c.at_0, 1, 1e-12);
    EXPECT_NEAR(delta(c.epsilon / 2) / c.at_half, 1, 1e-12);
    // KL and E_Q[(P/Q)^2] over narrow cells.
    constexpr int cells = 4000;
    double kl = 0;
    double second = 0;
    for (int i = 0; i < cells; ++i) {
      const double low = -c.epsilon + 2 * c.epsilon * i / cells;
      const auto m = pair->interval(low, low + 2 * c.epsilon / cells);
      kl += m.p * m.log_ratio;
      second += m.p * std::exp(m.log_ratio);
    }
    EXPECT_NEAR(kl / c.kl, 1, 1e-5);
    EXPECT_NEAR(second / c.second, 1, 1e-5);
  }
}

}  // namespace
}  // namespace tacet::privacy
