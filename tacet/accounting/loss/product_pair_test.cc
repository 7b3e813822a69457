#include "tacet/accounting/loss/product_pair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/dominating.h"
#include "tacet/accounting/routes/gaussian.h"

namespace tacet::accounting {
namespace product_pair_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;

double delta_of(const pld::FiniteLaw& law, double epsilon) {
  double sum = law.infinite_p;
  for (const auto& atom : law.atoms) {
    if (atom.loss > epsilon) sum += atom.p - std::exp(epsilon) * atom.q;
  }
  return sum;
}

TEST(Product, OfGaussiansIsAGaussian) {
  std::vector<pld::Component> parts;
  parts.push_back({pairs::gaussian(0.6), 1});
  parts.push_back({pairs::gaussian(0.2), 16});
  const auto product = pld::product(parts, 1e-3);
  ASSERT_TRUE(product);
  for (const double epsilon : {-2.0, 0.0, 0.5, 2.0, 6.0}) {
    const double exact = gaussian::delta(1, epsilon);
    EXPECT_GE(delta_of(product->above, epsilon), exact * (1 - 1e-9)) << epsilon;
    EXPECT_LE(delta_of(product->below, epsilon), exact * (1 + 1e-9)) << epsilon;
    EXPECT_LE(delta_of(product->above, epsilon), exact * 1.02) << epsilon;
    EXPECT_GE(delta_of(product->below, epsilon), exact * 0.98) << epsilon;
  }
}

TEST(Product, BothLawsKeepBothMasses) {
  // Sampling mixes P and Q: a lower law with more Q-mass than there is would not be one.
  std::vector<pld::Component> parts;
  parts.push_back({pairs::bounded_range(0.5), 10});
  parts.push_back({pairs::laplace(2), 1});
  parts.push_back({pairs::gaussian(1), 1});
  parts.push_back({pairs::approximate(0.3, 0), 2});
  const auto product = pld::product(parts, 1e-3);
  ASSERT_TRUE(product);
  for (const auto* law : {&product->above, &product->below}) {
    double p = law->infinite_p;
    double q = law->infinite_q;
    for (const auto& atom : law->atoms) {
      p += atom.p;
      q += atom.q;
    }
    const double sign = law == &product->above ? 1 : -1;
    EXPECT_GE(sign * (p - 1), -1e-13);
    EXPECT_GE(sign * (q - 1), -1e-13);
    EXPECT_NEAR(p, 1, 1e-8);
    EXPECT_NEAR(q, 1, 1e-8);
  }
}

// In the order `add` a sample asks for Q(S) - a P(S) of its base, which the laws bound only when P
// and Q change places.
TEST(Product, SamplesTakeTheLawThatFacesThem) {
  std::vector<pld::Component> parts;
  parts.push_back({pairs::laplace(1), 4});
  const auto product = pld::product(parts, 1e-2);
  ASSERT_TRUE(product);
  const double q = 0.3;
  const Event step = PoissonSampled{q, Composed{{Repeated{4, Laplace{1}}}}};
  const auto dominating = internal::dominating_pairs(step, add_remove, 1e-2);
  ASSERT_TRUE(dominating);
  ASSERT_EQ(dominating->add.size(), 1U);
  const auto& above = *dominating->add[0].pair;
  const auto& below = *dominating->add[0].below;
  for (const double epsilon : {-0.3, 0.0, 0.1, 0.2, 0.3}) {
    // sup_S Q(S) - a ((1 - q) Q + q P)(S) = c sup_S Q(S) - b P(S), c = 1 - a (1 - q), b = a q / c;
    // by symmetry P and Q of the base may change places.
    const double a = std::exp(epsilon);
    const double c = 1 - a * (1 - q);
    const double base = std::log(a * q / c);
    const auto of = [&](const pairs::Pair& pair) {
      const auto m = pair.interval(epsilon, HUGE_VAL);
      return m.p - a * m.q + pair.infinite_mass();
    };
    EXPECT_NEAR(of(above), c * delta_of(product->above, base), 1e-12) << epsilon;
    EXPECT_NEAR(of(below), c * delta_of(product->below, base), 1e-12) << epsilon;
    EXPECT_GE(of(above), of(below)) << epsilon;
  }
}

// What 10,000 factors round is far more than a billionth: Q keeps at least the mass it has.
TEST(Product, TheUpperLawCountsItsOwnRoundingAsMassOfQ) {
  std::vector<pld::Component> parts;
  parts.push_back({pairs::gaussian(0.01), 10000});
  const auto product = pld::product(parts, 1e-3);
  ASSERT_TRUE(product);
  double q = product->above.infinite_q;
  for (const auto& atom : product->above.atoms) q += atom.q;
  EXPECT_GE(q, 1);
  EXPECT_GE(product->above.infinite_q, 1e4 * 0x1p-40);
}

Event partial_sum(double range, std::int64_t draws, double noise, Adjacency adjacency) {
  return Composed{{Repeated{draws, BoundedRange{range, adjacency}}, Gaussian{noise}}};
}

// Reference values of an independent program that rounds up; both orders.
void check_selection(const Event& event, double delta, double remove, double add, double tolerance,
                     double agreement) {
  const auto dominating = internal::dominating_pairs(event, add_remove, tolerance);
  ASSERT_TRUE(dominating);
  EXPECT_FALSE(dominating->attained);
  for (const auto& [parts, expected] :
       {std::pair(&dominating->remove, remove), std::pair(&dominating->add, add)}) {
    const auto bracket = pld::epsilon_bracket(*parts, delta, {.tolerance = tolerance});
    EXPECT_LE(bracket.lower, expected);
    EXPECT_NEAR(bracket.upper, expected, agreement);
    EXPECT_LE(bracket.upper - bracket.lower, 2 * tolerance * bracket.upper);
  }
}

TEST(BoundedRangeTraining, AgreesWithTheReferenceInBothOrders) {
  const Event step = PoissonSampled{0.01, partial_sum(0.5, 10, 1, add_remove)};
  check_selection(Repeated{1000, step}, 1e-5, 3.82880576, 2.24783513, 2e-5, 2e-5);
}

TEST(BoundedRangeTraining, WideModelAgreesWithTheReference) {
  const Event step = PoissonSampled{1e-4, partial_sum(0.27022777, 100, 0.5, add_remove)};
  check_selection(Repeated{200000, step}, 1e-5, 7.79436927, 2.43547986, 1e-3, 6e-3);
}

TEST(BoundedRangeTrainingLong, WideModelAgreesWithTheReference) {
  const Event step = PoissonSampled{1e-4, partial_sum(0.28378695, 100, 0.5, add_remove)};
  check_selection(Repeated{200000, step}, 1e-5, 8.55561554, 2.61929285, 1e-4, 1e-3);
  // One draw more costs what it should.
  const Event more = PoissonSampled{1e-4, partial_sum(0.2766, 101, 0.5, add_remove)};
  const Event same = PoissonSampled{1e-4, partial_sum(0.2766, 100, 0.5, add_remove)};
  for (const auto& [one, expected] : {std::pair(&more, 8.21995), std::pair(&same, 8.14173)}) {
    const auto interval = epsilon_interval(Repeated{200000, *one}, add_remove, Delta(1e-5));
    EXPECT_NEAR(interval.upper, expected, 1e-2);
    EXPECT_LE(interval.lower, expected);
  }
}

TEST(BoundedRangeTraining, TheAccountantTakesThePairWhereItIsTheBest) {
  const Event step = PoissonSampled{0.01, partial_sum(0.5, 10, 1, add_remove)};
  const auto interval =
      epsilon_interval(Repeated{1000, step}, add_remove, Delta(1e-5), {.attained = true});
  EXPECT_EQ(interval.route, "pld");
  EXPECT_FALSE(interval.lower_is_attained);
  EXPECT_GT(interval.lower, 3.82);
  // The noisy sum alone is attained.
  EXPECT_NEAR(interval.attained, 1.8282, 1e-3);
}

TEST(BoundedRangeTraining, HardlyAnySelectionCostsHardlyAnything) {
  const auto cost = [](const Event& step, Adjacency adjacency) {
    return epsilon_interval(Repeated{1000, step}, adjacency, Delta(1e-5)).upper;
  };
  for (const auto adjacency : {replace_one, Adjacency::zero_out}) {
    // Inside a sample of fixed size a record is replaced by another.
    const Event with = FixedSizeSampled{1, 100, partial_sum(1e-4, 3, 2, replace_one)};
    const Event without = FixedSizeSampled{1, 100, Gaussian{2}};
    EXPECT_NEAR(cost(with, adjacency) / cost(without, adjacency), 1, 5e-3);
  }
  const Event with = PoissonSampled{0.01, partial_sum(1e-4, 3, 2, add_remove)};
  EXPECT_NEAR(cost(with, add_remove) / cost(PoissonSampled{0.01, Gaussian{2}}, add_remove), 1,
              5e-3);
  // Order does not matter, and Gaussian noise is one Gaussian.
  const Event apart =
      PoissonSampled{0.01, Composed{{Gaussian{1}, BoundedRange{0.5, add_remove}, Gaussian{1}}}};
  const Event joined =
      PoissonSampled{0.01, Composed{{BoundedRange{0.5, add_remove}, Gaussian{std::sqrt(0.5)}}}};
  EXPECT_NEAR(cost(apart, add_remove) / cost(joined, add_remove), 1, 1e-6);
  EXPECT_GT(cost(apart, add_remove), cost(PoissonSampled{0.01, Gaussian{0.708}}, add_remove));
}

}  // namespace product_pair_test
}  // namespace tacet::accounting
