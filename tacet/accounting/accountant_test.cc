#include "tacet/accounting/accountant.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tests/support/data_sets.h"

namespace tacet::accounting {
namespace accountant_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;

Event sampled(double q, double sigma, std::int64_t steps) {
  return Repeated{steps, PoissonSampled{q, Gaussian{sigma}}};
}

PrivacyInterval epsilon_of(const Event& event, double delta, Adjacency adjacency = add_remove) {
  return epsilon_interval(event, adjacency, Delta(delta));
}

// Brackets of an independent program, where its numbers and ours must overlap
// (tests/oracles/pld_two_sided.csv; its `add` order was not anchored, so only the larger order
// counts).
void check_independent_brackets(int every) {
  std::ifstream file(test::source_file("tests/oracles/pld_two_sided.csv"));
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    if (rows++ % every != 0) continue;
    std::stringstream cells(line);
    std::vector<double> v;
    for (std::string cell; v.size() < 6 && std::getline(cells, cell, ',');) {
      v.push_back(std::stod(cell));
    }
    const auto steps = static_cast<std::int64_t>(v[2]);
    std::vector<pld::Component> parts;
    auto base = pairs::gaussian(1 / v[1]);
    parts.push_back(
        {v[0] < 1 ? pairs::poisson(std::move(base), v[0], pairs::Order::remove) : std::move(base),
         steps});
    const auto bracket = pld::epsilon_bracket(parts, v[3], {.tolerance = 3e-3});
    EXPECT_LE(bracket.lower, v[4] * (1 + 1e-6)) << line;
    EXPECT_GE(bracket.upper, v[5] * (1 - 1e-6)) << line;
    EXPECT_LE(bracket.upper - bracket.lower, 6e-3 * bracket.upper) << line;
  }
  EXPECT_GE(rows, 60);
}

TEST(Accountant, OverlapsIndependentBrackets) { check_independent_brackets(6); }
TEST(AccountantLong, OverlapsAllIndependentBrackets) { check_independent_brackets(1); }

// Settings where a public accountant's "pessimistic" epsilon lies below the truth (its transform's
// round-off is not accounted), and where it is far above it.
TEST(Accountant, BracketsTheTruthWhereAPublicAccountantDoesNot) {
  struct Case {
    double q, sigma;
    std::int64_t steps;
    double delta, low, high, published;
  };
  for (const auto& c : {Case{1e-4, 0.5, 10000, 1e-10, 5.084289, 5.084709, 5.080555},
                        {1e-4, 0.6, 100000, 1e-10, 3.045945, 3.046549, 3.039124},
                        {1e-3, 0.8, 100000, 1e-10, 4.068963, 4.069366, 4.067864},
                        {1e-3, 0.5, 1000, 1e-10, 7.787982, 7.788042, 7.787757}}) {
    const auto interval = epsilon_interval(sampled(c.q, c.sigma, c.steps), add_remove,
                                           Delta(c.delta), {.tolerance = 2e-4});
    EXPECT_LE(interval.lower, c.high);
    EXPECT_GE(interval.upper, c.low);
    EXPECT_GT(interval.upper, c.published) << c.q << " " << c.sigma;
    EXPECT_TRUE(interval.lower_is_attained);
  }
  const auto loose = epsilon_of(sampled(1e-5, 0.5, 100000), 1e-12);
  EXPECT_LE(loose.lower, 4.146108);
  EXPECT_GE(loose.upper, 4.145320);
  EXPECT_LT(loose.upper, 4.16);  // published: 16.36
}

