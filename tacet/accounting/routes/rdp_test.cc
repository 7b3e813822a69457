#include "tacet/accounting/routes/rdp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "tacet/accounting/composition.h"
#include "tests/support/data_sets.h"
#include "tests/support/renyi_bounds.h"
#include "tests/support/textbook_bounds.h"

namespace tacet::accounting {
namespace rdp_test {

constexpr auto add_remove = Adjacency::add_remove;

// Reference values computed at 40 digits by quadrature.
TEST(PoissonGaussianRdp, AgreesWithTheReferenceTable) {
  struct Case {
    double q, sigma, alpha, remove, add;
  };
  for (const auto& [q, sigma, alpha, remove, add] :
       {Case{0.01, 1, 2, 1.7181342207455e-4, 1.6022264981855e-4},
        {0.01, 1, 2.5, 2.1757533228188e-4, 1.9817328906376e-4},
        {0.1, 1, 1.1, 8.0985684680738e-3, 6.9443265961541e-3},
        {0.1, 0.7, 1.5, 3.694927321852e-2, 1.9956713810629e-2},
        {0.001, 0.5, 32, 56.869413905567, 2.181279261254e-4},
        {1e-5, 0.4, 3.8, 1.0024576064512e-5, 6.8906277831263e-8},
        {0.5, 2, 10.9, 0.70012746546104, 0.21032302054368},
        {0.9, 3, 4.2, 0.19477273484742, 0.18074738033848},
        {0.2, 5, 64, 0.10136705462043, -1}}) {
    EXPECT_NEAR(rdp::poisson_gaussian(q, sigma, alpha) / remove, 1, 1e-10) << q << " " << alpha;
    if (add > 0) {
      EXPECT_NEAR(rdp::poisson_gaussian_reverse(q, sigma, alpha) / add, 1, 1e-10)
          << q << " " << alpha;
    }
  }
}

TEST(PoissonGaussianRdp, QuadratureMeetsTheBinomialSumAtIntegers) {
  for (const double q : {1e-5, 1e-3, 0.1, 0.9}) {
    for (const double sigma : {0.4, 1.0, 4.0}) {
      for (const double alpha : {2.0, 3.0, 8.0, 30.0}) {
        const double exact = rdp::poisson_gaussian(q, sigma, alpha);
        const double beside = rdp::poisson_gaussian(q, sigma, alpha * (1 + 1e-14));
        EXPECT_NEAR(beside / exact, 1, 2e-11) << q << " " << sigma << " " << alpha;
      }
    }
  }
}

TEST(PoissonGaussianRdp, LogMomentIsConvexAndTheReverseOrderIsSmaller) {
  for (const double q : {1e-4, 0.01, 0.3}) {
    for (const double sigma : {0.5, 1.0, 3.0}) {
      double last_slope = 0;
      double last = 0;
      double last_alpha = 1;
      for (double alpha = 1.2; alpha < 40; alpha *= 1.2) {
        const double forward = rdp::poisson_gaussian(q, sigma, alpha);
        const double value = (alpha - 1) * forward;
        const double slope = (value - last) / (alpha - last_alpha);
        EXPECT_GE(slope, last_slope * (1 - 1e-9));
        EXPECT_LE(rdp::poisson_gaussian_reverse(q, sigma, alpha), forward * (1 + 1e-10));
        last_slope = slope;
        last = value;
        last_alpha = alpha;
      }
    }
  }
}

TEST(RdpConversion, AgreesWithTheReferenceTable) {
  EXPECT_NEAR(rdp::to_epsilon(10, 0.5, 1e-5), 1.418010636784, 1e-11);
  EXPECT_NEAR(textbook::rdp_epsilon(10, 0.5, 1e-5), 1.7792139405522, 1e-11);
  EXPECT_NEAR(rdp::to_epsilon(2.1, 3, 1e-6), 14.238439392561, 1e-11);
  EXPECT_NEAR(textbook::rdp_epsilon(2.1, 3, 1e-6), 15.559555052695, 1e-11);
  EXPECT_NEAR(rdp::to_epsilon(64, 0.01, 1e-8), 0.22062938367619, 1e-12);
  EXPECT_NEAR(textbook::rdp_epsilon(64, 0.01, 1e-8), 0.30239175784051, 1e-12);
  const auto zcdp = [](double rho) { return [rho](double alpha) { return rho * alpha; }; };
  EXPECT_NEAR(rdp::best_epsilon(zcdp(0.5), Delta(1e-5)).epsilon, 4.7283869849433, 1e-6);
  EXPECT_NEAR(rdp::best_epsilon(zcdp(0.5), Delta(1e-5)).alpha, 5.4318496702701, 1e-2);
  EXPECT_NEAR(rdp::best_epsilon(zcdp(0.01), Delta(1e-6)).epsilon, 0.6216926545596, 1e-6);
  EXPECT_NEAR(rdp::best_epsilon(zcdp(2), Delta(1e-8)).epsilon, 13.386104648858, 1e-6);
}

TEST(RdpConversion, DeltaAndEpsilonInvertEachOther) {
  const double epsilon = rdp::to_epsilon(10, 0.5, 1e-5);
  EXPECT_NEAR(rdp::to_delta(10, 0.5, epsilon) / 1e-5, 1, 1e-9);
}

TEST(ClosedFormRdp, AgreesWithTheReferenceTable) {
  EXPECT_NEAR(rdp::laplace(1, 2), 0.61912362999859, 1e-12);
  EXPECT_NEAR(rdp::laplace(10, 1.5), 0.0072474853893285, 1e-13);
  EXPECT_NEAR(rdp::laplace(1.0 / 3, 10), 2.9286829015364, 1e-11);
  // Discrete Laplace at its unit is randomised response, above the continuous formula.
  EXPECT_NEAR(rdp::pure(1, 2), 0.7353, 1e-4);
  EXPECT_NEAR(rdp::pure(0.1, 2), 0.009959, 1e-5);
  EXPECT_EQ(rdp::pure(0, 2), 0);
}

TEST(ClosedFormRdp, BoundedRangeAgreesWithTheReferenceTable) {
  struct Case {
    double epsilon;
    double values[4];  // alpha = 1.5, 2, 4, 16
  };
  for (const auto& row :
       {Case{0.1,
             {.0018745443980474619, .002498959026980385, .004990997994139342, .01936443955458779}},
        {1, {.1831125322466034, .24022900080615794, .42953342146703327, .7812007478474905}},
        {4, {2.265396282061899, 2.650005494708177, 3.2563874072261103, 3.7518528982067965}}}) {
    const double alphas[] = {1.5, 2, 4, 16};
    for (int i = 0; i < 4; ++i) {
      const double value = rdp::bounded_range(row.epsilon, alphas[i]);
      EXPECT_NEAR(value / row.values[i], 1, 1e-6) << row.epsilon << " " << alphas[i];
      EXPECT_LE(value, alphas[i] * row.epsilon * row.epsilon / 8 * (1 + 1e-9));
    }
  }
}

TEST(ClosedFormRdp, ScoreSelectionAgreesWithTheReferenceTable) {
  const auto at = [](double alpha, double eta) {
    return rdp::score_selection(ScoreSelection{eta, 0.1, 0.75, 0.2, 99901, 1000, add_remove},
                                alpha);
  };
  EXPECT_NEAR(at(2, 1.41893476836381) / 1.352033316968067e-05, 1, 1e-9);
  EXPECT_NEAR(at(4, 1.41893476836381) / 2.9528803756253613e-05, 1, 1e-9);
  EXPECT_NEAR(at(2, 15) / 0.00791883613811131, 1, 1e-9);
  EXPECT_NEAR(at(8, 15) / 2.25282469398946, 1, 1e-6);
  EXPECT_NEAR(at(3, 40) / 7.045396190526847, 1, 1e-6);
}

TEST(SampledRdp, GeneralTheoremAgreesWithTheReferenceTable) {
  struct Case {
    double order, remove, add;
  };
  const auto curve = [](double alpha) { return 2 * alpha; };
  for (const auto& c : {Case{2, 5.359813566861473e-07, 5.361421832215465e-07},
                        {3, 8.852679652878957e-07, 8.042932729226542e-07},
                        {4, 2.171695636760938e-06, 1.0724974176172758e-06},
                        {8, 5.473896725642898, 2.145840383558493e-06}}) {
    EXPECT_NEAR(rdp::poisson_remove(1e-4, curve, c.order) / c.remove, 1, 1e-8) << c.order;
    EXPECT_NEAR(rdp::poisson_add(1e-4, curve, c.order) / c.add, 1, 1e-8) << c.order;
    EXPECT_GE(rdp::poisson_remove(1e-4, curve, c.order), c.remove * (1 - 1e-9)) << c.order;
    EXPECT_EQ(rdp::poisson(1e-4, curve, c.order),
              std::max(rdp::poisson_remove(1e-4, curve, c.order),
                       rdp::poisson_add(1e-4, curve, c.order)));
  }
}

TEST(SampledRdp, GeneralTheoremNeverUndercutsTheGaussianOne) {
  for (const double q : {0.001, 0.1}) {
    const auto curve = [](double alpha) { return alpha / 2; };
    for (const double alpha : {2.0, 2.7, 5.0, 20.0}) {
      EXPECT_GE(rdp::poisson(q, curve, alpha) * (1 + 1e-9), rdp::poisson_gaussian(q, 1, alpha));
    }
  }
}

TEST(SampledRdp, FixedSizeIsDearerThanPoissonAndFreeOfChargeForNobody) {
  const auto curve = [](double alpha) { return alpha / 2; };
  EXPECT_GT(rdp::fixed_size(0.01, curve, HUGE_VAL, 4), rdp::poisson_gaussian(0.01, 1, 4));
  EXPECT_EQ(rdp::fixed_size(1, curve, HUGE_VAL, 4), 2);
  EXPECT_EQ(rdp::fixed_size(0, curve, HUGE_VAL, 4), 0);
}

// Both theorems sum over all integers below the order, and the best order of a small pure epsilon
// lies beyond a million: the work must not grow with it.
TEST(SampledRdp, SumsOverIntegersEndAtAPublicOrder) {
  std::int64_t asked = 0;
  const auto base = [&asked](double alpha) {
    ++asked;
    return rdp::pure(0.1, alpha);
  };
  const auto poisson = [&](double alpha) { return rdp::poisson(0.01, base, alpha); };
  const auto subset = [&](double alpha) { return rdp::fixed_size(0.01, base, 0.1, alpha); };
  EXPECT_LE(rdp::best_epsilon(poisson, Delta(1e-9)).epsilon, 0.1);
  EXPECT_LE(rdp::best_epsilon(subset, Delta(1e-9)).epsilon, 0.1);
  EXPECT_LT(asked, 200'000);
  EXPECT_LE(rdp::poisson(0.01, base, 1e6), rdp::pure(0.1, 1e6));
}

TEST(RdpEdges, NothingSampledOrInfiniteNoiseCostsNothing) {
  EXPECT_EQ(rdp::poisson_gaussian(0, 1, 2), 0);
  EXPECT_EQ(rdp::poisson_gaussian(0.1, HUGE_VAL, 2), 0);
  EXPECT_EQ(rdp::poisson_gaussian(0.1, 0, 2), HUGE_VAL);
  EXPECT_NEAR(rdp::poisson_gaussian(1, 2, 6), 6 / 8.0, 1e-11);
  EXPECT_EQ(rdp::laplace(HUGE_VAL, 2), 0);
  EXPECT_EQ(rdp::laplace(0, 2), HUGE_VAL);
}

// tests/oracles/accountant.csv: epsilons of a public RDP accountant over 225 settings. At integer
// optimal orders both agree; elsewhere its grid of orders is coarser than the real line.
TEST(RdpAccountant, MatchesOrBeatsThePublicAccountant) {
  std::ifstream file(test::source_file("tests/oracles/accountant.csv"));
  std::string line;
  std::getline(file, line);
  int rows = 0;
  while (std::getline(file, line)) {
    std::stringstream cells(line);
    std::vector<double> v;
    for (std::string cell; v.size() < 6 && std::getline(cells, cell, ',');) {
      v.push_back(std::stod(cell));
    }
    ASSERT_EQ(v.size(), 6U);
    const Event step = PoissonSampled{v[0], Gaussian{v[1]}};
    const auto curve =
        rdp::curve(Repeated{static_cast<std::int64_t>(v[2]), step}, Adjacency::add_remove);
    ASSERT_TRUE(curve);
    const double epsilon = rdp::best_epsilon(*curve, Delta(v[3])).epsilon;
    EXPECT_LE(epsilon, v[4] * (1 + 1e-9) + 1e-9) << line;
    if (v[5] == std::floor(v[5]) && v[5] <= 256) {
      const double at_order = rdp::to_epsilon(v[5], (*curve)(v[5]), v[3]);
      EXPECT_NEAR(at_order, v[4], 1e-9 * std::max(1.0, v[4])) << line;
    }
    ++rows;
  }
  EXPECT_EQ(rows, 225);
}

}  // namespace rdp_test
}  // namespace tacet::accounting
