#include "tacet/mechanism/local/noise_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/local/local_randomizer.h"

namespace tacet::mechanism {
namespace noise_model_test {

NoiseModel model(LocalMechanism mechanism, std::int64_t d, double epsilon,
                 Embedding embedding = Embedding::sign, double norm = 1) {
  return LocalRandomizer::calibrate({.mechanism = mechanism,
                                     .epsilon = epsilon,
                                     .delta = mechanism == LocalMechanism::gaussian ? 1e-6 : 0,
                                     .dimension = d,
                                     .clipping_norm = norm,
                                     .embedding = embedding})
      .noise();
}

TEST(NoiseModel, ReproducesTheTableOfEmbeddings) {
  // docs/methods/local-randomizers.md has some of these rows: reference values to five digits.
  struct Row {
    std::int64_t d;
    double epsilon;
    double sign;
    double lift_at_zero;
    double lift_at_norm;
    double variance;
  };
  const std::vector<Row> rows{{1, 0.5, 16.671, 19.563, 20.563, 19.56259113},
                              {1, 1, 4.6827, 4.7609, 5.7609, 4.760889927},
                              {1, 2, 1.7241, 1.07, 2.07, 1.070026755},
                              {1, 4, 1.076, 0.17781, 1.1778, 0.177805706},
                              {1, 8, 1.0013, 0.010866, 1.0109, 0.01086640312},
                              {2, 0.5, 40.125, 42.445, 43.445, 21.22256859},
                              {2, 1, 10.522, 10.447, 11.447, 5.223597452},
                              {2, 2, 3.1401, 2.4551, 3.4551, 1.227564792},
                              {2, 4, 1.3556, 0.48271, 1.4827, 0.241353887},
                              {2, 8, 1.0217, 0.050681, 1.0507, 0.02534060995},
                              {3, 0.5, 64.668, 66.396, 67.396, 22.13203906},
                              {3, 1, 16.671, 16.433, 17.433, 5.477539702},
                              {3, 2, 4.6827, 3.9468, 4.9468, 1.315586165},
                              {3, 4, 1.7241, 0.84337, 1.8434, 0.2811248076},
                              {3, 8, 1.076, 0.11767, 1.1177, 0.03922479681},
                              {10, 0.5, 240.05, 240.18, 241.18, 24.01807916},
                              {10, 1, 60.733, 60.049, 61.049, 6.004864697},
                              {10, 2, 15.898, 15.01, 16.01, 1.50100317},
                              {10, 4, 4.6743, 3.7327, 4.7327, 0.3732702536},
                              {10, 8, 1.8418, 0.87953, 1.8795, 0.08795306624},
                              {100, 0.5, 2505.9, 2505.1, 2506.1, 25.05057208},
                              {100, 1, 630.35, 629.38, 630.38, 6.293845832},
                              {100, 2, 161.36, 160.38, 161.38, 1.6037645},
                              {100, 4, 43.818, 42.825, 43.825, 0.4282515902},
                              {100, 8, 13.733, 12.738, 13.738, 0.1273797392}};
  for (const auto& row : rows) {
    SCOPED_TRACE(testing::Message() << row.d << " " << row.epsilon);
    const auto sign = model(LocalMechanism::privunit, row.d, row.epsilon);
    for (const double norm : {0.0, 0.5, 1.0}) {
      EXPECT_NEAR(sign.second_moment(norm) / row.sign, 1, 6e-5);
    }
    const auto lift = model(LocalMechanism::privunit, row.d, row.epsilon, Embedding::lift);
    EXPECT_NEAR(lift.second_moment(0) / row.lift_at_zero, 1, 6e-5);
    EXPECT_NEAR(lift.second_moment(1) / row.lift_at_norm, 1, 6e-5);
    EXPECT_NEAR(lift.variance / row.variance, 1, 2e-5);
  }
}

TEST(NoiseModel, ReproducesTheTableOfMechanisms) {
  // As docs/methods/local-randomizers.md: E |estimate|^2 at |g| = G = 1, under sign.
  struct Row {
    std::int64_t d;
    double epsilon;
    std::vector<double> moments;  // l2_laplace, coordinate_laplace, gaussian, djw, privunit(g)
  };
  const std::vector<Row> rows{{2, 0.5, {97, 129, 520.4, 41.134, 40.125, 51.36}},
                              {2, 1, {25, 33, 143.78, 11.554, 10.522, 13.66}},
                              {2, 2, {7, 9, 40.8, 4.254, 3.1401, 4.2334}},
                              {2, 4, {2.5, 3, 12.396, 2.655, 1.3556, 1.8706}},
                              {2, 8, {1.375, 1.5, 4.4106, 2.4707, 1.0217, 1.2658}},
                              {10, 0.5, {1761, 3201, 2598, 249.11, 240.05, 252.8}},
                              {10, 1, {441, 801, 714.92, 69.974, 60.733, 64.3}},
                              {10, 2, {111, 201, 200, 25.763, 15.898, 17.167}},
                              {10, 4, {28.5, 51, 57.979, 16.079, 4.6743, 5.3532}},
                              {10, 8, {7.875, 13.5, 18.053, 14.963, 1.8418, 2.3291}},
                              {100, 0.5, {1.616e5, 3.2e5, 25971, 2605.6, 2505.9, 2519}},
                              {100, 1, {40401, 80001, 7140.2, 731.89, 630.35, 634}},
                              {100, 2, {10101, 20001, 1991, 269.46, 161.36, 162.67}},
                              {100, 4, {2526, 5001, 570.79, 168.18, 43.818, 44.532}},
                              {100, 8, {632.25, 1251, 171.53, 156.51, 13.733, 14.291}},
                              {1000, 0.5, {1.6016e7, 3.2e7, 2.597e5, 26173, 25168, 25181}},
                              {1000, 1, {4.004e6, 8e6, 71393, 7351.9, 6327.4, 6331}},
                              {1000, 2, {1.001e6, 2e6, 19901, 2706.8, 1616.4, 1617.7}},
                              {1000, 4, {2.5025e5, 5e5, 5698.9, 1689.4, 435.6, 436.32}},
                              {1000, 8, {62564, 1.25e5, 1706.3, 1572.1, 133.35, 133.91}},
                              {10000, 0.5, {1.6002e9, 3.2e9, 2.597e6, 2.6185e5, 2.5179e5, 2.518e5}},
                              {10000, 1, {4.0004e8, 8e8, 7.1392e5, 73552, 63298, 63301}},
                              {10000, 2, {1.0001e8, 2e8, 1.99e5, 27080, 16167, 16168}},
                              {10000, 4, {2.5003e7, 5e7, 56980, 16901, 4353.5, 4354.2}},
                              {10000, 8, {6.2506e6, 1.25e7, 17054, 15728, 1329.6, 1330.1}}};
  const std::vector<LocalMechanism> mechanisms{
      LocalMechanism::l2_laplace, LocalMechanism::coordinate_laplace, LocalMechanism::gaussian,
      LocalMechanism::djw,        LocalMechanism::privunit,           LocalMechanism::privunitg};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < mechanisms.size(); ++i) {
      SCOPED_TRACE(testing::Message() << row.d << " " << row.epsilon << " "
                                      << local_mechanism_names.of(mechanisms[i]));
      const auto noise = model(mechanisms[i], row.d, row.epsilon);
      // Half a unit of the last of five digits; PrivUnitG in finite dimensions pays for the coarse
      // candidates' plane with 3e-5 more at the smallest epsilon.
      EXPECT_NEAR(noise.second_moment(1) / row.moments[i], 1, 1.5e-4);
    }
  }
}

