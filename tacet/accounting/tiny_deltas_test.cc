#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/group_privacy.h"
#include "tacet/accounting/private_selection.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/shuffle.h"
#include "tacet/numeric/rounding.h"

// Deltas below the range in which doubles keep a relative precision. Where the truth is above 0,
// an upper end is; no end lies on the wrong side of the truth.
namespace tacet::accounting {
namespace tiny_deltas_test {

using numeric::infinity;
using Wide = boost::multiprecision::cpp_bin_float_quad;

constexpr auto add_remove = Adjacency::add_remove;
constexpr double smallest = std::numeric_limits<double>::denorm_min();

struct Truth {
  Event event;
  double epsilon;
  const char* delta;
};

// Computed once at 120 digits, and written to 15. Gaussian noise z, with mu = 1/z: Phi(mu/2 -
// e/mu) - e^e Phi(-mu/2 - e/mu); its sample of rate q: q times that at log((e^e - 1 + q) / q);
// discrete Gaussian noise: the sum of what P(x) - e^e Q(x) has above 0.
const std::vector<Truth>& truths() {
  static const std::vector<Truth> all{
      {Gaussian{0.25}, 156.061276007533, "3.16227766016829e-301"},
      {Gaussian{0.25}, 156.92842618073337, "1.00000000000003e-304"},
      {Gaussian{0.25}, 157.66770963709752, "1.00000000000012e-307"},
      {Gaussian{0.25}, 158.03598895349538, "3.16227766016866e-309"},
      {Gaussian{0.25}, 158.89182099094907, "1.00000000000000e-312"},
      {Gaussian{0.25}, 159.86402434567944, "1.00000000000003e-316"},
      {Gaussian{0.25}, 160.58912232352642, "9.99999999999879e-320"},
      {Gaussian{0.25}, 160.95038553230717, "3.16227766016875e-321"},
      {Gaussian{0.25}, 161.19075556399588, "3.16227766016833e-322"},
      {Gaussian{0.25}, 161.31079961182397, "9.99999999999941e-323"},
      {Gaussian{0.25}, 161.45472882365996, "2.51188643150940e-323"},
      {Gaussian{0.25}, 161.55060686987935, "1.00000000000010e-323"},
      {Gaussian{0.25}, 161.59852350635614, "6.30957344480257e-324"},
      {Gaussian{0.25}, 161.6703705169176, "3.16227766016872e-324"},
      {Gaussian{0.25}, 161.79004113242445, "9.99999999999867e-325"},
      {Gaussian{0.25}, 163.21890996166124, "9.99999999999929e-331"},
      {Gaussian{0.25}, 179.01107176971504, "9.99999999999989e-401"},
      {Gaussian{0.25}, 606.7724264395632, "1.00000000000011e-4870"},
      {Gaussian{1.5}, 24.868379844650143, "3.16227766016834e-301"},
      {Gaussian{1.5}, 25.013075190105454, "1.00000000000002e-304"},
      {Gaussian{1.5}, 25.136432817819816, "1.00000000000005e-307"},
      {Gaussian{1.5}, 25.197883794880873, "3.16227766016848e-309"},
      {Gaussian{1.5}, 25.34068639710156, "9.99999999999994e-313"},
      {Gaussian{1.5}, 25.502904373127965, "1.00000000000009e-316"},
      {Gaussian{1.5}, 25.62388987553048, "9.99999999999965e-320"},
      {Gaussian{1.5}, 25.68416763096018, "3.16227766016865e-321"},
      {Gaussian{1.5}, 25.724273861372698, "3.16227766016817e-322"},
      {Gaussian{1.5}, 25.744303405906454, "1.00000000000007e-322"},
      {Gaussian{1.5}, 25.768318185227635, "2.51188643150937e-323"},
      {Gaussian{1.5}, 25.7843155376641, "9.99999999999946e-324"},
      {Gaussian{1.5}, 25.792310470763724, "6.30957344480263e-324"},
      {Gaussian{1.5}, 25.80429819807199, "3.16227766016844e-324"},
      {Gaussian{1.5}, 25.82426530338484, "9.99999999999987e-325"},
      {Gaussian{1.5}, 26.062670321141113, "9.99999999999954e-331"},
      {Gaussian{1.5}, 28.697295786485242, "1.00000000000008e-400"},
      {Gaussian{1.5}, 100.00974495777602, "1.00000000000010e-4870"},
      {Gaussian{7}, 5.285630306978503, "3.16227766016926e-301"},
      {Gaussian{7}, 5.316670479400088, "1.00000000000023e-304"},
      {Gaussian{7}, 5.343132957384724, "9.99999999999971e-308"},
      {Gaussian{7}, 5.356315216619708, "3.16227766016843e-309"},
      {Gaussian{7}, 5.386948490804807, "1.00000000000018e-312"},
      {Gaussian{7}, 5.421746207038845, "1.00000000000023e-316"},
      {Gaussian{7}, 5.44769875748899, "1.00000000000012e-319"},
      {Gaussian{7}, 5.460628819069557, "3.16227766016856e-321"},
      {Gaussian{7}, 5.4692318921864125, "3.16227766016899e-322"},
      {Gaussian{7}, 5.473528362333674, "9.99999999999949e-323"},
      {Gaussian{7}, 5.478679682729993, "2.51188643150975e-323"},
      {Gaussian{7}, 5.482111209443245, "1.00000000000015e-323"},
      {Gaussian{7}, 5.48382616824538, "6.30957344480328e-324"},
      {Gaussian{7}, 5.486397602167702, "3.16227766016862e-324"},
      {Gaussian{7}, 5.490680651462203, "1.00000000000029e-324"},
      {Gaussian{7}, 5.541819266319703, "1.00000000000006e-330"},
      {Gaussian{7}, 6.1068973799873705, "1.00000000000022e-400"},
      {Gaussian{7}, 21.391777864495378, "1.00000000000195e-4870"},
      {PoissonSampled{.125, Gaussian{2}}, 13.045615239682448, "1.00000000000017e-200"},
      {PoissonSampled{.125, Gaussian{2}}, 16.008940080348978, "1.00000000000194e-285"},
      {PoissonSampled{.125, Gaussian{2}}, 16.32611259001727, "1.00000000000112e-295"},
      {PoissonSampled{.125, Gaussian{2}}, 16.637890810930045, "1.00000000000089e-305"},
      {PoissonSampled{.125, Gaussian{2}}, 16.94454071118545, "1.00000000000297e-315"},
      {PoissonSampled{.125, Gaussian{2}}, 17.171310677127366, "3.16227766018379e-323"},
      {PoissonSampled{.125, Gaussian{2}}, 17.395430279783675, "1.00000000000441e-330"},
      {PoissonSampled{.125, Gaussian{2}}, 31.886775210242593, "1.00000000000085e-1000"},
      {DiscreteGaussian{3, 1, 1}, 10.055356483314963, "1.00000000002857e-200"},
      {DiscreteGaussian{3, 1, 1}, 12.053563358123236, "1.00000000004208e-285"},
      {DiscreteGaussian{3, 1, 1}, 12.271170649201524, "1.00000000000909e-295"},
      {DiscreteGaussian{3, 1, 1}, 12.465430854395523, "1.00000000000097e-305"},
  };
  return all;
}

TEST(TinyDeltas, TheIntervalHoldsTheTruth) {
  constexpr double written = 1e-13;  // the digits of the oracle
  for (const auto& [event, epsilon, delta] : truths()) {
    const Wide truth(delta);
    const auto interval = delta_interval(event, add_remove, Epsilon(epsilon));
    EXPECT_GE(Wide(interval.upper), truth * (1 - Wide(written))) << epsilon << " " << delta;
    EXPECT_LE(Wide(interval.lower), truth * (1 + Wide(written))) << epsilon << " " << delta;
    EXPECT_LE(Wide(interval.attained), truth * (1 + Wide(written))) << epsilon << " " << delta;
    EXPECT_GE(interval.upper, smallest) << epsilon << " " << delta;
    // Rounded up by some of the smallest steps, no more.
    if (event.as<Gaussian>() != nullptr) {
      EXPECT_LE(Wide(interval.upper), truth * (1 + Wide(1e-10)) + Wide(4 * smallest)) << delta;
    }
  }
}

TEST(TinyDeltas, WhatIsNeverExactlyPrivateCostsSomeDelta) {
  const std::vector<Event> events{
      Gaussian{1.5},
      Gaussian{1e100},
      Gaussian{1e-3},
      Repeated{100, Gaussian{20}},
      Composed{{Gaussian{3}, Gaussian{5}}},
      Composed{{Gaussian{3}, Laplace{2}}},
      DiscreteGaussian{3, 1, 1},
      PoissonSampled{0.01, Gaussian{1}},
      Zcdp{0.1, add_remove},
      ApproximateDp{1, 1e-320, add_remove},
      ObjectivePerturbation{3, 1, 0.25, 1, 1e-6, 1},
  };
  for (const auto& event : events) {
    for (const double epsilon : {100.0, 1e300}) {
      EXPECT_GT(delta_interval(event, add_remove, Epsilon(epsilon)).upper, 0)
          << event_to_json(event) << " " << epsilon;
    }
    EXPECT_EQ(epsilon_interval(event, add_remove, Delta(0)).upper, infinity)
        << event_to_json(event);
  }
}

TEST(TinyDeltas, NothingStaysNothingWhereItIsExact) {
  for (const auto& [event, epsilon] : {std::pair<Event, double>{Laplace{2}, 0.5},
                                       {Repeated{3, Laplace{2}}, 1.5},
                                       {DiscreteLaplace{4, 1}, 0.25},
                                       {PureDp{1, add_remove}, 1},
                                       {Gaussian{infinity}, 0},
                                       {Repeated{5, Gaussian{infinity}}, 0},
                                       {PoissonSampled{0, Gaussian{1}}, 0}}) {
    EXPECT_EQ(delta_interval(event, add_remove, Epsilon(epsilon)).upper, 0) << event_to_json(event);
  }
  EXPECT_EQ(delta_interval(Gaussian{1}, add_remove, Epsilon(infinity)).upper, 0);
  EXPECT_EQ(gaussian::delta(0, 1), 0);
  EXPECT_EQ(gaussian::delta(1, infinity), 0);
  EXPECT_EQ(shuffle::clones_delta(100, 1, 1), 0);
}

TEST(TinyDeltas, EveryConversionRoundsUp) {
  const rdp::Curve curve = [](double alpha) { return 0.1 * alpha; };
  EXPECT_GT(rdp::best_delta(curve, 1e3), 0);
  EXPECT_GT(rdp::best_delta(curve, 1e308), 0);
  EXPECT_GT(gaussian::delta(1, 1000), 0);
  EXPECT_GT(shuffle::clones_delta(std::int64_t{1} << 40, 2, 1.9, 1), 0);
  EXPECT_GT(internal::implied_delta({smallest, 0}, 0), 0);
  EXPECT_GE(internal::implied_delta({5 * smallest, 0}, 0), 3 * smallest);  // tanh(epsilon / 2)
  const auto group = [](double of_one) {
    return internal::group_delta([of_one](double /*epsilon*/) { return of_one; }, 1e-9);
  };
  EXPECT_GT(group(smallest), 2 * smallest);  // (1 + e^(epsilon / 2)) times one's
  EXPECT_EQ(group(0), 0);
  EXPECT_EQ(internal::group_delta([](double /*epsilon*/) { return 0.0; }, 5000), 0);
}

}  // namespace tiny_deltas_test
}  // namespace tacet::accounting
