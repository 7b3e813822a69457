#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tests/support/dual_ascent.h"

namespace tacet::optimize {
namespace dual_ascent_test {

using data::Dataset;
using dual_ascent::minimise_by_dual_ascent;
using Point = std::vector<double>;

double distance(const Point& a, const Point& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

// Rows sin(1 + i j) scaled to norm at most 1 and rounded to 1/2048, as in the reference table.
Dataset sines(bool classes) {
  Dataset dataset({.columns = 3, .norm_bound = 1});
  for (int i = 1; i <= 12; ++i) {
    double square = 0;
    for (int j = 1; j <= 3; ++j) square += std::pow(std::sin(1 + i * j), 2);
    std::vector<std::int16_t> row;
    for (int j = 1; j <= 3; ++j) {
      row.push_back(
          static_cast<std::int16_t>(2048 * std::sin(1 + i * j) / std::max(1.0, std::sqrt(square))));
    }
    dataset.append_dense(row, classes ? (std::cos(2 * i) >= 0 ? 1 : -1) : .8 * std::cos(.7 * i));
  }
  return dataset;
}

TEST(DualAscent, ItsCertificateBoundsTheDistanceFromTheMinimiser) {
  base::ThreadPool pool(1);
  struct Case {
    model::Loss loss;
    double width;
  };
  for (const auto& c : {Case{model::LogisticLoss{}, 0},
                        {model::SquaredLoss{}, 0},
                        {model::SmoothedHingeLoss{.05}, 0},
                        {model::HuberLoss{.3}, 0},
                        {model::HingeLoss{}, .05},
                        {model::AbsoluteLoss{}, .05},
                        {model::PinballLoss{.9}, .05}}) {
    const auto dataset = sines(model::properties(c.loss).classification);
    for (const Domain& domain : {Domain{WholeSpace{}}, Domain{Ball{.3}}}) {
      const auto truth = minimise_certified(dataset,
                                            {.loss = GlmLoss(c.loss, c.width),
                                             .sum_l2 = 1.2,
                                             .centre = {.1, -.2, .05},
                                             .domain = domain},
                                            1e-11, pool);
      for (const std::int64_t epochs : {0, 1, 3, 30, 3000}) {
        const auto found = minimise_by_dual_ascent(dataset,
                                                   {.loss = c.loss,
                                                    .smoothing_width = c.width,
                                                    .sum_l2 = 1.2,
                                                    .centre = {.1, -.2, .05},
                                                    .domain = domain},
                                                   1e-9, epochs);
        EXPECT_LE(distance(found.weights, truth.weights), found.distance_bound + 1e-11);
        if (epochs == 3000) {
          EXPECT_LT(found.distance_bound, 3e-5) << model::loss_name(c.loss);
        }
      }
    }
  }
}

TEST(DualAscent, RefusesOtherDomains) {
  EXPECT_THROW((void)minimise_by_dual_ascent(
                   sines(true), {.loss = model::HingeLoss{}, .domain = Simplex{1}}, 1e-3, 10),
               base::UsageError);
}

}  // namespace dual_ascent_test
}  // namespace tacet::optimize