TEST(Accountant, EdgeTable) {
  EXPECT_EQ(epsilon_of(sampled(0, 1, 100), 1e-6).upper, 0);
  EXPECT_EQ(epsilon_of(sampled(0.1, HUGE_VAL, 100), 1e-6).upper, 0);
  EXPECT_EQ(epsilon_of(no_event(), 1e-6).upper, 0);
  EXPECT_EQ(epsilon_of(sampled(0.1, 1, 100), 0).upper, HUGE_VAL);
  EXPECT_EQ(epsilon_of(Repeated{10, PureDp{0.25, add_remove}}, 0).upper, 2.5);
  EXPECT_EQ(epsilon_of(sampled(0.1, 0, 100), 1e-6).upper, HUGE_VAL);
  const auto full = epsilon_of(sampled(1, 10, 100), 1e-6);
  EXPECT_EQ(full.route, "gaussian");
  EXPECT_NEAR(full.upper, gaussian::epsilon(1, Delta(1e-6)), 1e-9);
}

TEST(Accountant, NextToNoNoiseStillHasADelta) {
  struct Case {
    double rate, noise;
    std::int64_t steps;
    double epsilon;
  };
  for (const auto& c : {Case{1e-9, 1e-9, 100000, 1}, Case{0.3, 1e-6, 100000, 1}}) {
    const auto interval =
        delta_interval(sampled(c.rate, c.noise, c.steps), add_remove, Epsilon(c.epsilon));
    EXPECT_LE(interval.lower, interval.upper) << c.noise;
    EXPECT_LE(interval.upper, 1) << c.noise;
    EXPECT_FALSE(interval.route.empty()) << c.noise;
  }
  // Where the sampled losses overflow, all records bound what a sample of them costs.
  const double mu = std::sqrt(1e5) * 1e6;
  const auto overflowing = delta_interval(sampled(0.3, 1e-6, 100000), add_remove, Epsilon(1e17));
  EXPECT_LE(overflowing.upper, gaussian::delta(mu, 1e17) * (1 + 1e-6) + 1e-300);
}

TEST(Accountant, ADeltaThatThePartsTakeInFullIsStillEnough) {
  const Event part = ApproximateDp{1, 1e-6, add_remove};
  EXPECT_EQ(epsilon_of(part, 1e-6).upper, 1);
  EXPECT_EQ(epsilon_of(part, 0.99e-6).upper, HUGE_VAL);
  const Event both = Composed{{Repeated{2, part}, PureDp{0.25, add_remove}}};
  EXPECT_LE(epsilon_of(both, 2e-6).upper, 2.25);
  EXPECT_EQ(delta_interval(part, add_remove, Epsilon(1)).upper, 1e-6);
  EXPECT_EQ(epsilon_of(part, 1e-6).route, "basic");
}