TEST(NoiseModel, KnowsTheBoundsOfReports) {
  // B of DJW and of randomised response.
  struct Row {
    std::int64_t d;
    double epsilon;
    double norm;
  };
  const std::vector<Row> rows{{2, 0.5, 6.41354281204464},  {2, 1, 3.39913007365595},
                              {10, 1, 8.3650466656377},    {100, 1, 27.0534170342102},
                              {1000, 4, 41.1019007306694}, {1, 1, 2.16395341373865}};
  for (const auto& [d, epsilon, norm] : rows) {
    EXPECT_NEAR(*model(LocalMechanism::djw, d, epsilon).norm / norm, 1, 1e-6);
  }
  EXPECT_NEAR(*model(LocalMechanism::privunit, 1, 1).norm / 2.16395341373865, 1, 1e-10);
  // Everything scales with G.
  const auto wide = model(LocalMechanism::privunit, 10, 1, Embedding::sign, 4);
  EXPECT_NEAR(*wide.norm / 7.7931146123486, 4, 1e-5);
  EXPECT_NEAR(wide.variance / 5.973263536, 16, 1e-3);
  for (const auto mechanism : {LocalMechanism::l2_laplace, LocalMechanism::coordinate_laplace,
                               LocalMechanism::gaussian, LocalMechanism::privunitg}) {
    const auto noise = model(mechanism, 10, 1);
    EXPECT_FALSE(noise.norm.has_value());
    EXPECT_EQ(noise.symmetric, mechanism != LocalMechanism::privunitg);
    EXPECT_GT(noise.max_norm * noise.max_norm, noise.second_moment(1));
  }
  // R_max.
  EXPECT_NEAR(model(LocalMechanism::l2_laplace, 10, 1).max_norm, 101.5597690, 1e-4);
  EXPECT_NEAR(model(LocalMechanism::l2_laplace, 100, 1).max_norm, 375.4959107, 1e-4);
  EXPECT_NEAR(model(LocalMechanism::l2_laplace, 1000, 4).max_norm, 620.4322346, 1e-3);
}

