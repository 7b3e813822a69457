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

// Four records of the plane, squared loss, penalty .1 of the mean: with alpha = y - z each record's
// own gap is 0, and what is left lies between the penalty and its conjugate within the ball.
TEST(DualAscent, GapsEqualTheReferenceValues) {
  const double rows[4][2] = {{.6, .8}, {1, 0}, {0, -1}, {-.8, .6}};
  const double labels[4] = {1, -1, 1, -1};
  const Point w{.1, -.2};
  struct Case {
    double radius;
    double dual;
    double gap;
  };
  for (const auto& c : {Case{10, .425, .04}, {.3, .458458980338, .0065410196625}}) {
    const dual_ascent::DualProblem problem{
        .loss = model::SquaredLoss{}, .sum_l2 = .4, .domain = Ball{c.radius}};
    double primal = .05 * (w[0] * w[0] + w[1] * w[1]);
    double dual = 0;
    Point pull(2, 0);
    for (int i = 0; i < 4; ++i) {
      const double z = w[0] * rows[i][0] + w[1] * rows[i][1];
      const double alpha = labels[i] - z;
      const dual_ascent::RecordDual record(problem, labels[i]);
      EXPECT_NEAR(record.gap(z, alpha), 0, 1e-15);
      EXPECT_GT(record.gap(z, alpha + .1), .004);
      primal += model::loss_value(problem.loss, z, labels[i]) / 4;
      dual += (alpha * labels[i] - alpha * alpha / 2) / 4;
      for (std::size_t j = 0; j < 2; ++j) pull[j] += alpha * rows[i][j] / 4;
    }
    const double length = dual_ascent::norm(pull);
    const double farthest = std::min(length / .1, c.radius);
    dual += .05 * farthest * farthest - length * farthest;
    EXPECT_NEAR(primal, .465, 1e-12);
    EXPECT_NEAR(dual, c.dual, 1e-11);
    EXPECT_NEAR(primal - dual, c.gap, 1e-11);
    // The minimiser, (1/6, -1/3) and (.134164..., -.268328...), lies within the certificate.
    const Point minimiser =
        c.radius > 1 ? Point{1.0 / 6, -1.0 / 3} : Point{.134164078649987, -.268328157299975};
    EXPECT_LE(distance(w, minimiser), dual_ascent::fenchel_certificate(primal - dual, 0, .1));
  }
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
