#include "tacet/local/banco.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/local/local_sgd.h"
#include "tacet/local/vectors.h"

namespace tacet::local {
namespace banco_test {

using Vector = std::vector<double>;

constexpr Certificate constant_cost{CertificateKind::known_noise, 0.25, 1.5};

BancoSettings settings(std::int64_t dimension, PointAverage average = PointAverage::uniform) {
  return {.dimension = dimension, .certificate = constant_cost, .average = average};
}

const std::array<Vector, 6> six_reports{Vector{1, 0},    Vector{0.5, -0.5}, Vector{-2, 1},
                                        Vector{3, 0.25}, Vector{0, 0},      Vector{1, 1}};

// Reference values. Each of these differs where a sign is lost in the exponent, where the direction
// goes down instead of up, where S misses the current report, or where w_{T+1} is averaged.
TEST(Banco, DoesWhatTheAlgorithmSays) {
  struct Row {
    double x, y, q1, q2, m, wealth;
  };
  const std::array rows{
      Row{0.0, 1.5, 1.0, 0.0, 0.0, 1.0},
      Row{0.5, 3.0, 0.96045535405825, -0.278434036821724, 0.00933384772597994, 1.0},
      Row{-1.69934474493822, 4.5, 0.175990813505514, 0.113798233454644, -0.0305144525404074,
          0.979471651053812},
      Row{-1.14292274605802, 6.0, 0.936459914134888, 0.177170658507092, -0.0192558523195501,
          0.962492738376544},
      Row{-1.14292274605802, 7.5, 0.936459914134888, 0.177170658507092, -0.0182512337070338,
          0.962492738376544},
      Row{-0.0292921734160413, 9.0, 0.942724001936836, 0.333573764214449, -0.00044027041202727,
          0.942167606531957}};
  Banco learner(settings(2));
  double wealth = 1;
  Vector point(2);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    learner.point(point);
    wealth += dot(six_reports[t], point);
    ASSERT_EQ(learner.observe({six_reports[t]}), Observed::taken);
    const auto& state = learner.state();
    const auto& row = rows[t];
    EXPECT_NEAR(state.gain.value(), row.x, 1e-13) << t;
    EXPECT_EQ(state.penalty.value(), row.y) << t;
    EXPECT_NEAR(state.direction[0], row.q1, 1e-13) << t;
    EXPECT_NEAR(state.direction[1], row.q2, 1e-13) << t;
    EXPECT_NEAR(learner.magnitude(), row.m, 1e-13) << t;
    EXPECT_NEAR(wealth, row.wealth, 1e-13) << t;
  }
  EXPECT_NEAR(learner.model()[0], -0.00525490031063074, 1e-14);
  EXPECT_NEAR(learner.model()[1], -0.0021194178042283, 1e-14);
}

TEST(Banco, TheFirstTwoPointsAreZero) {
  Banco learner(settings(2, PointAverage::anytime));
  Vector point{9, 9};
  for (int t = 0; t < 2; ++t) {
    learner.point(point);
    EXPECT_EQ(point, (Vector{0, 0}));
    ASSERT_EQ(learner.observe({six_reports[static_cast<std::size_t>(t)]}), Observed::taken);
  }
  learner.point(point);
  EXPECT_NE(point[0], 0);
}

TEST(Banco, AnytimePointsAreTheMeansOfTheIterates) {
  for (const double power : {0.0, 1.0, 2.5}) {
    auto given = settings(2, PointAverage::anytime);
    given.weight_power = power;
    given.rounds = 6;
    Banco learner(given);
    Vector sum{0, 0};
    Vector point(2);
    double total = 0;
    for (const auto& report : six_reports) {
      const double weight = learner.next_weight();
      total += weight;
      for (std::size_t j = 0; j < 2; ++j) {
        sum[j] += weight * learner.magnitude() * learner.state().direction[j];
      }
      learner.point(point);
      for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(point[j], sum[j] / total, 1e-15);
      ASSERT_EQ(learner.observe({report}), Observed::taken);
      EXPECT_EQ(learner.model(), point);  // out = p_T, to the last bit
    }
    EXPECT_EQ(learner.next_weight(), 1);  // never beyond the plan
  }
}

TEST(Banco, ADirectionIsClimbedFromTheFirstReport) {
  Banco learner(settings(3));
  ASSERT_EQ(learner.observe({Vector{0, 0, 0}}), Observed::taken);  // S = 0: q stays
  EXPECT_EQ(learner.state().direction, (Vector{0, 0, 0}));
  ASSERT_EQ(learner.observe({Vector{0, 4, 0}}), Observed::taken);
  EXPECT_EQ(learner.state().direction, (Vector{0, 1, 0}));
}

TEST(Banco, RefusesWhatItCannotTakeAndStaysAsItWas) {
  EXPECT_THROW(Banco({.dimension = 0, .certificate = constant_cost}), base::UsageError);
  EXPECT_THROW(Banco({.dimension = 1}), base::UsageError);
  Banco learner(settings(2));
  ASSERT_EQ(learner.observe({Vector{1, 2}}), Observed::taken);
  const auto direction = learner.state().direction;
  EXPECT_THROW((void)learner.observe({Vector{1}}), base::UsageError);
  EXPECT_THROW((void)learner.observe({Vector{1, std::numeric_limits<double>::quiet_NaN()}}),
               base::UsageError);
  EXPECT_THROW((void)learner.observe({Vector{std::numeric_limits<double>::infinity(), 1}}),
               base::UsageError);
  EXPECT_EQ(learner.state().observed, 1);
  EXPECT_EQ(learner.state().direction, direction);
}

TEST(Banco, ARoundThatWouldDivergeIsABetLostAndNoRoundIsTheLast) {
  // Reports far longer than the certificate allows for, all along one direction.
  auto given = settings(1);
  given.bounds.domain = 50;
  Banco learner(given);
  std::int64_t taken = 0;
  while (learner.observe({Vector{10}}) == Observed::taken) ++taken;
  EXPECT_GT(taken, 1);
  EXPECT_LT(taken, 100);
  Vector point(1);
  double wealth = learner.wealth().log_bound();
  for (int t = 0; t < 10000; ++t) {
    const double before = learner.state().gain.value();
    const bool refused = learner.observe({Vector{10}}) == Observed::bounded;
    learner.point(point);
    ASSERT_LE(std::fabs(point[0]), 50);
    ASSERT_LE(std::fabs(learner.model()[0]), 50);
    if (refused) {
      EXPECT_LE(std::fabs(learner.state().gain.value()), std::fabs(before));
      EXPECT_LE(learner.wealth().log_bound(), wealth);
    }
    wealth = learner.wealth().log_bound();
  }
  EXPECT_EQ(learner.state().observed, taken + 1 + 10000);
  EXPECT_GT(learner.state().bounded.refused, 100);
  EXPECT_EQ(learner.state().bounded.cut, 0);
  // The other side, at once.
  EXPECT_EQ(learner.observe({Vector{-1e12}}), Observed::bounded);
  EXPECT_EQ(learner.magnitude(), 0);
  EXPECT_EQ(learner.observe({Vector{-10}}), Observed::taken);
}

TEST(Banco, NoSumPassesTheDoubles) {
  Banco learner(settings(2));
  ASSERT_EQ(learner.observe({Vector{1, 1}}), Observed::taken);
  for (const double huge : {1e300, -1e300, 1e200, 1.7e308}) {
    static_cast<void>(learner.observe({Vector{huge, huge}}));
    static_cast<void>(learner.observe({Vector{1, 1}, HUGE_VAL}));
    EXPECT_TRUE(std::isfinite(learner.state().gain.value()));
    EXPECT_TRUE(std::isfinite(learner.state().penalty.value()));
    EXPECT_TRUE(std::isfinite(learner.state().squares.value()));
    EXPECT_TRUE(std::isfinite(learner.magnitude()));
  }
  EXPECT_TRUE(std::isfinite(learner.model()[0]));
  const Banco again(learner.settings(), learner.state());  // a state that can be read
  EXPECT_EQ(again.magnitude(), learner.magnitude());
}

TEST(Banco, AReportIsCutToWhatHonestDevicesSend) {
  auto given = settings(2);
  given.bounds.report = 5;
  Banco cut(given);
  Banco plain(given);
  ASSERT_EQ(plain.observe({Vector{3, 4}}), Observed::taken);
  ASSERT_EQ(cut.observe({Vector{3e200, 4e200}}), Observed::bounded);
  EXPECT_EQ(cut.state().bounded.cut, 1);
  EXPECT_NEAR(cut.state().squares.value(), 25, 1e-12);
  EXPECT_NEAR(cut.state().direction[0], plain.state().direction[0], 1e-15);
}

/// Reports of any sort with norm at most `bound`: random, greedy against the learner, and mixed.
Vector adversary(std::mt19937_64& engine, const Banco& learner, double bound, int kind) {
  std::normal_distribution<double> normal;
  Vector report(learner.state().direction.size());
  for (double& value : report) value = normal(engine);
  if (kind > 0 && learner.magnitude() != 0) {
    const double sign = (kind == 1) == (learner.magnitude() > 0) ? -1 : 1;
    for (std::size_t j = 0; j < report.size(); ++j) {
      report[j] = sign * learner.state().direction[j] + (kind == 2 ? 0.3 * report[j] : 0);
    }
  }
  const double norm = std::sqrt(dot(report, report));
  const double length = kind == 3 ? bound * std::fabs(std::sin(norm * 7)) : bound;
  for (double& value : report) value *= norm > 0 ? length / norm : 0;
  return report;
}

// What the certificate promises holds on every path. 1,000 sequences.
TEST(Banco, WealthAndRegretHoldAgainstEveryAdversary) {
  std::mt19937_64 engine(20261122);
  std::normal_distribution<double> normal;
  for (int run = 0; run < 1000; ++run) {
    const double bound = 3;
    auto given = settings(run % 4 + 1);
    given.certificate = bounded_certificate(bound);
    given.direction_step = run % 3 == 0 ? std::sqrt(2.0) : 1;
    Banco learner(given);
    const auto size = static_cast<std::size_t>(given.dimension);
    double wealth = 1;
    Vector sum(size, 0.0);
    Vector point(size);
    double along = 0;
    for (int t = 0; t < 200; ++t) {
      const auto report = adversary(engine, learner, bound, (run + t / 50) % 4);
      learner.point(point);
      wealth += dot(report, point);
      along += dot(report, learner.state().direction);
      for (std::size_t j = 0; j < size; ++j) sum[j] += report[j];
      ASSERT_EQ(learner.observe({report}), Observed::taken);
      const double promised = std::exp(learner.wealth().log_bound());
      ASSERT_GE(wealth, promised - 1e-9 * (1 + promised)) << run << ' ' << t;
      ASSERT_LE(dot(learner.state().direction, learner.state().direction), 1 + 1e-12);
    }
    // Projected descent on the ball, against every unit vector at once.
    const double step = given.direction_step;
    const double path = (2 / step + step) * std::sqrt(learner.state().squares.value());
    ASSERT_LE(std::sqrt(dot(sum, sum)) - along, path * (1 + 1e-12)) << run;
    // The theorem: against u of norm v along the sum.
    for (const double v : {0.1, 1.0, 10.0}) {
      const double regret = v * std::sqrt(dot(sum, sum)) - (wealth - 1);
      const double psi = wealth_conjugate({.initial = 1,
                                           .range = given.certificate.range,
                                           .penalty = learner.state().penalty.value()},
                                          v)
                             .value;
      ASSERT_LE(regret, (1 + psi + v * path) * (1 + 1e-9)) << run << ' ' << v;
    }
  }
}

// docs/proofs/banco.md, section 4: bounded rounds cost comparators well inside of the domain
// nothing.
TEST(Banco, RoundsThatAreRefusedCostNothingInsideOfTheDomain) {
  std::mt19937_64 engine(20261127);
  std::int64_t refused = 0;
  for (int run = 0; run < 300; ++run) {
    const double bound = 3;
    auto given = settings(run % 4 + 1);
    given.certificate = bounded_certificate(bound);
    given.bounds.domain = run % 2 == 0 ? 2 : 20;
    Banco learner(given);
    const auto size = static_cast<std::size_t>(given.dimension);
    double wealth = 1;
    Vector sum(size, 0.0);
    Vector point(size);
    for (int t = 0; t < 200; ++t) {
      const auto report = adversary(engine, learner, bound, t / 50 % 2 == 0 ? 2 : (run + t) % 4);
      learner.point(point);
      ASSERT_LE(std::sqrt(dot(point, point)), given.bounds.domain * (1 + 1e-12));
      wealth += dot(report, point);
      for (std::size_t j = 0; j < size; ++j) sum[j] += report[j];
      static_cast<void>(learner.observe({report}));
      const double promised = std::exp(learner.wealth().log_bound());
      ASSERT_GE(wealth, promised - 1e-9 * (1 + promised)) << run << ' ' << t;
    }
    refused += learner.state().bounded.refused;
    const double path = 3 * std::sqrt(learner.state().squares.value());
    const double reach = 2 * given.certificate.range * bound;
    const double inside = given.bounds.domain * std::tanh(reach / 2) / reach;
    for (const double v : {0.1 * inside, inside}) {
      const double regret = v * std::sqrt(dot(sum, sum)) - (wealth - 1);
      const double psi = wealth_conjugate({.initial = 1,
                                           .range = given.certificate.range,
                                           .penalty = learner.state().penalty.value()},
                                          v)
                             .value;
      ASSERT_LE(regret, (1 + psi + v * path) * (1 + 1e-9)) << run << ' ' << v;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Banco, WealthHoldsWithoutNoiseUnderTheKnownNoiseCertificate) {
  std::mt19937_64 engine(5);
  auto given = settings(2);
  given.certificate = known_noise_certificate({.gradient_bound = 1,
                                               .variance = 0,
                                               .range = std::numeric_limits<double>::infinity(),
                                               .proxy = [](double) { return 0.0; }},
                                              1);
  for (int run = 0; run < 1000; ++run) {
    Banco learner(given);
    double wealth = 1;
    Vector point(2);
    for (int t = 0; t < 200; ++t) {
      const auto report = adversary(engine, learner, 1, run % 4);
      learner.point(point);
      wealth += dot(report, point);
      ASSERT_EQ(learner.observe({report}), Observed::taken);
      const double promised = std::exp(learner.wealth().log_bound());
      ASSERT_GE(wealth, promised - 1e-9 * (1 + promised)) << run << ' ' << t;
    }
  }
}

TEST(Banco, EqualEpsilonsGiveTheSameBitsWhetherStatedByRoundOrNot) {
  Banco stated(settings(2));
  Banco usual(settings(2));
  for (const auto& report : six_reports) {
    ASSERT_EQ(stated.observe({report, constant_cost.constant}), Observed::taken);
    ASSERT_EQ(usual.observe({report}), Observed::taken);
    EXPECT_EQ(stated.magnitude(), usual.magnitude());
    EXPECT_EQ(stated.state().penalty, usual.state().penalty);
  }
  ASSERT_EQ(stated.observe({six_reports[0], 100}), Observed::taken);
  EXPECT_EQ(stated.state().penalty.value(), usual.state().penalty.value() + 100);
}

TEST(Banco, ScalesWithItsUnits) {
  const double c = 8;  // exact in doubles
  auto given = settings(2, PointAverage::anytime);
  Banco one(given);
  given.certificate.range /= c;
  given.certificate.constant *= c * c;
  Banco other(given);
  for (auto report : six_reports) {
    ASSERT_EQ(one.observe({report}), Observed::taken);
    for (double& value : report) value *= c;
    ASSERT_EQ(other.observe({report}), Observed::taken);
    EXPECT_EQ(other.state().gain.value(), c * one.state().gain.value());
    EXPECT_EQ(other.state().direction, one.state().direction);
    EXPECT_NEAR(other.magnitude() * c, one.magnitude(), 1e-14);
  }
}

TEST(LocalSgd, StepsAveragesAndStaysInItsDomain) {
  LocalSgd last({.dimension = 2, .step_size = 0.5, .average = SgdAverage::last});
  LocalSgd uniform({.dimension = 2, .step_size = 0.5});
  LocalSgd suffix({.dimension = 2, .step_size = 0.5, .average = SgdAverage::suffix, .rounds = 4});
  LocalSgd ball({.dimension = 2, .step_size = 0.5, .average = SgdAverage::last, .radius = 1});
  LocalSgd falling(
      {.dimension = 2, .step_size = 0.5, .falling_steps = true, .average = SgdAverage::last});
  for (int t = 0; t < 4; ++t) {
    for (auto* learner : {&last, &uniform, &suffix, &ball, &falling}) {
      ASSERT_EQ(learner->observe({Vector{2, 0}}), Observed::taken);
    }
  }
  EXPECT_EQ(last.model(), (Vector{4, 0}));
  EXPECT_EQ(uniform.model(), (Vector{1.5, 0}));  // of 0, 1, 2, 3: never of the next one
  EXPECT_EQ(suffix.model(), (Vector{2.5, 0}));
  EXPECT_EQ(ball.model(), (Vector{1, 0}));
  EXPECT_NEAR(falling.model()[0], 1 + 1 / std::sqrt(2.0) + 1 / std::sqrt(3.0) + 0.5, 1e-15);
  EXPECT_EQ(last.observe({Vector{1e160, 0}}), Observed::bounded);
  EXPECT_LE(std::fabs(last.model()[0]), 1e150);
  LocalSgd small({.dimension = 2,
                  .step_size = 0.5,
                  .average = SgdAverage::last,
                  .bounds = {.report = 10, .domain = 3}});
  EXPECT_EQ(small.observe({Vector{4, 0}}), Observed::taken);
  EXPECT_EQ(small.observe({Vector{6, 0}}), Observed::bounded);
  EXPECT_EQ(small.model(), (Vector{3, 0}));
  EXPECT_EQ(small.observe({Vector{-1e300, 0}}), Observed::bounded);
  EXPECT_NEAR(small.model()[0], -2, 1e-14);
  EXPECT_EQ(small.state().bounded, (BoundedRounds{.cut = 1, .refused = 1}));
  EXPECT_THROW(LocalSgd({.dimension = 1}), base::UsageError);
  EXPECT_NEAR(sgd_excess_loss_bound(0.1, 1000, 50, 2), 4 / 200.0 + 2.5, 1e-12);
}

}  // namespace banco_test
}  // namespace tacet::local