TEST(NoiseModel, ReproducesTheProxies) {
  // Reference values for (d, epsilon, G, a).
  const auto laplace = [](std::int64_t d, double epsilon, double g, double a) {
    return model(LocalMechanism::l2_laplace, d, epsilon, Embedding::sign, g).proxy(a);
  };
  EXPECT_NEAR(laplace(1, 1, 1, 0.25) / 9.2058263184569897, 1, 1e-13);
  EXPECT_NEAR(laplace(10, 1, 1, 0.25) / 50.632044751513443, 1, 1e-13);
  EXPECT_NEAR(laplace(10, 1, 1, 0.02) / 44.035237591780415, 1, 1e-13);
  EXPECT_NEAR(laplace(100, 2, 1, 0.5) / 116.22355727051949, 1, 1e-13);
  EXPECT_NEAR(laplace(50, 0.5, 2, 0.01) / 3274.489579490594, 1, 1e-13);
  EXPECT_NEAR(laplace(10, 1, 1, 1e-9) / 44, 1, 1e-12);
  EXPECT_THROW(static_cast<void>(laplace(10, 1, 1, 0.26)), base::UsageError);
  EXPECT_THROW(static_cast<void>(laplace(10, 1, 1, 0)), base::UsageError);
  // Of PrivUnit, before the hundredth, to 2e-3; and v.
  const auto privunit = [](std::int64_t d, double epsilon, double a) {
    return model(LocalMechanism::privunit, d, epsilon).proxy(a) / 1.01;
  };
  EXPECT_NEAR(privunit(10, 1, 0.143404877) / 6.28686, 1, 2e-3);
  EXPECT_NEAR(privunit(100, 1, 0.1371086698) / 6.58793, 1, 2e-3);
  EXPECT_NEAR(privunit(100, 4, 0.6838026) / 0.54263, 1, 2e-3);
  EXPECT_NEAR(privunit(1000, 2, 0.382354624) / 1.8335, 1, 2e-3);
  EXPECT_NEAR(model(LocalMechanism::privunit, 1000, 2).variance / 1.615373105, 1, 2e-5);
  EXPECT_EQ(model(LocalMechanism::gaussian, 5, 1).proxy(3),
            model(LocalMechanism::gaussian, 5, 1).variance);
}