void expect_refusal(const Event& event, Adjacency adjacency, const char* word) {
  try {
    static_cast<void>(epsilon_of(event, 1e-6, adjacency));
    ADD_FAILURE() << event_to_json(event);
  } catch (const base::GuaranteeError& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(Accountant, RefusesPairsWithoutAProofAndSaysWhy) {
  expect_refusal(FixedSizeSampled{10, 100, Gaussian{1}}, add_remove, "displaces");
  expect_refusal(Partitioned{Assignment::by_position, {Gaussian{1}}}, add_remove, "shifts");
  expect_refusal(Partitioned{Assignment::by_record, {Gaussian{1}}}, replace_one, "block");
  expect_refusal(PureDp{1, add_remove}, replace_one, "add_remove");
  expect_refusal(Composed{{Gaussian{1}, Zcdp{1, replace_one}}}, add_remove, "replace_one");
  expect_refusal(ShuffledLocal{1, 1000}, add_remove, "replace_one");
  expect_refusal(PoissonSampled{0.1, PureDp{1, replace_one}}, add_remove, "replace_one");
}

TEST(Accountant, MonotoneInEverything) {
  const auto upper = [](double q, double sigma, std::int64_t steps, double delta) {
    return epsilon_of(sampled(q, sigma, steps), delta).upper;
  };
  const double slack = 1 + 2e-3;
  EXPECT_LT(upper(0.01, 1, 1000, 1e-6), upper(0.013, 1, 1000, 1e-6) * slack);
  EXPECT_LT(upper(0.01, 1.1, 1000, 1e-6), upper(0.01, 1, 1000, 1e-6) * slack);
  EXPECT_LT(upper(0.01, 1, 1000, 1e-6), upper(0.01, 1, 1100, 1e-6) * slack);
  EXPECT_LT(upper(0.01, 1, 1000, 1e-6), upper(0.01, 1, 1000, 1e-8) * slack);
}

TEST(Accountant, OrderAndGroupingOfStepsDoNotMatter) {
  const Event a = PoissonSampled{0.01, Gaussian{1}};
  const Event b = PoissonSampled{0.1, Gaussian{3}};
  const Event c = Gaussian{5};
  const Event first = Composed{{Repeated{100, a}, Repeated{20, b}, c}};
  const Event second = Composed{{c, Repeated{10, Composed{{Repeated{10, a}, Repeated{2, b}}}}}};
  const auto left = epsilon_of(first, 1e-6);
  const auto right = epsilon_of(second, 1e-6);
  EXPECT_NEAR(left.upper, right.upper, 1e-9);
  EXPECT_LE(left.upper - left.lower, 1e-3 * left.upper);
}

TEST(Accountant, MixedEventsCostAtLeastTheirPartsAndAtMostTheirSum) {
  const Event training = sampled(0.01, 1, 500);
  const Event mixed = Composed{{training, Gaussian{4}, PureDp{0.3, add_remove}}};
  const auto all = epsilon_of(mixed, 1e-6);
  const double sum = epsilon_of(training, 5e-7).upper + epsilon_of(Gaussian{4}, 5e-7).upper + 0.3;
  EXPECT_LT(all.upper, sum);
  EXPECT_GT(all.lower, epsilon_of(training, 1e-6).lower);
  EXPECT_FALSE(all.lower_is_attained);
}

// Reference values of an independent program, converged to 2e-5 (fixed-size samples, replace one;
// s is the noise over the distance 2C).
TEST(Accountant, FixedSizeSamplesAgreeWithTheReference) {
  struct Case {
    std::int64_t m, n;
    double s;
    std::int64_t steps;
    double delta, epsilon;
  };
  for (const auto& c : {Case{1, 100, 1, 1, 1e-5, 0.199451},
                        {1, 100, 1, 1000, 1e-5, 2.19891},
                        {1, 100, 2, 10000, 1e-6, 2.88558},
                        {1, 1000, 1, 100000, 1e-5, 2.17109},
                        {1, 10, 3, 500, 1e-6, 4.05510}}) {
    const Event event = Repeated{c.steps, FixedSizeSampled{c.m, c.n, Gaussian{2 * c.s}}};
    for (const auto adjacency : {replace_one, Adjacency::zero_out}) {
      const auto interval = epsilon_of(event, c.delta, adjacency);
      EXPECT_LE(interval.lower, c.epsilon * (1 + 3e-5)) << c.s << " " << c.steps;
      EXPECT_GE(interval.upper, c.epsilon * (1 - 3e-5)) << c.s << " " << c.steps;
      EXPECT_LE(interval.upper - interval.lower, 1.1e-3 * interval.upper);
      EXPECT_FALSE(interval.lower_is_attained);
    }
  }
}

// What stands at a loss of 0 is most of the law, and no tail: counted as one it cost a multiple.
TEST(Accountant, FixedSizeSamplesOfNextToNoNoiseStayNarrow) {
  for (const double noise : {0.15, 0.06}) {
    const Event event = Repeated{10, FixedSizeSampled{1, 1000, Gaussian{noise}}};
    const auto interval = epsilon_of(event, 1e-3, replace_one);
    EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper) << noise;
    // The Poisson sample of half the distance is all but the same.
    const double poisson = epsilon_of(sampled(1e-3, noise / 2, 10), 1e-3).upper;
    EXPECT_NEAR(interval.upper / poisson, 1, 5e-3) << noise;
  }
}

// Reference values computed at 40 digits: optimal composition of pure mechanisms.
TEST(Accountant, PureMechanismsComposeOptimally) {
  struct Case {
    std::int64_t count;
    double epsilon, total, delta;
  };
  for (const auto& c : {Case{10, .1, .5, 9.9296269173889e-3},
                        {30, .1, 1, 1.0561676338630e-2},
                        {100, .05, 1.5, 3.4880352082598e-4},
                        {1000, .01, 1, 1.0831170545139e-4},
                        {5, 1, 3, 0.18055462860278}}) {
    const auto interval = delta_interval(Repeated{c.count, PureDp{c.epsilon, add_remove}},
                                         add_remove, Epsilon(c.total));
    EXPECT_LE(interval.lower, c.delta * (1 + 1e-9));
    EXPECT_GE(interval.upper, c.delta * (1 - 1e-9));
    EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper);
  }
}

