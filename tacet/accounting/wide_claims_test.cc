#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/rdp.h"
#include "tests/support/textbook_bounds.h"

// What Zhang, Mironov and Hejazinia (2021) state about sparse gradients, beside what is true; the
// reference values are of an independent program (docs/proofs/wide.md).
namespace tacet::accounting {
namespace wide_claims_test {

using privacy::Composed;
using privacy::Delta;
using privacy::DiscreteLaplace;
using privacy::Event;
using privacy::Profile;
using privacy::PureDp;
using privacy::Repeated;

constexpr auto neighbours = privacy::Adjacency::add_remove;

/// A step that reads one of `groups` fixed groups, chosen uniformly in secret, by a mechanism of
/// pure cost epsilon: the choice shrinks delta, and epsilon not at all.
Event grouped(double groups, double epsilon) {
  // Randomised response: delta is linear in e^epsilon between these two points.
  return Profile{{{0, std::tanh(epsilon / 2) / groups}, {epsilon, 0}}, neighbours};
}

double upper(const Event& event, double delta) {
  return epsilon_interval(event, neighbours, Delta(delta)).upper;
}

// Theorem 1 claims epsilon 1 at delta 1e-5 for these groups. The number of positive answers alone
// needs 3.68; who also saw which steps read the record's group would need what is proved here.
TEST(WideClaimsLong, SamplingOfGroupsDoesNotAmplifyEpsilon) {
  constexpr double above = 0.5030118449443727;
  const double each = std::log(above / (1 - above));
  constexpr std::int64_t steps = 10000000000;
  const double million = upper(Repeated{steps, grouped(1e6, each)}, 1e-5);
  EXPECT_GE(million, 3.6812084560);
  EXPECT_LE(million, 5.45);
  // The wrong reading, that each step is amplified as a sample of records is.
  const double wrong =
      upper(Repeated{steps, privacy::PoissonSampled{1e-6, PureDp{each, neighbours}}}, 1e-5);
  EXPECT_LT(wrong, 0.1);
}

/// One step of Algorithm 2 by its own calibration to epsilon 1 and delta 1e-5: 10 stretches and 10
/// values, each randomised response.
Event published_step(double groups, double steps) {
  const double epsilon = groups / (2 * std::sqrt(2 * steps * std::log(2 / 1e-5)));
  const double root = std::sqrt(32 * 10 * std::log(2 / (1e-5 * groups / (2 * steps))));
  const double stretch = 2 * 0.95 * epsilon / root;
  const double value = 0.05 * epsilon / (2 * root);
  return Composed{
      {Repeated{10, PureDp{stretch, neighbours}}, Repeated{10, PureDp{value, neighbours}}}};
}

/// `step` on one of `groups` groups, by points of its curve.
Event grouped(const Event& step, double groups) {
  const double pure = epsilon_interval(step, neighbours, Delta(0)).upper;
  Profile profile{{}, neighbours};
  for (int i = 0; i < 60; ++i) {
    const double epsilon = pure * i / 60;
    const double delta = delta_interval(step, neighbours, privacy::Epsilon(epsilon)).upper / groups;
    if (delta < 1e-25) break;
    profile.points.push_back({epsilon, delta});
  }
  profile.points.push_back({pure, 0});
  return profile;
}

// Where steps are many a fixed order of the groups costs no more than a secret choice, and needs no
// secret.
TEST(WideClaimsLong, CyclesOfGroupsCostLessInManySteps) {
  struct Case {
    std::int64_t groups, steps;
    double chosen, in_turn;  // of the reference, by Renyi bounds
  };
  for (const auto& c :
       {Case{100, 10000, 0.3054179, 0.2994652}, Case{1000, 10000, 1.3135204, 1.1068051},
        Case{1000, 1000000, 0.9772788, 0.9749324}, Case{10, 10000, 0.0808227, 0.0806942}}) {
    SCOPED_TRACE(c.groups);
    const auto groups = static_cast<double>(c.groups);
    const Event step = published_step(groups, static_cast<double>(c.steps));
    const double in_turn = upper(Repeated{c.steps / c.groups, step}, 1e-5);
    const double chosen = upper(Repeated{c.steps, grouped(step, groups)}, 1e-5);
    EXPECT_LE(in_turn, c.in_turn);
    EXPECT_GE(in_turn, 0.75 * c.in_turn);  // ours are tighter than Renyi bounds
    EXPECT_LE(chosen, c.chosen);
    EXPECT_GE(chosen, in_turn);
  }
}

// In few steps the secret choice is better: a record's group is hardly ever read at all.
TEST(WideClaims, RandomGroupsCostLessInOneStep) {
  EXPECT_EQ(upper(grouped(1e6, 1.0), 1e-5), 0);
  EXPECT_NEAR(upper(PureDp{1, neighbours}, 1e-5), 1, 1e-4);
}

TEST(WideClaims, RandomisedResponseHasItsRenyiDivergence) {
  const auto at = [](double epsilon, double alpha) {
    return (*rdp::curve(PureDp{epsilon, neighbours}, neighbours))(alpha);
  };
  EXPECT_NEAR(at(.1, 2), 0.009958584394956227, 1e-12);
  EXPECT_NEAR(at(.1, 8), 0.03671665970131166, 1e-12);
  EXPECT_NEAR(at(1, 2), 0.7353256640555192, 1e-12);
  EXPECT_NEAR(at(1, 16), 0.9791158874987875, 1e-12);
}

// Discrete Laplace noise is no rounding of continuous noise: at scale and distance 1 it is
// randomised response in delta at 0, and the continuous formula is too small.
TEST(WideClaims, DiscreteLaplaceNoiseCostsMoreThanContinuousNoise) {
  const auto delta = [](const Event& event) {
    return delta_interval(event, neighbours, privacy::Epsilon(0));
  };
  EXPECT_NEAR(delta(DiscreteLaplace{1, 1}).upper, std::tanh(0.5), 1e-9);
  EXPECT_NEAR(delta(privacy::Laplace{1}).upper, -std::expm1(-0.5), 1e-9);
  const auto renyi = [](const Event& event) { return (*rdp::curve(event, neighbours))(2); };
  EXPECT_NEAR(renyi(DiscreteLaplace{1, 1}), 0.7353256640555192, 1e-9);
  EXPECT_NEAR(renyi(privacy::Laplace{1}), 0.6191, 1e-4);
  EXPECT_NEAR(renyi(DiscreteLaplace{10, 1}), 0.009958584394956227, 1e-9);
  EXPECT_NEAR(renyi(privacy::Laplace{10}), 0.009644, 1e-6);
}

// Algorithm 4 sets epsilon'' = epsilon' / sqrt(2 k ln(1/delta')) so that k draws cost epsilon' 16:
// advanced composition has a second term.
TEST(WideClaims, TheSecondTermOfAdvancedCompositionIsNotSmall) {
  const privacy::Guarantee each{0.28378695367276213, 0, neighbours};
  const double slack = 1.25e-7;
  const double claimed = each.epsilon * std::sqrt(2 * 100 * std::log(1 / slack));
  EXPECT_NEAR(claimed, 16.00062826802848, 1e-9);
  EXPECT_NEAR(textbook::advanced_composition(each, 100, slack).epsilon, 25.313095539236414, 1e-9);
}

// Amplification of a single (epsilon, delta) step by its first order is no upper bound.
TEST(WideClaims, AmplificationIsNotLinearInTheRate) {
  const Event step = privacy::PoissonSampled{1e-4, PureDp{22.71076971022044, neighbours}};
  EXPECT_NEAR(upper(step, 0), 13.5004307, 1e-6);
}

/// A whole step by its law: three scores, one of which a record lifts from 0 to 1/2, one draw by
/// exp(eta score), and the chosen number with noise of standard deviation 1, under a sample of rate
/// q. The record's vector is (1, 0, 0). Exact to the sums of a fine grid.
double exact_step(double eta, double q, double epsilon, bool removed) {
  const double lifted = std::exp(eta / 2);
  const double with[3] = {lifted / (lifted + 2), 1 / (lifted + 2), 1 / (lifted + 2)};
  constexpr double step = 1e-3;
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    for (double y = -12; y < 13; y += step) {
      const auto density = [&](double mean) {
        return std::exp(-(y - mean) * (y - mean) / 2) / std::sqrt(2 * M_PI);
      };
      const double absent = density(0) / 3;
      const double present = (1 - q) * absent + q * with[i] * density(i == 0 ? 1 : 0);
      const double over =
          removed ? present - std::exp(epsilon) * absent : absent - std::exp(epsilon) * present;
      sum += std::max(0.0, over) * step;
    }
  }
  return sum;
}

TEST(WideClaims, AStepCostsNoMoreThanIsBooked) {
  for (const double eta : {0.5, 2.0, 4.0}) {
    for (const double q : {0.3, 1.0}) {
      // S0 = 1/2 and Lam = 1: every move lies within min(2 S0, sqrt 2) of every other one.
      const Event step = Composed{
          {privacy::ScoreSelection{eta, 0.5, 1, 1, 3, 1, neighbours}, privacy::Gaussian{1}}};
      const Event booked = q < 1 ? Event(privacy::PoissonSampled{q, step}) : step;
      for (const double epsilon : {0.0, 0.2, 0.5, 1.0, 2.0}) {
        const double exact =
            std::max(exact_step(eta, q, epsilon, true), exact_step(eta, q, epsilon, false));
        const double proved = delta_interval(booked, neighbours, privacy::Epsilon(epsilon)).upper;
        EXPECT_LE(exact, proved + 1e-6) << eta << " " << q << " " << epsilon;
      }
      // The law reaches two fifths of it: what is not chosen is not seen, which no bound uses.
      if (eta == 0.5) {
        EXPECT_GE(exact_step(eta, q, 0, true),
                  0.4 * delta_interval(booked, neighbours, privacy::Epsilon(0)).upper);
      }
    }
  }
}

}  // namespace wide_claims_test
}  // namespace tacet::accounting