TEST(NoiseModel, ReproducesTheProxiesOfPlanes) {
  // v, psi with v (1 + psi) the proxy up to a, and psi up to every a.
  struct Row {
    double epsilon;
    double variance;
    double a;
    double psi;
    double most;
  };
  for (const auto& row : {Row{0.5, 25.1798526, 0.03819731208, 0.0127832, 0.0835844},
                          Row{1, 6.330041608, 0.1364248736, 0.0461954, 0.172105},
                          Row{2, 1.616681067, 0.382163502, 0.134788, 0.361780},
                          Row{4, 0.4353206056, 0.6838026238, 0.261727, 0.774935},
                          Row{8, 0.1329125124, 0.6838026238, 0.269394, 1.640518}}) {
    SCOPED_TRACE(row.epsilon);
    const auto noise = model(LocalMechanism::privunitg, 1, row.epsilon);
    EXPECT_NEAR(noise.variance / row.variance, 1, 2e-6);
    const auto psi = [&](double a) { return (noise.proxy(a) / noise.variance - 1) / 1.01; };
    EXPECT_NEAR(psi(row.a) / row.psi, 1, 2e-5);
    double most = 0;
    for (double t = 1; t < 40; t *= 1.2) most = std::max(most, psi(t / noise.amplitude));
    EXPECT_NEAR(most / row.most, 1, 2e-5);
  }
  // Where the tail is 3e-6, the mass of the plane is known to a thousandth only: the random draw
  // pays.
  EXPECT_NEAR(model(LocalMechanism::privunitg, 1, 16).variance / 0.04806413, 1, 2e-3);
}

TEST(NoiseModel, ProxiesOfLaplaceNoiseAreTheirMoments) {
  // E exp(beta <noise, e>) at theta 2, beta 0.2. The proxy is the least one, so
  // that it is met at |beta| = a.
  struct Row {
    std::int64_t d;
    double moment;
  };
  for (const auto& [d, moment] :
       {Row{2, 1.2989160133094785}, Row{3, 1.4172335600907029}, Row{5, 1.6871828096317892}}) {
    const auto noise = model(LocalMechanism::l2_laplace, d, 1);
    EXPECT_NEAR(std::exp(0.02 * noise.proxy(0.2)), moment, 1e-13);
    EXPECT_LT(std::exp(0.02 * noise.variance), moment);
  }
  // Of coordinates: the product of 1 / (1 - (s beta a_i)^2), met along an axis and nowhere else.
  const auto noise = model(LocalMechanism::coordinate_laplace, 3, 1);
  for (const double share : {0.1, 0.5, 1.0}) {
    const double beta = share * noise.range;
    const double u = beta * noise.noise_scale * beta * noise.noise_scale;
    const double bound = std::exp(beta * beta / 2 * noise.proxy(beta));
    EXPECT_NEAR(bound, 1 / (1 - u), 1e-13);
    EXPECT_GT(bound, 1 / ((1 - 0.36 * u) * (1 - 0.64 * u)));
    EXPECT_GT(bound, std::pow(1 - u / 3, -3));
  }
}

TEST(NoiseModel, ProxiesBoundTheMomentsOfTheirNoise) {
  // Randomised response: cosh(beta B) against exp(beta^2 B^2 / 2), the mean taken out.
  const auto noise = model(LocalMechanism::djw, 1, 1);
  for (const double beta : {0.01, 0.1, 0.4}) {
    const double p = noise.inside;
    const double moment =
        p * std::exp(beta * (*noise.norm - 1)) + (1 - p) * std::exp(beta * (-*noise.norm - 1));
    EXPECT_LE(moment, std::exp(beta * beta * noise.proxy(0.5) / 2));
  }
}

}  // namespace noise_model_test
}  // namespace tacet::mechanism
