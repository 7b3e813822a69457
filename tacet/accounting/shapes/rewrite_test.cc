#include "tacet/accounting/shapes/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/base/error.h"

// Events that contain others: what is composed, sampled or put in blocks costs what its own
// analysis proves.
namespace tacet::accounting {
namespace rewrite_test {

using enum Adjacency;

double upper(const Event& event, Adjacency adjacency, double delta) {
  return epsilon_interval(event, adjacency, Delta(delta)).upper;
}

// Slope over noise .3, no curvature, the exact minimum: 1.337 alone at delta 1e-6. The Renyi curve
// alone gives 1.434 even for one use, 1.435 beside next to nothing, .194 of a sample, 1.905 of a
// hundred.
const ObjectivePerturbation minimum{1 / .3, 1, 0, 1, 0, 1};

TEST(ComposedEvents, ObjectivePerturbationComposesThroughItsOwnProfile) {
  const double alone = upper(minimum, add_remove, 1e-6);
  EXPECT_NEAR(alone, 1.3366, 1e-4);
  EXPECT_EQ(upper(Repeated{1, minimum}, add_remove, 1e-6), alone);
  EXPECT_EQ(upper(Composed{{Repeated{1, minimum}}}, add_remove, 1e-6), alone);
  // A second derivation composed coarser points of the profile: 1.343, .100, .915.
  const auto beside = epsilon_interval(Composed{{minimum, Gaussian{100}}}, add_remove, Delta(1e-6));
  EXPECT_LE(beside.upper, 1.343);
  EXPECT_GE(beside.upper, alone);
  EXPECT_NEAR(upper(PoissonSampled{.05, minimum}, add_remove, 1e-6), .100, 5e-4);
  const double hundred = upper(Repeated{100, PoissonSampled{.05, minimum}}, add_remove, 1e-6);
  EXPECT_LE(hundred, .915);
  EXPECT_GE(hundred, .90);
}

// s|N| + s^2/2 twice and the noise of the output, integrated directly.
TEST(ComposedEvents, TwoMinimaAgreeWithADirectIntegral) {
  constexpr double s = .3;
  constexpr double c = .02469261259037152;  // ln(1 + .25 / 10)
  const ObjectivePerturbation event{1 / s, 1, .25, 10, 1e-3, .02};
  constexpr double mu = 2 * 1e-3 / (10 * .02);
  const double epsilon = 1;
  // delta = E (1 - e^{eps - L})_+ over L = 2c + s^2 + s(|M| + |N|) + sqrt 2 mu Z + mu^2.
  const auto density = [](double x) { return std::exp(-.5 * x * x) / std::sqrt(2 * M_PI); };
  constexpr double h = .02;
  double delta = 0;
  for (double m = h / 2; m < 9; m += h) {
    for (double n = h / 2; n < 9; n += h) {
      const double loss = 2 * c + s * s + s * (m + n);
      const double gap = epsilon - loss;
      // The Gaussian hockey stick at sqrt 2 mu, in closed form.
      const double width = std::sqrt(2.0) * mu;
      const auto tail = [](double x) { return .5 * std::erfc(x / std::sqrt(2.0)); };
      const double stick =
          tail(gap / width - width / 2) - std::exp(gap) * tail(gap / width + width / 2);
      delta += 4 * density(m) * density(n) * h * h * stick;
    }
  }
  const auto interval = delta_interval(Repeated{2, event}, add_remove, Epsilon(epsilon));
  EXPECT_LE(interval.upper, delta * 1.005);
  // Only what both laws of a pair can have counts: the profile is used in both orders.
  EXPECT_GE(interval.upper, delta * .9);
}

TEST(ComposedEvents, ReplacedRecordsOfMinimaToo) {
  const ObjectivePerturbation event{1 / .3, 1, .25, 10, 1e-3, .02};
  const double alone = upper(event, replace_one, 1e-6);
  EXPECT_EQ(upper(Repeated{1, event}, replace_one, 1e-6), alone);
  const double beside = upper(Composed{{event, Gaussian{100}}}, replace_one, 1e-6);
  EXPECT_GE(beside, alone * .9999);
  EXPECT_LE(beside, alone + .006);
  const double sampled = upper(PoissonSampled{.05, event}, replace_one, 1e-6);
  EXPECT_LT(sampled, .2 * alone);
  // The noise of the output has no data sets that are known to meet it.
  EXPECT_EQ(
      epsilon_interval(Repeated{3, event}, add_remove, Delta(1e-6), {.attained = true}).attained,
      0);
}

const Partitioned blocks{Assignment::by_record, {Gaussian{1}, Laplace{3}, PureDp{.8, add_remove}}};

TEST(ComposedEvents, ASampleOfBlocksIsBlocksOfSamples) {
  // 2.133 from one profile for all blocks.
  const auto sampled = epsilon_interval(PoissonSampled{.1, blocks}, add_remove, Delta(1e-5));
  EXPECT_NEAR(sampled.upper, 1.685, 1e-3);
  EXPECT_EQ(sampled.upper, upper(PoissonSampled{.1, Gaussian{1}}, add_remove, 1e-5));
  // Another block is the worst one elsewhere.
  for (const double delta : {1e-5, 1e-2, 3e-2}) {
    double worst = 0;
    for (const auto& part : blocks.parts) {
      worst = std::max(worst, upper(PoissonSampled{.1, part}, add_remove, delta));
    }
    EXPECT_EQ(upper(PoissonSampled{.1, blocks}, add_remove, delta), worst);
    EXPECT_EQ(upper(PoissonSampled{.5, PoissonSampled{.2, blocks}}, add_remove, delta), worst);
  }
  EXPECT_EQ(upper(PoissonSampled{.1, blocks}, add_remove, 0),
            upper(PoissonSampled{.1, Gaussian{1}}, add_remove, 0));
}

TEST(ComposedEvents, AUniformSubsetOfBlocksIsBlocksOfSubsets) {
  const Partitioned parts{Assignment::by_position,
                          {Gaussian{2}, Laplace{5}, PureDp{.8, replace_one}}};
  for (const auto adjacency : {replace_one, zero_out}) {
    double worst = 0;
    for (const auto& part : parts.parts) {
      worst = std::max(worst, upper(FixedSizeSampled{100, 1000, part}, adjacency, 1e-5));
    }
    EXPECT_EQ(upper(FixedSizeSampled{100, 1000, parts}, adjacency, 1e-5), worst);
  }
  EXPECT_THROW((void)upper(FixedSizeSampled{100, 1000, blocks}, replace_one, 1e-5),
               base::GuaranteeError);
  EXPECT_THROW((void)upper(PoissonSampled{.1, parts}, zero_out, 1e-5), base::GuaranteeError);
}

// A record may sit in another block each time, and which one may depend on what was released: what
// a repetition costs is at least what each block's costs, and not much more than the worst.
TEST(ComposedEvents, RepeatedBlocksCostAboutWhatTheWorstDoes) {
  for (const std::int64_t count : {2, 5, 50}) {
    const auto repeated =
        epsilon_interval(Repeated{count, PoissonSampled{.1, blocks}}, add_remove, Delta(1e-5));
    double worst = 0;
    for (const auto& part : blocks.parts) {
      const auto one =
          epsilon_interval(Repeated{count, PoissonSampled{.1, part}}, add_remove, Delta(1e-5));
      EXPECT_GE(repeated.upper, one.lower) << count;
      worst = std::max(worst, one.upper);
    }
    EXPECT_LE(repeated.upper, worst * 1.002) << count;
  }
  // Two blocks of which neither dominates: each order of use is covered.
  const Partitioned crossing{Assignment::by_record, {Gaussian{2}, Laplace{1}}};
  const double both = upper(Repeated{2, crossing}, add_remove, 1e-4);
  for (const Event& sequence : {Event(Repeated{2, Gaussian{2}}), Event(Repeated{2, Laplace{1}}),
                                Event(Composed{{Gaussian{2}, Laplace{1}}})}) {
    EXPECT_GE(both, epsilon_interval(sequence, add_remove, Delta(1e-4)).lower);
  }
  EXPECT_LT(both,
            rdp::best_epsilon(*rdp::curve(Repeated{2, crossing}, add_remove), Delta(1e-4)).epsilon);
}

// .878 from profiles of the inner samples; both runs of the inner one are read together.
TEST(ComposedEvents, RepeatedSamplesInsideASampleAreExact) {
  const Event event = PoissonSampled{.2, Repeated{2, PoissonSampled{.5, Gaussian{2}}}};
  const auto interval = epsilon_interval(event, add_remove, Delta(1e-5));
  EXPECT_NEAR(interval.upper, .58472, 1e-4);
  EXPECT_LE(interval.upper, interval.lower * 1.002);
  EXPECT_TRUE(interval.lower_is_attained);
  // The integral over both outputs, in both orders of the neighbours.
  constexpr double h = .05;
  double removed = 0;
  double added = 0;
  const double factor = std::exp(.3);
  for (double x = -18; x < 18; x += h) {
    for (double y = -18; y < 18; y += h) {
      const auto density = [](double z) { return std::exp(-z * z / 8) / std::sqrt(8 * M_PI); };
      const auto inner = [&](double z) { return .5 * density(z) + .5 * density(z - 1); };
      const double q = density(x) * density(y);
      const double p = .8 * q + .2 * inner(x) * inner(y);
      removed += h * h * std::max(0.0, p - factor * q);
      added += h * h * std::max(0.0, q - factor * p);
    }
  }
  const auto delta = delta_interval(event, add_remove, Epsilon(.3));
  EXPECT_NEAR(delta.upper, std::max(removed, added), .005 * delta.upper);
  EXPECT_GE(delta.upper, std::max(removed, added) * (1 - 1e-3));
}

TEST(ComposedEvents, NestedSamplesOfFixedSizeAreOne) {
  const double one = upper(FixedSizeSampled{20, 1000, Gaussian{2}}, replace_one, 1e-5);
  const Event nested = FixedSizeSampled{200, 1000, FixedSizeSampled{20, 200, Gaussian{2}}};
  for (const auto adjacency : {replace_one, zero_out}) {
    EXPECT_EQ(upper(nested, adjacency, 1e-5), one);
    EXPECT_EQ(upper(Repeated{500, nested}, adjacency, 1e-5),
              upper(Repeated{500, FixedSizeSampled{20, 1000, Gaussian{2}}}, adjacency, 1e-5));
    // The inner sample may be of fewer records than the outer one holds.
    EXPECT_NEAR(
        upper(FixedSizeSampled{200, 1000, FixedSizeSampled{10, 100, Gaussian{2}}}, adjacency, 1e-5),
        one, 1e-6);
  }
  // The Renyi bound collapses with it.
  const Event two = internal::rewritten(nested, replace_one);
  EXPECT_TRUE(two == Event(FixedSizeSampled{20, 1000, Gaussian{2}}));
}

TEST(ComposedEvents, WhatIsOneIsThatOne) {
  const Event gaussian = Gaussian{2};
  EXPECT_TRUE(internal::rewritten(Repeated{1, Composed{{gaussian}}}, add_remove) == gaussian);
  EXPECT_TRUE(internal::rewritten(PoissonSampled{1, gaussian}, add_remove) == gaussian);
  EXPECT_TRUE(internal::rewritten(FixedSizeSampled{9, 9, gaussian}, replace_one) == gaussian);
  // A blanked record of all records moves a sum by one bound, of a sample by two: left alone.
  const Event all = FixedSizeSampled{9, 9, gaussian};
  EXPECT_TRUE(internal::rewritten(all, zero_out) == all);
  EXPECT_TRUE(internal::rewritten(Repeated{3, Repeated{4, gaussian}}, add_remove) ==
              Event(Repeated{12, gaussian}));
  const auto many = std::int64_t{1} << 62;
  const Event beyond = Repeated{many, Repeated{many, gaussian}};
  EXPECT_TRUE(internal::rewritten(beyond, add_remove) == beyond);
  // Rates never round to nothing.
  const auto rare =
      internal::rewritten(PoissonSampled{1e-200, PoissonSampled{1e-200, gaussian}}, add_remove);
  EXPECT_GT(rare.as<PoissonSampled>()->rate, 0);
}

}  // namespace rewrite_test
}  // namespace tacet::accounting

namespace tacet::accounting {
namespace rewrite_test {

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

}  // namespace rewrite_test
}  // namespace tacet::accounting