// Reference values computed at 40 digits.
TEST(Accountant, DiscreteGaussianIsNotTheContinuousOne) {
  struct Case {
    double variance;
    std::int64_t shift;
    double epsilon, delta;
  };
  for (const auto& c : {Case{1, 1, 1, 0.14135133940562},
                        {4, 1, .5, 0.054007223694154},
                        {.25, 1, 4, 0.092307447391713},
                        {100, 3, 1, 5.4822721110603e-5},
                        {2.25, 2, 3, 0.022166805957107},
                        {1e4, 1, .01, 8.3733440000101e-4}}) {
    const auto interval = delta_interval(DiscreteGaussian{std::sqrt(c.variance), c.shift, 1},
                                         add_remove, Epsilon(c.epsilon), {.tolerance = 1e-4});
    EXPECT_LE(interval.lower, c.delta * (1 + 1e-9)) << c.variance;
    EXPECT_GE(interval.upper, c.delta * (1 - 1e-9)) << c.variance;
    EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper) << c.variance;
  }
}

TEST(Accountant, LaplaceAndBoundedRangeFollowTheirProfiles) {
  for (const double epsilon : {0.2, 0.7}) {
    const auto laplace = delta_interval(Laplace{1}, add_remove, Epsilon(epsilon));
    const double expected = -std::expm1((epsilon - 1) / 2);
    EXPECT_LE(laplace.lower, expected);
    EXPECT_GE(laplace.upper, expected * (1 - 1e-12));
    const auto range = delta_interval(BoundedRange{1, add_remove}, add_remove, Epsilon(epsilon));
    const double h = std::exp(0.5) - std::exp(epsilon / 2);
    const double profile = h * h / std::expm1(1);
    EXPECT_LE(range.lower, profile);
    EXPECT_GE(range.upper, profile * (1 - 1e-12));
    EXPECT_LE(range.upper - range.lower, 1e-3 * range.upper);
  }
}

TEST(Accountant, OutcomesOfOneSideAloneAreAmplifiedBySampling) {
  // Without the record they have probability delta, with it (1 - q) delta: a finite loss.
  const Event event = Repeated{5, PoissonSampled{.1, ApproximateDp{1, 1e-7, add_remove}}};
  const auto interval = delta_interval(event, add_remove, Epsilon(1));
  EXPECT_NEAR(interval.upper / 5e-8, 1, 1e-2);
  EXPECT_NEAR(interval.lower / 5e-8, 1, 1e-2);
}

TEST(Accountant, ReplacingUnderPoissonSamplingCostsMoreThanAdding) {
  const Event event = sampled(0.01, 2, 1000);
  EXPECT_GT(epsilon_of(event, 1e-6, replace_one).lower, epsilon_of(event, 1e-6).upper);
}

