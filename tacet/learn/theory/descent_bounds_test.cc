#include "tacet/learn/theory/descent_bounds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/learn/plan/noise_size.h"

namespace tacet::learn {
namespace descent_bounds_test {

using enum privacy::Adjacency;

// n = 10,000, d = 500, B = 2, X = Y = 1, squared loss (slope B X + Y = 3), (1, 1e-6), replace_one:
// numbers of a program written apart from this one.
constexpr DescentProblem reference{.rows = 10000, .columns = 500, .radius = 2, .slope = 3};

double reference_mu() {
  return accounting::gaussian::mu_for(privacy::Epsilon(1), privacy::Delta(1e-6));
}

TEST(DescentBounds, ReferenceCoursesOfASmoothLoss) {
  const double mu = reference_mu();
  EXPECT_EQ(smooth_ball_steps(reference, mu, replace_one), 25);
  const auto few = smooth_ball_course(reference, mu, replace_one, 25);
  EXPECT_NEAR(few.noise, .012674036668, 1e-11);
  EXPECT_EQ(few.step_size, .5);
  EXPECT_NEAR(few.bound, .200157801365, 1e-10);
  const auto more = smooth_ball_course(reference, mu, replace_one, 100);
  EXPECT_NEAR(more.noise, .025348073336, 1e-11);
  EXPECT_NEAR(more.step_size, .249508325012, 1e-10);
  EXPECT_NEAR(more.bound, .160315292077, 1e-10);
  // It is the noise that so many releases are calibrated to.
  EXPECT_NEAR(full_batch_noise(100, privacy::Epsilon(1), privacy::Delta(1e-6), replace_one) *
                  reference.slope / reference.rows / more.noise,
              1, 1e-8);
}

TEST(DescentBounds, ReferenceStepsOfALossWithKinks) {
  auto problem = reference;
  problem.slope = 1;
  EXPECT_EQ(kinked_ball_steps(problem, reference_mu(), replace_one), 2802);
  // There the noise of a step is as long as a gradient: B sqrt(2 G^2 / T).
  const auto course = kinked_ball_course(problem, reference_mu(), replace_one, 2802);
  EXPECT_NEAR(course.bound, 2 * std::sqrt(2.0 / 2802), 1e-5);
}

// Of the regularized minimiser of the same problem at its best lambda.
TEST(DescentBounds, ReferenceLengthsOfSolvers) {
  constexpr double lambda = .0147554787411;
  const double distance = 2 * mean_gradient_distance(reference, add_remove) / lambda;
  EXPECT_NEAR(distance, .0406628622851, 1e-11);
  const double tolerance = std::max(1e-6 * distance, 0x1p-36 * reference.slope / lambda);
  EXPECT_NEAR(tolerance, 4.06628622851e-08, 1e-17);
  const double contraction = descent_contraction(1, lambda);
  EXPECT_NEAR(contraction, .985459079502, 1e-11);
  EXPECT_EQ(projected_descent_steps(2, tolerance, contraction), 1210);
  EXPECT_EQ(accelerated_descent_steps(.5, lambda, tolerance, 1), 298);
}

/// 200 points of the plane on the unit circle, labels within 1, and descent on their mean of half
/// squares.
struct Plane {
  std::vector<std::array<double, 2>> rows;
  std::vector<double> labels;

