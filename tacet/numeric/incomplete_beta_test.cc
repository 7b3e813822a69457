#include "tacet/numeric/incomplete_beta.h"

#include <gtest/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::numeric {
namespace incomplete_beta_test {

void expect_holds(const Bracketed& bounds, double value, double relative) {
  EXPECT_LE(bounds.low, value * (1 + relative));
  EXPECT_GE(bounds.high, value * (1 - relative));
  EXPECT_LE(bounds.high - bounds.low, bounds.high * 0x1p-51);
}

TEST(SphereCoordinate, ReproducesTheReferenceTails) {
  // Computed beforehand with 40 digits.
  struct Row {
    std::int64_t d;
    double g;
    double tail;
  };
  const std::vector<Row> rows{{5, 0.9, 0.00725},
                              {10, 0.1, 0.384937499946068},
                              {10, 0.5, 0.0586534015071191},
                              {100, 0.15, 0.0671703587566883},
                              {1000, 0.05, 0.0569457045690390},
                              {100000, 0.01, 0.000782552375694030}};
  for (const auto& [d, g, tail] : rows) {
    SCOPED_TRACE(d);
    expect_holds(SphereCoordinate(d).tail(g), tail, 1e-14);
  }
}

TEST(SphereCoordinate, BracketsManyDigits) {
  // Computed with 150 digits by another program's incomplete beta function; places on both sides of
  // the boundary between the series, d g^2 = 64 and g^2 = 1/2.
  struct Row {
    std::int64_t d;
    double g;
    double tail;
  };
  const std::vector<Row> rows{
      {2, 0x1p-30, 0.49999999970355081727},         {2, 0.875, 0.16086124651033248754},
      {4, 0x1.6a8p-1, 0.090439708953655188026},     {7, 0.6875, 0.029765069484710693359},
      {100, 0.796875, 1.0742098482652618367e-23},   {100, 0.8046875, 1.8927547381651838968e-24},
      {127, 0.7109375, 2.697761075979020165e-21},   {1000, 0.25, 4.9710746300802035547e-16},
      {1000, 0.2578125, 5.8013248209709596199e-17}, {4097, 0.0625, 0.000031183641253747855665},
      {99999, 0.015625, 3.8801956865966361578e-7},  {999999, 0x1p-10, 0.16439314055699919959},
      {1000000, 0x1p-9, 0.025402369083291668545},   {1000000, 0x1p-7, 2.8007114065511383099e-15}};
  for (const auto& [d, g, tail] : rows) {
    SCOPED_TRACE(testing::Message() << d << " " << g);
    const Bracketed bounds = SphereCoordinate(d).tail(g);
    EXPECT_LT(bounds.low, tail);
    EXPECT_GT(bounds.high, tail);
    EXPECT_LE(bounds.high - bounds.low, tail * 0x1p-51);
  }
}

TEST(SphereCoordinate, HasTheClosedFormsOfTwoAndThreeDimensions) {
  const SphereCoordinate circle(2);
  const SphereCoordinate sphere(3);
  for (const double g : {0.0, 1e-9, 0.1, 0.5, 0.7, 0.75, 0.999, 1 - 0x1p-50}) {
    SCOPED_TRACE(g);
    // acos(g) = 2 atan(sqrt((1 - g)/(1 + g))), which cancels nothing.
    const double angle = 2 * std::atan(std::sqrt((1 - g) / (1 + g)));
    expect_holds(circle.tail(g), angle / std::numbers::pi, 4e-16);
    expect_holds(sphere.tail(g), (1 - g) / 2, 2e-16);
    EXPECT_NEAR(sphere.upper_mean(g), (1 - g) * (1 + g) / 4, 1e-16);
  }
  expect_holds(circle.density_constant(), 1 / std::numbers::pi, 2e-16);
  expect_holds(sphere.density_constant(), 0.5, 0);
}

TEST(SphereCoordinate, AgreesWithAnotherIncompleteBetaFunction) {
  // Boost's, to its own accuracy; both series are met on either side of their boundary.
  for (const std::int64_t d : {2, 3, 4, 7, 50, 127, 128, 129, 1000, 4097}) {
    const SphereCoordinate coordinate(d);
    for (double z = 0.01; z < 30; z *= 1.3) {
      const double g = z / std::sqrt(static_cast<double>(d));
      if (g >= 1) break;
      const double reference =
          0.5 * boost::math::ibetac(0.5, 0.5 * static_cast<double>(d - 1), g * g);
      if (reference < 1e-280) break;
      SCOPED_TRACE(testing::Message() << d << " " << g);
      expect_holds(coordinate.tail(g), reference, 2e-11);
    }
  }
}

TEST(SphereCoordinate, TailsFallAndTheMeanIsTheirIntegral) {
  // E[t; t >= g] - g P(t >= g) is the integral of the tail beyond g.
  for (const std::int64_t d : {2, 10, 1000}) {
    const SphereCoordinate coordinate(d);
    constexpr int steps = 400;
    double integral = 0;
    double last = 1;
    for (int i = 0; i < steps; ++i) {
      const auto tail = coordinate.tail((i + 0.5) / steps);
      EXPECT_LE(tail.high, last);
      last = tail.high;
      integral += 0.5 * (tail.low + tail.high) / steps;
    }
    EXPECT_NEAR(coordinate.upper_mean(0), integral, 2e-4 * (1 + coordinate.upper_mean(0))) << d;
  }
}

TEST(SphereCoordinate, RefusesOtherDimensionsAndPlaces) {
  EXPECT_THROW(SphereCoordinate(1), base::UsageError);
  EXPECT_THROW(SphereCoordinate(max_sphere_dimension + 1), base::UsageError);
  for (const double g : {-0.1, 1.0, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(SphereCoordinate(5).tail(g)), base::UsageError);
    EXPECT_THROW(static_cast<void>(SphereCoordinate(5).upper_mean(g)), base::UsageError);
  }
}

TEST(SphereCoordinateLong, HoldsUpToAMillionDimensions) {
  // sqrt(d) t nears a standard normal; Boost's function agrees to its accuracy there.
  for (const std::int64_t d : {1000000, 999999}) {
    const SphereCoordinate coordinate(d);
    for (const double z : {0.0, 0.5, 1.0, 2.0, 4.0}) {
      const double normal = 0.5 * std::erfc(z / std::numbers::sqrt2);
      const auto tail = coordinate.tail(z / 1000);
      EXPECT_NEAR(tail.low / normal, 1, 1e-4) << z;
      EXPECT_LE(tail.high - tail.low, tail.high * 0x1p-51);
      const double reference =
          0.5 * boost::math::ibetac(0.5, 0.5 * static_cast<double>(d - 1), z * z * 1e-6);
      EXPECT_NEAR(tail.low / reference, 1, 1e-9) << z;
    }
  }
  // A million terms of the second series, against 150 digits.
  const Bracketed far = SphereCoordinate(1000000).tail(0x1.2p-7);
  EXPECT_LT(far.low, 7.5297162429216162308e-19);
  EXPECT_GT(far.high, 7.5297162429216162308e-19);
  EXPECT_LE(far.high - far.low, far.high * 0x1p-51);
}

}  // namespace incomplete_beta_test
}  // namespace tacet::numeric