TEST(Accountant, BlocksCostAsMuchAsTheWorstOne) {
  const Event small = sampled(0.01, 2, 100);
  const Event large = sampled(0.01, 1, 100);
  const Event blocks = Partitioned{Assignment::by_record, {small, large}};
  EXPECT_EQ(epsilon_of(blocks, 1e-6).upper, epsilon_of(large, 1e-6).upper);
  const Event epochs =
      Repeated{4, Partitioned{Assignment::by_position, {Gaussian{8}, Gaussian{9}}}};
  EXPECT_NEAR(epsilon_of(epochs, 1e-6, replace_one).upper, gaussian::epsilon(0.5, Delta(1e-6)),
              1e-9);
}

TEST(Accountant, DeltaAndEpsilonIntervalsAreInverse) {
  const Event event = sampled(0.01, 1, 1000);
  const auto epsilon = epsilon_of(event, 1e-6);
  const auto delta = delta_interval(event, add_remove, Epsilon(epsilon.upper));
  EXPECT_LE(delta.lower, 1e-6);
  EXPECT_GE(delta.upper, 0.97e-6);
}

TEST(Accountant, CurveFallsWithDelta) {
  const std::vector<double> deltas{1e-12, 1e-9, 1e-6, 1e-3};
  double last = HUGE_VAL;
  for (const double delta : deltas) {
    const double epsilon = epsilon_of(sampled(0.01, 1, 1000), delta).upper;
    EXPECT_LT(epsilon, last);
    last = epsilon;
  }
}

// A mechanism that tells the size of its sample and, of a single record, a bit by randomised
// response is 2-DP under replace_one. Poisson samples of one record in ten then show whether that
// one is in.
TEST(Accountant, StatedGuaranteesAreNotAmplifiedWhereNeighboursAreReplaced) {
  const double shown = std::exp(2.0) / (1 + std::exp(2.0));
  const double truth = 0.1 * (shown - std::exp(0.494) * (1 - shown));
  EXPECT_NEAR(truth, 0.0685, 1e-4);  // at epsilon 0.494, which sums of noise would have
  const auto zero_out = Adjacency::zero_out;
  for (const auto adjacency : {replace_one, zero_out}) {
    for (const Event& base : {Event(PureDp{2, adjacency}), Event(ApproximateDp{2, 1e-9, adjacency}),
                              Event(BoundedRange{1, adjacency}), Event(Zcdp{0.1, adjacency}),
                              Event(Composed{{PureDp{2, adjacency}, Gaussian{2}}}),
                              Event(Repeated{3, PureDp{2, adjacency}}),
                              Event(FixedSizeSampled{10, 100, Gaussian{1}})}) {
      expect_refusal(PoissonSampled{0.1, base}, adjacency, "Poisson sample");
    }
    EXPECT_NO_THROW(
        (void)epsilon_interval(PoissonSampled{1, PureDp{2, adjacency}}, adjacency, Delta(1e-6)));
    EXPECT_NO_THROW(
        (void)epsilon_interval(PoissonSampled{0.1, Gaussian{2}}, adjacency, Delta(1e-6)));
  }
  EXPECT_LT(
      epsilon_interval(PoissonSampled{0.1, PureDp{2, add_remove}}, add_remove, Delta(1e-6)).upper,
      0.5);
}

// Where a record is hardly ever sampled: never more than Renyi divergences give, nothing at all
// where delta covers the probability of being sampled, and less for more delta.
TEST(Accountant, RecordsThatAreHardlyEverSampledCostLittle) {
  const Event rare = Repeated{44, PoissonSampled{1.5e-9, Gaussian{0.2}}};
  EXPECT_EQ(epsilon_interval(rare, add_remove, Delta(1e-6)).upper, 0);
  EXPECT_LE(delta_interval(rare, add_remove, Epsilon(0.1)).upper, 44 * 1.5e-9 * (1 + 1e-6));
  for (const double delta : {1e-13, 1e-11, 3e-9, 6e-8}) {
    EXPECT_LT(epsilon_interval(rare, add_remove, Delta(delta)).upper, 20) << delta;
  }
}

}  // namespace accountant_test
}  // namespace tacet::accounting