  explicit Plane(std::mt19937_64& bits) {
    std::uniform_real_distribution<double> angle(0, 6.28);
    for (int i = 0; i < 200; ++i) {
      const double at = angle(bits);
      rows.push_back({std::cos(at), std::sin(at)});
      labels.push_back(std::clamp(1.2 * rows.back()[0] - .4 * rows.back()[1], -1.0, 1.0));
    }
  }
  [[nodiscard]] double residual(const std::array<double, 2>& w, std::size_t i) const {
    return w[0] * rows[i][0] + w[1] * rows[i][1] - labels[i];
  }
  [[nodiscard]] double loss(const std::array<double, 2>& w) const {
    double sum = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) sum += residual(w, i) * residual(w, i) / 2;
    return sum / static_cast<double>(rows.size());
  }
  /// The mean iterate; no noise where the course has none.
  [[nodiscard]] std::array<double, 2> descend(const BallCourse& course, double radius,
                                              std::mt19937_64& bits) const {
    std::normal_distribution<double> normal;
    std::array<double, 2> w{0, 0};
    std::array<double, 2> mean{0, 0};
    for (std::int64_t t = 0; t < course.steps; ++t) {
      std::array<double, 2> gradient{course.noise * normal(bits), course.noise * normal(bits)};
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < 2; ++j) {
          gradient[j] += residual(w, i) * rows[i][j] / static_cast<double>(rows.size());
        }
      }
      for (std::size_t j = 0; j < 2; ++j) w[j] -= course.step_size * gradient[j];
      const double norm = std::hypot(w[0], w[1]);
      for (auto& value : w) value *= std::min(1.0, radius / norm);
      for (std::size_t j = 0; j < 2; ++j) mean[j] += w[j] / static_cast<double>(course.steps);
    }
    return mean;
  }
};

// Where the bound is to be kept in expectation: the mean of 200 runs is off by far less than what
// is between them. The bound is not idle either: the worst of the courses uses a tenth of it.
TEST(DescentBounds, NoisyDescentOnABallStaysBelowThem) {
  std::mt19937_64 bits(7);
  const Plane plane(bits);
  const DescentProblem problem{.rows = 200, .columns = 2, .radius = 1.5, .slope = 2.5};
  const double best = plane.loss(plane.descend({4000, 0, .5, 0}, problem.radius, bits));
  double largest_share = 0;
  for (const double mu : {.05, .3, 2.0}) {
    for (const std::int64_t steps : {5, 40, 150}) {
      for (const auto& course : {smooth_ball_course(problem, mu, add_remove, steps),
                                 kinked_ball_course(problem, mu, add_remove, steps)}) {
        double mean = 0;
        for (int run = 0; run < 200; ++run) {
          mean += (plane.loss(plane.descend(course, problem.radius, bits)) - best) / 200;
        }
        EXPECT_LE(mean, course.bound) << "mu " << mu << ", steps " << steps;
        largest_share = std::max(largest_share, mean / course.bound);
      }
    }
  }
  EXPECT_GT(largest_share, .1);
}

TEST(DescentBounds, SolversAreWithinTheToleranceAfterTheirLengths) {
  // |w - 1|^2 / 2 in 1-d with beta = 1 and lambda: the slowest contraction there is.
  for (const double lambda : {.01, .3, 2.0}) {
    const double minimum = 1 / (1 + lambda);
    const double contraction = descent_contraction(1, lambda);
    // A direction of curvature 0: the gradient of (lambda / 2) (w - minimum)^2 alone.
    double w = 0;
    const auto steps = projected_descent_steps(1, 1e-6, contraction);
    for (std::int64_t t = 0; t < steps; ++t) w -= lambda * (w - minimum) / (1 + lambda);
    EXPECT_LE(std::fabs(w - minimum), 1e-6);
    EXPECT_GT(std::fabs(w - minimum), 1e-8);
    EXPECT_LE(accelerated_descent_steps(.5, lambda, 1e-6, 1), 2 * steps);
  }
}

TEST(DescentBounds, RefuseWhatIsNoProblem) {
  EXPECT_THROW(static_cast<void>(smooth_ball_steps({.rows = 0}, 1, add_remove)), base::UsageError);
  EXPECT_THROW(static_cast<void>(kinked_ball_steps({.radius = 0}, 1, add_remove)),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(smooth_ball_course({}, 0, add_remove, 1)), base::UsageError);
  EXPECT_THROW(static_cast<void>(kinked_ball_course({}, 1, add_remove, 0)), base::UsageError);
}

}  // namespace descent_bounds_test
}  // namespace tacet::learn
