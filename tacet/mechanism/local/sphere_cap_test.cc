#include "tacet/mechanism/local/sphere_cap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::mechanism {
namespace sphere_cap_test {

struct Row {
  std::int64_t d;
  double epsilon;
  double gamma;
  double p;
  double q;
  double norm;
};

// Reference values.
const std::vector<Row> privunit_rows{
    {2, 0.5, 0.157867049049692, 0.573822331913164, 0.550461743026365, 6.33444411623369},
    {2, 1, 0.308287129904806, 0.644638128251904, 0.599755751485426, 3.24372931269879},
    {2, 2, 0.564327839551187, 0.767783114528167, 0.690864601663395, 1.77201961327179},
    {2, 4, 0.858879806350485, 0.918532861491065, 0.82883910735379, 1.16430726698437},
    {2, 8, 0.98930756706088, 0.99318192761329, 0.953410170021419, 1.01080799671925},
    {3, 0.5, 0.124353001771596, 0.562176500885798, 0.562176500885798, 8.0416233283756},
    {3, 1, 0.244918662403709, 0.622459331201855, 0.622459331201855, 4.0829881650736},
    {3, 2, 0.46211715726001, 0.731058578630005, 0.731058578630005, 2.16395341373865},
    {3, 4, 0.761594155955765, 0.880797077977882, 0.880797077977882, 1.31303528549933},
    {3, 8, 0.964027580075817, 0.982013790037908, 0.982013790037908, 1.03731472072755},
    {10, 0.5, 0.0645428221440783, 0.549501770544884, 0.574770583932921, 15.4935896321315},
    {10, 1, 0.128318400247245, 0.597756879657414, 0.646541788009922, 7.7931146123486},
    {10, 2, 0.250800005321423, 0.686344108937686, 0.771520610326389, 3.98724074474563},
    {10, 4, 0.462532080533785, 0.817882247924465, 0.923996935430565, 2.16201219782626},
    {10, 8, 0.736842394973268, 0.935521829585357, 0.99515630638419, 1.35714232354434},
    {100, 0.5, 0.0199763290717063, 0.545628612493429, 0.578587189344426, 50.0592474428329},
    {100, 1, 0.0398299393321489, 0.590115505730958, 0.653748449577755, 25.1067417316613},
    {100, 2, 0.0787222052498417, 0.671836610641708, 0.783044361869843, 12.7028961755617},
    {100, 4, 0.151068213966012, 0.793570701129877, 0.934221181319647, 6.619526197781},
    {100, 8, 0.26985154705133, 0.904739365310725, 0.996824057202978, 3.7057412155943},
    {1000, 0.5, 0.00630344062987687, 0.545268919930412, 0.578940878409468, 158.64351847152},
    {1000, 1, 0.0125715297222408, 0.589404192799992, 0.654413651115114, 79.5448145209299},
    {1000, 2, 0.0248730585539347, 0.670473650718511, 0.78409165207931, 40.2041428814072},
    {1000, 4, 0.047913115497123, 0.79120744772037, 0.935098491342292, 20.8711120039782},
    {1000, 8, 0.0865981591275562, 0.901396630140141, 0.996942696781219, 11.5475895801322}};

// The same for planes: epsilon, z, p, q; gamma stands for z.
const std::vector<Row> privunitg_rows{
    {1, 0.5, 0.199284448102228, 0.54522925032701, 0.578979878098291, 0},
    {1, 1, 0.397463010467186, 0.589325728099498, 0.654486970901138, 0},
    {1, 2, 0.786480255002883, 0.670323185346133, 0.78420690887526, 0},
    {1, 4, 1.51563765916677, 0.790945807196608, 0.935194500464147, 0},
    {1, 8, 2.74294479063554, 0.90102321897242, 0.99695545389162, 0},
    {1, 16, 4.56132635992675, 0.957599764618956, 0.999997458424889, 0}};

/// p without rounding: odds e^epsilon T/(1 - T), without what coarse candidates cost.
double ideal_probability(const SphereCap& cap, double epsilon) {
  return std::exp(epsilon) * cap.tail.low / (std::exp(epsilon) * cap.tail.low + 1 - cap.tail.low);
}

TEST(SphereCap, ReproducesTheReferenceThresholds) {
  for (const auto& row : privunit_rows) {
    SCOPED_TRACE(testing::Message() << row.d << " " << row.epsilon);
    const CapPlan plan{CapShape::angle, row.d, row.epsilon};
    const double gamma = best_threshold(plan);
    EXPECT_NEAR(gamma / row.gamma, 1, 2e-13);
    EXPECT_NEAR(1 / gamma / row.norm, 1, 2e-13);
    const SphereCap cap = make_cap(plan, gamma);
    EXPECT_NEAR(1 - cap.tail.low, row.q, 1e-13);
    EXPECT_NEAR(ideal_probability(cap, row.epsilon), row.p, 1e-13);
    // The random draw pays for what candidates are coarse, and never more than that.
    EXPECT_LE(cap.bit.inside(), row.p);
    EXPECT_NEAR(cap.bit.inside(), row.p, 2e-6);
    EXPECT_NEAR(1 / cap.mean / row.norm, 1, 3e-6);
    EXPECT_NEAR(cap.expected_candidates, 1 / (1 - row.q) + 1 / row.q - 1, 1e-6 / (1 - row.q));
  }
  for (const auto& row : privunitg_rows) {
    SCOPED_TRACE(row.epsilon);
    const CapPlan plan{CapShape::plane, 1, row.epsilon};
    const double z = best_threshold(plan);
    EXPECT_NEAR(z / row.gamma, 1, 2e-13);
    const SphereCap cap = make_cap(plan, z);
    EXPECT_NEAR(1 - cap.tail.high, row.q, 1e-12);
    EXPECT_NEAR(ideal_probability(cap, row.epsilon), row.p, 1e-11);
    EXPECT_NEAR(cap.bit.inside(), row.p, 3e-4);
    EXPECT_EQ(cap.threshold, std::floor(std::ldexp(z, 40)) * 0x1p-12);
  }
}

TEST(SphereCap, TheThresholdIsTheFixedPointAndTheBest) {
  // d = 3 has the closed form tanh(epsilon / 4).
  for (const double epsilon : {0.01, 0.3, 1.0, 5.0, 12.0}) {
    const double gamma = best_threshold({CapShape::angle, 3, epsilon});
    EXPECT_NEAR(gamma / std::tanh(epsilon / 4), 1, 1e-13);
  }
  for (const std::int64_t d : {2, 10, 1000}) {
    const CapPlan plan{CapShape::angle, d, 2};
    const double gamma = best_threshold(plan);
    EXPECT_NEAR(make_cap(plan, gamma).mean, gamma, 1e-5 * gamma);
    const numeric::SphereCoordinate law(d);
    const double odds = std::exp(2.0) - 1;
    EXPECT_NEAR(odds * law.upper_mean(gamma) / (1 + odds * law.tail(gamma).low) / gamma, 1, 1e-13);
    EXPECT_LT(make_cap(plan, gamma * (1 + 1e-3)).mean, make_cap(plan, gamma).mean);
    EXPECT_LT(make_cap(plan, gamma * (1 - 1e-3)).mean, make_cap(plan, gamma).mean);
  }
}

TEST(SphereCap, NoThresholdIsThatOfThePlanBefore) {
  const CapPlan plan{CapShape::angle, 10, 2};
  const double threshold = best_threshold(plan);
  for (const CapPlan& other : {CapPlan{CapShape::plane, 10, 2}, CapPlan{CapShape::angle, 11, 2},
                               CapPlan{CapShape::angle, 10, 2 + 1e-9}}) {
    EXPECT_GT(std::fabs(best_threshold(other) / threshold - 1), 1e-11);
    EXPECT_EQ(best_threshold(plan), threshold);
  }
}

TEST(SphereCap, TheDrawHasTheOddsThatTheMassAllows) {
  // p/(1-p) (1-T)/T <= e^epsilon at both ends of the mass, and not by much less. With 1 - p in
  // doubles the odds at epsilon 40 would be off by 8e-5.
  for (const double epsilon : {0.1, 1.0, 8.0}) {
    for (const std::int64_t d : {2, 3, 100}) {
      const CapPlan plan{CapShape::angle, d, epsilon};
      const SphereCap cap = make_cap(plan, best_threshold(plan));
      const long double s = cap.bit.smaller;
      const long double odds = cap.bit.inside_is_smaller ? s / (1 - s) : (1 - s) / s;
      const long double low = cap.mass.low;
      const long double loss = std::log(odds * (1 - low) / low);
      EXPECT_LE(loss, epsilon);
      EXPECT_GE(loss, epsilon - 1e-10);
      EXPECT_LT(cap.mass.low, cap.tail.low);
      EXPECT_GT(cap.mass.high, cap.tail.high);
      EXPECT_LT(cap.mass.high - cap.mass.low, 1e-7);
    }
  }
  const SphereCap half = make_cap({CapShape::angle, 20, 40}, 0);
  const long double s = half.bit.smaller;
  const long double low = half.mass.low;
  EXPECT_FALSE(half.bit.inside_is_smaller);
  EXPECT_LE(std::log((1 - s) / s * (1 - low) / low), 40);
  EXPECT_GE(std::log((1 - s) / s * (1 - low) / low), 40 - 1e-10);
}

TEST(SphereCap, RefusesTooManyCandidatesWithTheAlternative) {
  const CapPlan plan{CapShape::angle, 100, 26};
  try {
    static_cast<void>(make_cap(plan, best_threshold(plan)));
    FAIL() << "26 needs " << 1 / 1e-8;
  } catch (const base::GuaranteeError& error) {
    EXPECT_NE(std::string(error.what()).find("candidates"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("l2_laplace"), std::string::npos);
  }
}

TEST(SphereCap, RefusesWhatCoarseCandidatesDoNotProve) {
  const CapPlan coarse{CapShape::angle, 50, 0.1, 1.0};
  EXPECT_THROW(static_cast<void>(make_cap(coarse, best_threshold(coarse))), base::GuaranteeError);
  const CapPlan small{CapShape::angle, 100, 1e-9};
  EXPECT_THROW(static_cast<void>(make_cap(small, best_threshold(small))), base::GuaranteeError);
}

TEST(SphereCapLong, IsSettledForEveryDimensionAndEpsilon) {
  // d up to 10^6, epsilon 1e-3 to 50; the norm falls with epsilon, and
  // gamma sqrt(d) nears z(epsilon).
  for (const std::int64_t d : {2, 3, 10, 1000, 1000000}) {
    double last = HUGE_VAL;
    for (const double epsilon : {1e-3, 0.1, 1.0, 4.0, 8.0, 16.0, 50.0}) {
      const CapPlan plan{CapShape::angle, d, epsilon};
      const double gamma = best_threshold(plan);
      EXPECT_TRUE(gamma > 0 && gamma < 1);
      EXPECT_LT(1 / gamma, last);
      last = 1 / gamma;
    }
  }
  for (const auto& row : privunitg_rows) {
    const double gamma = best_threshold({CapShape::angle, 100000, row.epsilon});
    EXPECT_NEAR(gamma * std::sqrt(1e5) / row.gamma, 1, 1e-4);
  }
}

}  // namespace sphere_cap_test
}  // namespace tacet::mechanism
