#include "tacet/optimize/solver/certified_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/optimize/solver/certificate.h"
#include "tacet/optimize/solver/regularized_objective.h"
#include "tests/support/dual_ascent.h"

namespace tacet::optimize {
namespace certified_solver_test {

using data::Dataset;
using data::Storage;
using Point = std::vector<double>;

double distance(const Point& a, const Point& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

Dataset random_dataset(std::int64_t rows, std::size_t columns, bool classes, Storage storage,
                       std::uint64_t seed = 9, std::size_t rank = 1000) {
  std::mt19937_64 bits(seed);
  Dataset dataset(
      {.columns = static_cast<std::int64_t>(columns), .norm_bound = 1, .storage = storage});
  std::vector<std::int16_t> row(columns);
  const auto reach = static_cast<int>(2048 / std::sqrt(static_cast<double>(columns)));
  for (std::int64_t i = 0; i < rows; ++i) {
    double signal = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      // Beyond the rank columns repeat.
      row[j] =
          j >= rank
              ? row[j % rank]
              : static_cast<std::int16_t>(static_cast<int>(bits() % 2001) * reach / 1000 - reach);
      signal += std::cos(static_cast<double>(j)) * row[j] / 400.0;
    }
    const double noise = static_cast<double>(bits() % 2001) / 1000 - 1;
    dataset.append_dense(row, classes ? (signal + 2 * noise > 0 ? 1.0 : -1.0)
                                      : std::clamp(0.2 * signal + 0.3 * noise, -1.0, 1.0));
  }
  return dataset;
}

RowRange all(const Dataset& dataset) { return {0, dataset.rows()}; }

// A reference in 113-bit arithmetic, far closer than any tolerance below.
Point reference(const Dataset& dataset, const RegularizedProblem& problem) {
  base::ThreadPool pool(1);
  const auto near = minimise_certified(dataset, problem, 1e-8, pool);
  const double kappa = 1 + static_cast<double>(dataset.rows()) * problem.loss.curvature_bound() *
                               dataset.norm_bound() * dataset.norm_bound() / problem.sum_l2;
  return internal::descend_in_quadruple_precision(
      dataset, problem, near.weights, static_cast<std::int64_t>(40 * std::sqrt(kappa)) + 40, {});
}

// The four records of the specification, scaled so that they lie on the grid: x = c x0 with c =
// 2000/2048 means w = w0 / c and lambda = lambda0 c^2.
constexpr double tiny_scale = 2000.0 / 2048;
Dataset tiny_dataset() {
  Dataset dataset({.columns = 2, .norm_bound = 1, .storage = Storage::dense});
  const std::vector<std::pair<std::vector<std::int16_t>, double>> rows{
      {{1200, 1600}, 1}, {{2000, 0}, -1}, {{0, -2000}, 1}, {{-1600, 1200}, -1}};
  for (const auto& [row, label] : rows) dataset.append_dense(row, label);
  return dataset;
}
RegularizedProblem tiny_problem(const model::Loss& loss) {
  return {.loss = GlmLoss(loss), .sum_l2 = 4 * 0.1 * tiny_scale * tiny_scale};
}

TEST(CertifiedSolver, AgreesWithTheReferenceMinimisers) {
  const auto dataset = tiny_dataset();
  base::ThreadPool pool(1);
  const auto solve = [&](const model::Loss& loss, const Domain& domain) {
    auto problem = tiny_problem(loss);
    problem.domain = domain;
    auto found = minimise_certified(dataset, problem, 1e-11, pool);
    EXPECT_LE(found.distance_bound, 1e-11);
    for (auto& w : found.weights) w *= tiny_scale;
    return found.weights;
  };
  EXPECT_LT(distance(solve(model::SquaredLoss{}, WholeSpace{}), {1.0 / 6, -1.0 / 3}), 1e-10);
  EXPECT_LT(
      distance(solve(model::LogisticLoss{}, WholeSpace{}), {.223957133331298, -.447914266662596}),
      1e-10);
  const Ball ball{.3 / tiny_scale};
  for (const model::Loss& loss :
       {model::Loss{model::SquaredLoss{}}, model::Loss{model::LogisticLoss{}}}) {
    EXPECT_LT(distance(solve(loss, ball), {.134164078649987, -.268328157299975}), 1e-10);
  }
}

TEST(Certificates, AgreeWithTheReferenceValues) {
  EXPECT_NEAR(gradient_certificate(Point{.02, .14}, 0, .1), 1.41421356237, 1e-8);
  EXPECT_NEAR(gradient_certificate(Point{-.00508585361844274, .0775380512401759}, 0, .1),
              .777046671517, 1e-8);
  // Squared loss of the four records in the ball of radius .3; gradient of the mean loss plus l2.
  const auto gradient = [](const Point& w) {
    return Point{(1.0 / 2 + .1) * w[0] - .1, (1.0 / 2 + .1) * w[1] + .2};
  };
  const Point a{.13, -.27};
  EXPECT_NEAR(ball_certificate(a, gradient(a), 0, {.3, .1, .6}), .0372866147988, 1e-9);
  const Point b{.1, -.2};
  EXPECT_NEAR(ball_certificate(b, gradient(b), 0, {.3, .1, .6}), .261396551813, 1e-9);
  // On the sphere and one rounding off it on either side the bound must not jump by the root of
  // that rounding (3e-7).
  const Point edge{.134164078649987, -.268328157299975};
  for (const double factor : {1.0, 1 - 0x1p-52, 1 + 0x1p-52, 1 - 0x1p-50}) {
    const Point w{edge[0] * factor, edge[1] * factor};
    EXPECT_LT(ball_certificate(w, gradient(w), 0, {.3, .1, .6}), 1e-12) << factor;
  }
}

// Interior, boundary and off-sphere points, full and deficient rank: every certificate bounds the
// true distance.
TEST(Certificates, BoundTheTrueDistanceOfAnyPoint) {
  std::mt19937_64 bits(3);
  std::normal_distribution<double> normal;
  base::ThreadPool pool(1);
  for (const std::size_t rank : {std::size_t{6}, std::size_t{2}}) {
    const auto dataset = random_dataset(60, 6, true, Storage::dense, 4, rank);
    for (const Domain& domain : {Domain{WholeSpace{}}, Domain{Ball{.4}}, Domain{Ball{50}},
                                 Domain{Lens{Ball{.5}, Ball{.5, Point(6, .2)}}}}) {
      const RegularizedProblem problem{.loss = GlmLoss(model::LogisticLoss{}),
                                       .sum_l2 = .5,
                                       .linear = Point(6, .3),
                                       .domain = domain};
      const auto truth = reference(dataset, problem);
      const internal::RegularizedObjective objective(dataset, problem, pool);
      for (int trial = 0; trial < 60; ++trial) {
        const double size = std::pow(10.0, -trial % 17);
        Point w = truth;
        for (auto& v : w) v += size * normal(bits);
        if (trial % 2 == 0) project(domain, w);
        const auto found = objective.certify(w);
        EXPECT_GE(found.distance_bound, distance(found.weights, truth)) << domain.index();
        if (const auto* ball = std::get_if<Ball>(&domain)) {
          const auto here = objective.gradient(w, Precision::fine);
          EXPECT_GE(
              ball_certificate(w, here.sum, here.error,
                               {ball->radius, problem.sum_l2, objective.smoothness()}),
              distance(w, truth) -
                  (internal::norm(w) > ball->radius ? 2 * (internal::norm(w) - ball->radius) : 0));
        }
      }
    }
  }
}

// A gap of 1e-17 between numbers near 1 is mostly rounding: without the guard a point at distance
// 4.5e-8 would pass for the minimiser.
TEST(Certificates, TheDualOneCountsTheRoundingOfItsGap) {
  const double guard = 0x1p-44;
  EXPECT_GT(dual_ascent::fenchel_certificate(-1e-17, guard, .1), 7e-7);
  EXPECT_EQ(dual_ascent::fenchel_certificate(-1e-17, 0, .1), 0);
  EXPECT_NEAR(dual_ascent::fenchel_certificate(.0065410196625, 0, .1), std::sqrt(.065410196625),
              1e-9);
}

// A step so short that it rounds to none leaves a computed residual of 0 anywhere: the rounding of
// the projection counts M times, or a point at distance 3 would pass for the minimiser.
TEST(Certificates, AResidualOfNextToNoStepCountsItsRounding) {
  const Point here{3, 0};
  const Point gradient{0.3, 0};  // of 0.05 |w|^2, whose minimiser is 0
  for (const Domain& domain : {Domain{WholeSpace{}}, Domain{Ball{5}}}) {
    for (const double step : {1e17, 1e20}) {
      EXPECT_GE(residual_certificate(domain,
                                     {.from = here,
                                      .from_gradient = gradient,
                                      .to = here,
                                      .to_gradient = gradient,
                                      .step = step},
                                     0.1),
                3);
    }
  }
}

TEST(GlmSums, FineGradientsAreWithinTheirBoundOfTheTruth) {
  base::ThreadPool pool(1);
  for (const auto storage : {Storage::dense, Storage::sparse}) {
    const auto dataset = random_dataset(500, 7, true, storage);
    Point w{1.1, -3, .2, 7, 1e-9, 0, -.4};
    std::vector<long double> sum(7, 0);
    for (std::int64_t i = 0; i < dataset.rows(); ++i) {
      Point row(7, 0);
      if (dataset.sparse()) {
        const auto entries = dataset.sparse_row(i);
        for (std::size_t k = 0; k < entries.columns.size(); ++k) {
          row[entries.columns[k]] = entries.values[k] / 2048.0;
        }
      } else {
        for (std::size_t j = 0; j < 7; ++j) row[j] = dataset.dense_row(i)[j] / 2048.0;
      }
      long double z = 0;
      for (std::size_t j = 0; j < 7; ++j) z += static_cast<long double>(w[j]) * row[j];
      const long double y = dataset.label(i);
      const long double slope = -y / (1 + std::exp(y * z));
      for (std::size_t j = 0; j < 7; ++j) sum[j] += slope * row[j];
    }
    for (const auto precision : {Precision::fine, Precision::coarse}) {
      const GlmSums sums(dataset, GlmLoss(model::LogisticLoss{}), all(dataset), pool);
      const auto found = sums.gradient(w, precision);
      long double square = 0;
      for (std::size_t j = 0; j < 7; ++j) square += std::pow(found.sum[j] - sum[j], 2);
      EXPECT_LE(static_cast<double>(std::sqrt(square)), found.error);
      EXPECT_LT(found.error, precision == Precision::fine ? 1e-11 : 1e-4);
    }
  }
}

// What the Poisson, soft-label and label clamp corrections are about: a label outside of the loss's
// own domain must not enlarge a slope.
TEST(GlmLoss, SlopesStayWithinTheirBoundOnAnyLabel) {
  std::mt19937_64 bits(8);
  for (const auto& loss :
       {GlmLoss(model::LogisticLoss{}), GlmLoss(model::SquaredLoss{}, 0, 1.5),
        GlmLoss(model::HuberLoss{.3}), GlmLoss(model::SmoothedHingeLoss{.2}),
        GlmLoss(model::HingeLoss{}, .1), GlmLoss(model::AbsoluteLoss{}, .1),
        GlmLoss(model::PinballLoss{.8}, .1, .4), GlmLoss(model::EpsilonInsensitiveLoss{.2}, .1),
        GlmLoss(model::SquaredEpsilonInsensitiveLoss{.2}, 0, 3),
        GlmLoss(model::PowerHingeLoss{1.5}, .2, 2), GlmLoss(model::PowerRegressionLoss{1.3}, .2, 2),
        GlmLoss(model::PowerHingeLoss{2}, 0, 2)}) {
    loss.with_slopes([&](const auto& slope_of) {
      for (int trial = 0; trial < 2000; ++trial) {
        const double z = static_cast<double>(bits() % 20001) / 1000 - 10;
        const double y =
            trial == 0 ? std::nan("") : static_cast<double>(bits() % 20001) / 1000 - 10;
        const auto at = slope_of(z, loss.sanitised(y));
        EXPECT_LE(std::fabs(at.slope), loss.slope_bound());
        EXPECT_LE(at.curvature, loss.curvature_bound() * (1 + 1e-12));
        EXPECT_NEAR(static_cast<double>(loss.slope_in<long double>(z, loss.sanitised(y))), at.slope,
                    1e-12);
        constexpr double h = 1e-6;
        EXPECT_NEAR((loss.value(z + h, y) - loss.value(z - h, y)) / (2 * h), at.slope, 1e-4);
      }
    });
  }
  EXPECT_THROW(GlmLoss(model::HingeLoss{}), base::UsageError);
}

TEST(CertifiedSolver, TheSameBitsForAnyThreadsAndStorage) {
  base::ThreadPool one(1);
  base::ThreadPool three(3);
  const auto dense = random_dataset(20000, 8, true, Storage::dense);
  const auto sparse = random_dataset(20000, 8, true, Storage::sparse);
  const RegularizedProblem problem{
      .loss = GlmLoss(model::LogisticLoss{}), .sum_l2 = 5, .linear = Point(8, 9)};
  const auto a = minimise_certified(dense, problem, 1e-9, one);
  EXPECT_EQ(a.route, SolverRoute::fast);
  EXPECT_EQ(a.weights, minimise_certified(dense, problem, 1e-9, three).weights);
  EXPECT_EQ(a.weights, minimise_certified(sparse, problem, 1e-9, one).weights);
}

TEST(CertifiedSolver, EveryRouteEndsWithinTheTolerance) {
  base::ThreadPool pool(1);
  const auto dataset = random_dataset(150, 4, true, Storage::dense, 5);
  for (const Domain& domain : {Domain{WholeSpace{}}, Domain{Ball{.5}}}) {
    for (const auto& loss : {GlmLoss(model::LogisticLoss{}), GlmLoss(model::SmoothedHingeLoss{.2}),
                             GlmLoss(model::HingeLoss{}, .3)}) {
      const RegularizedProblem problem{
          .loss = loss, .sum_l2 = 2, .linear = {3, -1, 0, .5}, .domain = domain};
      const auto truth = reference(dataset, problem);
      constexpr double tolerance = 1e-7;
      for (const auto& limits : {SolverLimits{}, SolverLimits{.fast_passes = 1},
                                 SolverLimits{.fast_passes = 1, .accelerated = false}}) {
        auto limited = problem;
        limited.limits = limits;
        const auto found = minimise_certified(dataset, limited, tolerance, pool);
        EXPECT_LE(distance(found.weights, truth), tolerance);
        EXPECT_LE(found.distance_bound, tolerance);
        const auto route = limits.fast_passes > 1 ? SolverRoute::fast
                           : limits.accelerated   ? SolverRoute::accelerated
                                                  : SolverRoute::wide;
        EXPECT_EQ(found.route, route);
      }
    }
  }
}

// A minimum on the surface of a ball, around the origin or elsewhere, is found as fast as one
// inside, with and without a kink.
TEST(CertifiedSolver, ABindingBallNeedsNoSlowRoute) {
  base::ThreadPool pool(1);
  const auto dataset = random_dataset(20000, 6, true, Storage::dense);
  for (const Ball& ball : {Ball{.5}, Ball{.4, {.1, 0, -.1, 0, .2, .1}}}) {
    for (const auto& loss : {GlmLoss(model::LogisticLoss{}), GlmLoss(model::HingeLoss{}, .01),
                             GlmLoss(model::AbsoluteLoss{}, .01)}) {
      const RegularizedProblem problem{.loss = loss, .sum_l2 = 20, .domain = ball};
      const auto found = minimise_certified(dataset, problem, 1e-6, pool);
      EXPECT_EQ(found.route, SolverRoute::fast) << model::loss_name(loss.loss());
      EXPECT_LE(found.distance_bound, 1e-6);
      auto from_middle = found.weights;
      for (std::size_t j = 0; j < ball.centre.size(); ++j) from_middle[j] -= ball.centre[j];
      EXPECT_NEAR(internal::norm(from_middle), ball.radius, 1e-9);
    }
  }
}

TEST(GlmSums, HessiansOfManyRecordsCanBeEstimated) {
  base::ThreadPool one(1);
  base::ThreadPool three(3);
  const auto dataset = random_dataset(30000, 5, true, Storage::dense);
  const GlmSums sums(dataset, GlmLoss(model::LogisticLoss{}), all(dataset), one);
  std::vector<double> curvatures;
  (void)sums.gradient(Point(5, .3), Precision::coarse, &curvatures);
  for (std::size_t i = 0; i < curvatures.size(); i += 3) curvatures[i] = 0;  // out of step
  const Eigen::MatrixXd exact = sums.hessian(curvatures);
  const Eigen::MatrixXd estimate = sums.hessian(curvatures, 5000);
  EXPECT_LT((estimate - exact).norm(), 0.05 * exact.norm());
  EXPECT_NE(estimate, exact);
  EXPECT_EQ(sums.hessian(curvatures, 20000), exact);
  const GlmSums threaded(dataset, GlmLoss(model::LogisticLoss{}), all(dataset), three);
  EXPECT_EQ(threaded.hessian(curvatures, 5000), estimate);
}

TEST(CertifiedSolver, ManyColumnsTakeConjugateGradients) {
  std::mt19937_64 bits(4);
  Dataset dataset({.columns = 3000, .norm_bound = 1, .storage = Storage::sparse});
  for (int i = 0; i < 2000; ++i) {
    data::EncodedRow row;
    std::uint32_t column = 0;
    for (int k = 0; k < 8; ++k) {
      column += 1 + static_cast<std::uint32_t>(bits() % 300);
      row.columns.push_back(column);
      row.values.push_back(700);
    }
    row.label = row.columns[0] % 2 == 0 ? 1 : -1;
    dataset.append(row);
  }
  base::ThreadPool pool(2);
  const RegularizedProblem problem{.loss = GlmLoss(model::LogisticLoss{}), .sum_l2 = .5};
  const auto found = minimise_certified(dataset, problem, 1e-9, pool);
  EXPECT_EQ(found.route, SolverRoute::fast);
  EXPECT_LE(found.distance_bound, 1e-9);
}

// Sum form with n from a tenth to thirty times a public count: the certificate never knows of it.
TEST(CertifiedSolver, HoldsForAnyNumberOfRecords) {
  base::ThreadPool pool(1);
  for (const std::int64_t rows : {0, 1, 10, 100, 300, 3000}) {
    const auto dataset = random_dataset(rows, 3, true, Storage::dense);
    const RegularizedProblem problem{
        .loss = GlmLoss(model::LogisticLoss{}), .sum_l2 = 5, .linear = {1, -2, .5}};
    const auto found = minimise_certified(dataset, problem, 1e-8, pool);
    EXPECT_LE(found.distance_bound, 1e-8) << rows;
    if (rows == 0) {
      EXPECT_LT(distance(found.weights, {-.2, .4, -.1}), 1e-8);
    }
  }
}

// A label outside of the loss's domain counts as the nearest one inside.
TEST(CertifiedSolver, LabelsAreThoseOfTheLossesOwnDomain) {
  base::ThreadPool pool(1);
  const auto solve = [&](const model::Loss& loss, double first, double second) {
    Dataset dataset({.columns = 2, .norm_bound = 1});
    dataset.append_dense(std::vector<std::int16_t>{2000, 100}, first);
    dataset.append_dense(std::vector<std::int16_t>{-300, 1500}, second);
    return minimise_certified(dataset, {.loss = GlmLoss(loss), .sum_l2 = .3}, 1e-9, pool).weights;
  };
  EXPECT_EQ(solve(model::LogisticLoss{}, 7, -.3), solve(model::LogisticLoss{}, 1, -1));
  EXPECT_EQ(solve(model::HuberLoss{}, 5, -8), solve(model::HuberLoss{}, 1, -1));
}

TEST(CertifiedSolver, WorkIsCheckedFromPublicFactsAlone) {
  const WorkFacts adult{.rows = 32561,
                        .norm_bound = 1,
                        .curvature = .25,
                        .sum_l2 = 5,
                        .distance = 100,
                        .tolerance = 1e-7};
  EXPECT_NO_THROW(check_fallback_work(adult));
  // kappa = 1629: 39.9 e-foldings of the square per 40.4 steps each.
  EXPECT_NEAR(static_cast<double>(fallback_length(adult)),
              std::log(8 * 1629.0 * 1e18) / -std::log1p(-1 / std::sqrt(1629.0)), 3);
  auto huge = adult;
  huge.rows = 1000000000;
  EXPECT_THROW(check_fallback_work(huge), base::UsageError);
  base::ThreadPool pool(1);
  const auto dataset = tiny_dataset();
  auto problem = tiny_problem(model::LogisticLoss{});
  EXPECT_THROW((void)minimise_certified(dataset, problem, 0, pool), base::UsageError);
  problem.sum_l2 = 0;
  EXPECT_THROW((void)minimise_certified(dataset, problem, 1e-6, pool), base::UsageError);
}

}  // namespace certified_solver_test
}  // namespace tacet::optimize
