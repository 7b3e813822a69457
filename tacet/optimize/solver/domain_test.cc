#include "tacet/optimize/solver/domain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace domain_test {

using Point = std::vector<double>;

Point projected(const Domain& domain, Point point) {
  project(domain, point);
  return point;
}

void expect_near(const Point& a, const Point& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], tolerance) << j;
}

// Reference values of an independent program.
TEST(Domain, LensAgreesWithTheReferenceTable) {
  const Domain lens = Lens{Ball{1, {0, 0}}, Ball{1, {1, 0}}};
  expect_near(projected(lens, {3, 4}), {.6, .8}, 1e-12);
  expect_near(projected(lens, {.5, 5}), {.5, .866025403784}, 1e-12);
  expect_near(projected(lens, {-3, .2}), {.001247661122, .049937616944}, 1e-12);
  EXPECT_EQ(projected(lens, {.4, .1}), (Point{.4, .1}));
  expect_near(projected(Lens{Ball{1}, Ball{.7, {.6, 0, 0, .3}}}, {1, 2, 3, -1}),
              {.672659901455, .363299507275, .544949260913, .063855320271}, 1e-12);
}

// The nearest point p of a convex set is the one with <x - p, q - p> <= 0 for every q in the set.
TEST(Domain, ProjectionsMeetTheVariationalInequality) {
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Domain> domains{
      WholeSpace{},
      Ball{.7, {.1, -.2, .3}},
      Lens{Ball{1, {.2, 0, 0}}, Ball{.9, {0, .5, .1}}},
      Lens{Ball{1}, Ball{1}},
      Lens{Ball{1}, Ball{.2, {.3, 0, 0}}},
      Box{{-1, 0, -infinity}, {1, 0, .5}},
      Simplex{2},
  };
  for (std::size_t k = 0; k < domains.size(); ++k) {
    for (int trial = 0; trial < 500; ++trial) {
      Point x(3);
      Point other(3);
      for (auto& v : x) v = 2 * normal(bits);
      for (auto& v : other) v = normal(bits);
      const Point p = projected(domains[k], x);
      const Point q = projected(domains[k], other);
      double product = 0;
      for (std::size_t j = 0; j < 3; ++j) product += (x[j] - p[j]) * (q[j] - p[j]);
      EXPECT_LE(product, 1e-12) << "domain " << k;
      expect_near(projected(domains[k], p), p, 1e-14);
    }
  }
}

// Nearest point of the intersection of several domains by Dykstra's alternating projections
// (Boyle, Dykstra 1986).
void project_onto_intersection(std::span<const Domain> domains, std::span<double> point) {
  const std::size_t columns = point.size();
  std::vector<std::vector<double>> corrections(domains.size(), std::vector<double>(columns, 0.0));
  std::vector<double> moved(columns);
  for (int cycle = 0; cycle < 10000; ++cycle) {
    double change = 0;
    for (std::size_t k = 0; k < domains.size(); ++k) {
      auto& correction = corrections[k];
      for (std::size_t j = 0; j < columns; ++j) moved[j] = point[j] + correction[j];
      std::vector<double> projected = moved;
      project(domains[k], projected);
      for (std::size_t j = 0; j < columns; ++j) {
        const double next = moved[j] - projected[j];
        change = std::max(change, std::fabs(next - correction[j]));
        correction[j] = next;
        point[j] = projected[j];
      }
    }
    double square = 0;
    for (const double x : point) square += x * x;
    if (change <= 1e-14 * (1 + std::sqrt(square))) return;
  }
}

TEST(Domain, DykstraFindsTheNearestPointOfALens) {
  std::mt19937_64 bits(6);
  std::normal_distribution<double> normal;
  const Ball first{1, {.2, 0, 0}};
  const Ball second{.9, {0, .5, .1}};
  const std::vector<Domain> both{first, second};
  for (int trial = 0; trial < 50; ++trial) {
    Point x(3);
    for (auto& v : x) v = 2 * normal(bits);
    Point alternating = x;
    project_onto_intersection(both, alternating);
    expect_near(alternating, projected(Lens{first, second}, x), 1e-7);
  }
}

TEST(Domain, RefusesWhatMakesNoSense) {
  EXPECT_THROW((void)checked(Ball{0}, 2), base::UsageError);
  EXPECT_THROW((void)checked(Ball{1, {0}}, 2), base::UsageError);
  EXPECT_THROW((void)checked(Lens{Ball{1}, Ball{1, {3, 0}}}, 2), base::UsageError);
  EXPECT_THROW((void)checked(Box{{1, 0}, {0, 1}}, 2), base::UsageError);
  EXPECT_THROW((void)checked(Simplex{-1}, 2), base::UsageError);
  EXPECT_EQ(reach(checked(Lens{Ball{3, {0, 4}}, Ball{2, {0, 4}}}, 2)), 6);
  EXPECT_EQ(reach(WholeSpace{}), std::numeric_limits<double>::infinity());
}

}  // namespace domain_test
}  // namespace tacet::optimize
