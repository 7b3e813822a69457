#include "tacet/learn/inference/joint_law.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

namespace tacet::learn {
namespace joint_law_test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

MatrixXd matrix(std::initializer_list<double> values) {
  MatrixXd made(3, 3);
  auto at = values.begin();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) made(i, j) = *at++;
  }
  return made;
}

LastRelease release() {
  LastRelease last;
  last.whitening = matrix({1, .3, 0, 0, 2, .1, .2, 0, .7});
  last.theta = Vector3d(.5, -.2, 1);
  last.parts.score = Vector3d(30, -12, 4);
  last.parts.curvature = matrix({900, 100, 0, 100, 700, 50, 0, 50, 1100});
  last.parts.moment = matrix({1300, 90, 20, 90, 800, 0, 20, 0, 1000});
  last.noise = {.score = 1e-9, .curvature = 1e-9, .moment = 1e-9, .squares = 0};
  return last;
}

// Without noise: one Newton step, and the sandwich (Huber 1967, White 1980).
TEST(JointLaw, WithoutNoiseIsNewtonsStepAndTheSandwich) {
  const auto last = release();
  const auto estimate = joint_law(last);
  const MatrixXd inverse = last.parts.curvature.inverse();
  const VectorXd expected = last.whitening.transpose() * (last.theta + inverse * last.parts.score);
  EXPECT_LT((estimate.coefficients - expected).norm(), 1e-9);
  const MatrixXd sandwich =
      last.whitening.transpose() * inverse * last.parts.moment * inverse * last.whitening;
  EXPECT_LT((estimate.sampling - sandwich).norm(), 1e-6 * sandwich.norm());
  EXPECT_LT(estimate.noise.norm(), 1e-12);
  EXPECT_TRUE(estimate.identifies(Vector3d(1, 0, 0)));
  EXPECT_GE(estimate.degrees_of_freedom(Vector3d(1, 0, 0)), 1e5);
}

// The step from a curvature and a score with noise varies as stated, to first order.
TEST(JointLaw, NoiseOfScoreAndCurvatureIsPropagated) {
  auto last = release();
  last.noise = {.score = 3, .curvature = 12, .moment = 1e-9, .squares = 0};
  const auto stated = joint_law(last);
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  constexpr int draws = 20000;
  MatrixXd covariance = MatrixXd::Zero(3, 3);
  for (int t = 0; t < draws; ++t) {
    auto noisy = last;
    for (int i = 0; i < 3; ++i) {
      noisy.parts.score[i] += 3 * normal(bits);
      noisy.parts.curvature(i, i) += 12 * normal(bits);
      for (int j = 0; j < i; ++j) {
        noisy.parts.curvature(i, j) += 12 / std::sqrt(2) * normal(bits);
        noisy.parts.curvature(j, i) = noisy.parts.curvature(i, j);
      }
    }
    const VectorXd error = joint_law(noisy).coefficients - stated.coefficients;
    covariance += error * error.transpose() / draws;
  }
  // Variances of 20,000 draws are within 6 standard errors of 1 %, and the second order within 2 %.
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(covariance(i, i) / stated.noise(i, i), 1, .08);
    EXPECT_NEAR(covariance(i, (i + 1) % 3) /
                    std::sqrt(stated.noise(i, i) * stated.noise((i + 1) % 3, (i + 1) % 3)),
                stated.noise(i, (i + 1) % 3) /
                    std::sqrt(stated.noise(i, i) * stated.noise((i + 1) % 3, (i + 1) % 3)),
                .06);
  }
}

// What noise hides is not called identified, and does not get a number; what lies beside it does.
TEST(JointLaw, DirectionsThatNoiseHidesAreNotIdentified) {
  auto last = release();
  last.whitening = MatrixXd::Identity(3, 3);
  last.parts.curvature = matrix({900, 0, 0, 0, 20, 0, 0, 0, 1100});
  last.noise.curvature = 10;  // its edge is 24.5
  const auto estimate = joint_law(last);
  EXPECT_TRUE(estimate.identifies(Vector3d(1, 0, 0)));
  EXPECT_FALSE(estimate.identifies(Vector3d(0, 1, 0)));
  EXPECT_TRUE(estimate.identifies(Vector3d(0, 0, 1)));
  EXPECT_FALSE(estimate.identifies(Vector3d(1, 1, 0)));
  EXPECT_TRUE(estimate.identifies(Vector3d(1, .1, 0)));
  // Where most directions are hidden, none is trusted.
  last.parts.curvature(0, 0) = 30;
  EXPECT_FALSE(joint_law(last).identifies(Vector3d(0, 0, 1)));
}

// No step is taken in a hidden direction, and a combination that has a little of it says so.
TEST(JointLaw, WhatIsLeftInHiddenDirectionsIsPartOfTheError) {
  auto last = release();
  last.whitening = MatrixXd::Identity(3, 3);
  last.parts.curvature = matrix({900, 0, 0, 0, 40, 0, 0, 0, 1100});
  last.parts.score = Vector3d(0, 60, 0);
  last.noise.curvature = 10;  // its edge is 24.5
  const auto estimate = joint_law(last);
  ASSERT_TRUE(estimate.identifies(Vector3d(1, .1, 0)));
  // 60 / 40 is the step that was not taken.
  const double left = .01 * 1.5 * 1.5;
  EXPECT_NEAR(estimate.noise_variance(Vector3d(1, .1, 0)),
              left + estimate.noise_variance(Vector3d(1, 0, 0)), .05 * left);
}

// A moment that is all noise: the model's own, and a t law with few degrees of freedom.
TEST(JointLaw, AMomentThatNoiseHidesIsTheModels) {
  auto last = release();
  last.model_variance = 2;
  last.noise.moment = 1e6;
  const auto estimate = joint_law(last);
  const MatrixXd model =
      2 * last.whitening.transpose() * last.parts.curvature.inverse() * last.whitening;
  EXPECT_LT((estimate.sampling - model).norm(), 1e-2 * model.norm());
  EXPECT_NEAR(estimate.degrees_of_freedom(Vector3d(1, 0, 0)), 8, .2);
}

}  // namespace joint_law_test
}  // namespace tacet::learn
