#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/plain_sgd.h"

// The oracle of the other tests of descent, which is plain_sgd.h, has an oracle of its own.
namespace tacet::optimize {
namespace sgd_reference_test {

using namespace sgd_test;  // NOLINT(google-build-using-namespace): the tests' own helpers

// Reference values: an independent implementation in NumPy, no noise. Labels of regression losses
// are halved.
TEST(Sgd, ReferenceIteratesAreThoseOfAnIndependentImplementation) {
  const double labels[] = {-1, -1, 1, -1, -1};
  struct Row {
    model::Loss loss;
    double step;
    double l2;
    double radius;
    double mean[3];
    double last[3];
  };
  const Row rows[] = {
      {model::HingeLoss{},
       .5,
       0,
       3,
       {-0.735487167521, -0.106931478203, -2.24893058314},
       {-0.49422668733, 0.169661071551, -2.95414202474}},
      {model::SmoothedHingeLoss{0.25},
       .5,
       0,
       3,
       {-0.687640886877, -0.024267233082, -2.1748346273},
       {-0.596880609859, 0.372892831186, -2.91627921743}},
      {model::PowerHingeLoss{1.5},
       .3,
       0,
       .7,
       {-0.306845316244, -0.0252413629241, -0.526333022003},
       {-0.254482063288, 0.325349297149, -0.565143091888}},
      {model::LogisticLoss{},
       .9,
       .1,
       5,
       {-0.474032928855, 0.024818202437, -0.891748466729},
       {-0.489479380372, 0.40075685081, -1.04791555085}},
      {model::PowerRegressionLoss{1.5},
       .3,
       0,
       3,
       {-0.334303764671, -0.0330206974824, -0.749135861193},
       {-0.31253657088, 0.00948148611986, -0.823760044938}},
      {model::SmoothedAbsoluteLoss{0.15},
       .3,
       .05,
       3,
       {-0.209038432507, -0.0858656408255, -0.835949371462},
       {-0.113662764988, -0.0306665207916, -0.959426495006}},
  };
  for (const auto& row : rows) {
    const double scale = model::properties(row.loss).classification ? 1 : 0.5;
    std::vector<Point> points;
    for (int i = 1; i <= 5; ++i) {
      const double norm = std::sqrt(1.25);
      points.push_back(
          {{std::cos(i) / norm, std::sin(i) / norm, 0.5 / norm}, scale * labels[i - 1]});
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t t = 0; t < 60; ++t) order.push_back(t % 5);
    const auto all = iterates(points, order, 1,
                              {.loss = row.loss,
                               .steps = std::vector<double>(60, row.step),
                               .l2 = row.l2,
                               .radius = row.radius});
    const auto mean = mean_of(all, {.kind = Averaging::uniform, .steps = 60});
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(mean[j], row.mean[j], 1e-11) << model::loss_name(row.loss);
      EXPECT_NEAR(all.back()[j], row.last[j], 1e-11) << model::loss_name(row.loss);
    }
  }
}

}  // namespace sgd_reference_test
}  // namespace tacet::optimize
