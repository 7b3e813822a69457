#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/optimize/solver/glm_loss.h"

namespace tacet::optimize {
namespace label_domain_test {

// Rows of one column, 1, and these labels: the minimiser of the sum of losses plus l2 w^2 / 2 over
// [-radius, radius], by halving.
template <typename Labelled>
double minimiser(const GlmLoss& loss, const std::vector<double>& labels, double l2, double radius,
                 const Labelled& label_of) {
  double low = -radius;
  double high = radius;
  loss.with_slopes([&](const auto& slope_of) {
    for (int i = 0; i < 200; ++i) {
      const double w = 0.5 * (low + high);
      double slope = l2 * w;
      for (const double label : labels) slope += slope_of(w, label_of(label)).slope;
      (slope > 0 ? high : low) = w;
    }
  });
  return 0.5 * (low + high);
}

// A replaced record moves the minimiser by at most 2 G / Lambda, G from the table of losses, if
// labels are mapped to [0, 1]. Clamped to [-1, 1] as numbers are, one record moves it 1.7 times as
// far: the noise would be for something else.
TEST(LabelDomain, SharesKeepTheSensitivityThatAClampToNumbersBreaks) {
  constexpr double radius = 0.2;
  constexpr double l2 = 2000;
  const GlmLoss loss{model::SoftLogisticLoss{}};
  const double claimed = 2 * model::slope_bound_within(model::SoftLogisticLoss{}, radius) / l2;
  std::vector<double> labels(200, 0.5);
  auto others = labels;
  labels[0] = 10;
  others[0] = -10;
  const auto distance = [&](const auto& label_of) {
    return std::fabs(minimiser(loss, labels, l2, radius, label_of) -
                     minimiser(loss, others, l2, radius, label_of));
  };
  EXPECT_LE(distance([&](double label) { return loss.sanitised(label); }), claimed);
  EXPECT_GT(distance([](double label) { return std::clamp(label, -1.0, 1.0); }), 1.7 * claimed);
}

TEST(LabelDomain, RawLabelsOfEveryLossKeepItsSlopeBound) {
  for (const model::Loss& raw :
       {model::Loss(model::SoftLogisticLoss{}), model::Loss(model::ExtendedPoissonLoss{1}),
        model::Loss(model::LogisticLoss{}), model::Loss(model::PseudoHuberLoss{0.5}),
        model::Loss(model::LogCoshLoss{})}) {
    const GlmLoss loss(raw);
    const double most = model::slope_bound_within(raw, 1) * (1 + 1e-12);
    loss.with_slopes([&](const auto& slope_of) {
      for (double label = -10; label <= 10; label += 0.37) {
        for (const double u : {-1.0, -0.2, 0.0, 0.7, 1.0}) {
          EXPECT_LE(std::fabs(slope_of(u, loss.sanitised(label)).slope), most)
              << model::loss_name(raw) << " " << label;
        }
      }
    });
  }
}

// The cut loss goes on along its tangent from where its slope is the clip, also where the least
// loss lies at infinity.
TEST(LabelDomain, CutLossesOfSharesAreTheIntegralOfTheirSlopes) {
  const GlmLoss loss(model::SoftLogisticLoss{}, 0, 0.2);
  const GlmLoss counts(model::ExtendedPoissonLoss{3}, 0, 0.5);
  for (const GlmLoss* cut : {&loss, &counts}) {
    cut->with_slopes([&](const auto& slope_of) {
      for (const double y : {0.0, 0.3, 1.0}) {
        for (double u = -3; u < 2.5; u += 0.25) {
          const double h = 1e-5;
          const double change = (cut->value(u + h, y) - cut->value(u - h, y)) / (2 * h);
          EXPECT_NEAR(change, slope_of(u, y).slope, 1e-6) << u << " " << y;
        }
      }
    });
  }
}

// One column, one record with the label of the largest count, weights up to 4, so that slopes reach
// e^4 and with on-ball constants a solver with extrapolated steps would leave the ball and diverge.
// On the extension the certificate holds for every point and the minimum is found.
TEST(LabelDomain, ThePoissonMinimumOnABallIsCertifiedThroughItsExtension) {
  constexpr double radius = 4;
  data::Dataset dataset({.columns = 1, .norm_bound = 1});
  const std::vector<double> labels{1, 0, 0, 0.2};
  for (const double label : labels) {
    dataset.append_dense(std::vector<std::int16_t>{2048}, label);
  }
  const GlmLoss loss{model::ExtendedPoissonLoss{radius}};
  base::ThreadPool pool(1);
  for (const double l2 : {1e-3, 1.0}) {
    const double exact =
        minimiser(loss, labels, l2, radius, [&](double label) { return loss.sanitised(label); });
    EXPECT_LT(std::fabs(exact), radius);
    const RegularizedProblem problem{
        .loss = loss, .sum_l2 = l2, .linear = {0}, .domain = Ball{radius}};
    const auto found = minimise_certified(dataset, problem, 1e-9, pool);
    EXPECT_NEAR(found.weights[0], exact, 1e-8);
  }
  EXPECT_TRUE(std::isinf(GlmLoss(model::PoissonLoss{}).curvature_bound()));
}

// Projected accelerated descent on [-4, 4] for e^w - 81.9 w + l2 w^2 / 2, one record of the count
// 81.9, with steps by the curvature on the ball and as many as its theorem asks for there. Points
// between steps leave the ball, where the loss is steeper by up to e^8.
template <typename Family>
double distance_after_accelerated_descent(const Family& loss) {
  constexpr double radius = 4;
  constexpr double l2 = 1e-3;
  constexpr int steps = 8228;
  const double smoothness = std::exp(radius) + l2;
  const double root = std::sqrt(smoothness / l2);
  const double momentum = (root - 1) / (root + 1);
  double x = 0;
  double y = 0;
  for (int step = 0; step < steps; ++step) {
    const double next =
        std::clamp(y - (loss.slope(y, 81.9) + l2 * y) / smoothness, -radius, radius);
    y = next + momentum * (next - x);
    x = next;
  }
  return std::fabs(x - radius);  // e^4 < 81.9: the minimum is at the wall
}

// The loss itself ends at the other wall; its extension, which is the same on the ball, at the
// minimum. So does the solver's accelerated route, without the others' help.
TEST(LabelDomain, AcceleratedDescentDivergesOnCountsAndNotOnTheirExtension) {
  EXPECT_EQ(distance_after_accelerated_descent(model::PoissonLoss{}), 8);
  EXPECT_LT(distance_after_accelerated_descent(model::ExtendedPoissonLoss{4}), 1e-9);

  constexpr double radius = 4;
  data::Dataset dataset({.columns = 1, .norm_bound = 1});
  const std::vector<double> labels{0.02, 0.05, 0.01};
  for (const double label : labels) {
    dataset.append_dense(std::vector<std::int16_t>{2048}, label);
  }
  const GlmLoss loss{model::ExtendedPoissonLoss{radius}};
  const double exact =
      minimiser(loss, labels, 1e-3, radius, [&](double label) { return loss.sanitised(label); });
  base::ThreadPool pool(1);
  const RegularizedProblem problem{.loss = loss,
                                   .sum_l2 = 1e-3,
                                   .linear = {0},
                                   .domain = Ball{radius},
                                   .limits = {.fast_passes = 1, .accelerated = true}};
  const auto found = minimise_certified(dataset, problem, 1e-7, pool);
  EXPECT_EQ(found.route, SolverRoute::accelerated);
  EXPECT_NEAR(found.weights[0], exact, 1e-7);
}

}  // namespace label_domain_test
}  // namespace tacet::optimize
