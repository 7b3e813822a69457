#include "tacet/mechanism/local/cap_side.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tacet::mechanism {
namespace cap_side_test {

SphereCap cap_with(CapShape shape, std::int64_t coordinates, double threshold) {
  SphereCap cap{};
  cap.shape = shape;
  cap.coordinates = coordinates;
  cap.threshold = threshold;
  return cap;
}

bool inside(const SphereCap& cap, const std::vector<std::int64_t>& candidate,
            const std::vector<std::int64_t>& direction, CapArithmetic arithmetic) {
  return inside_cap(cap, candidate, make_direction(direction), arithmetic);
}

void expect_side(bool expected, const SphereCap& cap, const std::vector<std::int64_t>& candidate,
                 const std::vector<std::int64_t>& direction) {
  EXPECT_EQ(inside(cap, candidate, direction, CapArithmetic::exact_only), expected);
  EXPECT_EQ(inside(cap, candidate, direction, CapArithmetic::doubles_first), expected);
}

TEST(CapSide, DecidesTheBorderExactly) {
  // cos = 3/5 is no dyadic number; at 5/8 a 3-4-5 triangle is outside, at its neighbours too.
  const std::vector<std::int64_t> u{1 << 30, 0};
  const std::vector<std::int64_t> k{3, 4};
  expect_side(true, cap_with(CapShape::angle, 2, 0.59999999999999986677), k, u);
  expect_side(false, cap_with(CapShape::angle, 2, 0.60000000000000008882), k, u);
  // On the boundary itself: inside.
  expect_side(true, cap_with(CapShape::angle, 2, 0.5), {1, 0}, {1, 0});
  expect_side(true, cap_with(CapShape::angle, 4, 0.5), {5, 5, 5, 5}, {7, 0, 0, 0});
  expect_side(true, cap_with(CapShape::angle, 2, 0), {0, 1}, {1, 0});
  expect_side(false, cap_with(CapShape::angle, 2, 0), {-1, INT32_MAX}, {1, 0});
  expect_side(false, cap_with(CapShape::angle, 2, 0.5), {-1, 0}, {1, 0});
  // <K, U> = 12 |U| and one unit less, for a plane at 12.
  expect_side(true, cap_with(CapShape::plane, 2, 12), {12, 5}, {1 << 30, 0});
  expect_side(false, cap_with(CapShape::plane, 2, 12), {11, 5}, {1 << 30, 0});
  expect_side(true, cap_with(CapShape::plane, 2, 12), {20, 0}, {3, 4});
  expect_side(false, cap_with(CapShape::plane, 2, 12), {19, 0}, {3, 4});
}

TEST(CapSide, DoublesAgreeWithIntegersWhereverTheyDecide) {
  // Candidates nearly on the boundary: U turned by acos(gamma), in integers of 31 bits.
  std::mt19937_64 bits(3);
  const auto number = [&](std::int64_t most) {
    return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(2 * most + 1)) - most;
  };
  int inside_count = 0;
  constexpr int runs = 4000;
  for (int run = 0; run < runs; ++run) {
    const double gamma = 0.25 + 0.5 * static_cast<double>(bits() % 1024) / 1024;
    const std::vector<std::int64_t> u{number(1 << 30), number(1 << 30)};
    const double angle =
        std::atan2(static_cast<double>(u[1]), static_cast<double>(u[0])) + std::acos(gamma);
    const std::vector<std::int64_t> k{std::llround(0x1p30 * std::cos(angle)),
                                      std::llround(0x1p30 * std::sin(angle))};
    const auto cap = cap_with(CapShape::angle, 2, gamma);
    const bool exact = inside(cap, k, u, CapArithmetic::exact_only);
    EXPECT_EQ(inside(cap, k, u, CapArithmetic::doubles_first), exact);
    inside_count += exact ? 1 : 0;
  }
  // Rounding falls to either side alike.
  EXPECT_NEAR(inside_count, runs / 2, 200);
}

TEST(CapSide, SumsOfManyCoordinatesStayWithinTheirBound) {
  std::mt19937_64 bits(4);
  for (const std::size_t d : {1U, 3U, 5U, 101U, 10000U}) {
    std::vector<std::int64_t> u(d);
    std::vector<std::int64_t> k(d);
    for (std::size_t j = 0; j < d; ++j) {
      u[j] = static_cast<std::int64_t>(bits() >> 34) - (1 << 29);
      k[j] = static_cast<std::int64_t>(bits() >> 32) - (std::int64_t{1} << 31) + 1;
    }
    for (const double gamma : {0.0, 0.001, 0.01, 0.05}) {
      const auto angle = cap_with(CapShape::angle, static_cast<std::int64_t>(d), gamma);
      EXPECT_EQ(inside(angle, k, u, CapArithmetic::doubles_first),
                inside(angle, k, u, CapArithmetic::exact_only));
      const auto plane = cap_with(CapShape::plane, static_cast<std::int64_t>(d), gamma * 0x1p30);
      EXPECT_EQ(inside(plane, k, u, CapArithmetic::doubles_first),
                inside(plane, k, u, CapArithmetic::exact_only));
    }
  }
}

}  // namespace cap_side_test
}  // namespace tacet::mechanism
