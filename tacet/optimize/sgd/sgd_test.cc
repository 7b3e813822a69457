#include "tacet/optimize/sgd/sgd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/numeric/rounding.h"
#include "tests/support/plain_sgd.h"

namespace tacet::optimize {
namespace sgd_test {

using data::Dataset;
using data::Storage;
using privacy::Adjacency;

using numeric::infinity;
using namespace sgd_test;  // NOLINT(google-build-using-namespace): the tests' own helpers

Dataset dataset_of(const std::vector<Point>& points, Storage storage = Storage::dense) {
  Dataset dataset({.columns = static_cast<std::int64_t>(points[0].x.size()),
                   .norm_bound = 1,
                   .storage = storage});
  for (const auto& point : points) {
    std::vector<std::int16_t> row;
    for (const double x : point.x)
      row.push_back(static_cast<std::int16_t>(point.absent ? 0 : std::llrint(x * 2048)));
    dataset.append_dense(row, point.y);
  }
  return dataset;
}

struct Case {
  SgdProblem problem;
  SgdSchedule schedule;
  IterateWeights weights;
  Adjacency adjacency = Adjacency::replace_one;
};

// A schedule for which something is proved; nothing when the drawn one is refused.
std::optional<Case> random_case(PointMaker& make, const model::Loss& loss, std::size_t columns) {
  Case drawn;
  auto& schedule = drawn.schedule;
  schedule.records = 1 + static_cast<std::int64_t>(make.bits() % 6);
  const auto steps = 1 + static_cast<std::int64_t>(make.bits() % 15);
  schedule.batch =
      1 + static_cast<std::int64_t>(make.bits() % static_cast<std::uint64_t>(
                                                      std::min<std::int64_t>(3, schedule.records)));
  random::SeededSource source(make.bits());
  auto sampling = static_cast<RecordOrder>(make.bits() % 4);
  if (sampling == RecordOrder::with_replacement) schedule.batch = 1;
  schedule.order = draw_order(sampling, {schedule.records, schedule.batch, steps}, source);
  const double step = std::pow(10.0, -1.5 + 0.015 * static_cast<double>(make.bits() % 100));
  schedule.step_sizes =
      make.bits() % 3 == 0 ? decaying_steps(step, 0.5, steps) : std::vector<double>{step};
  schedule.mean_l2 = make.bits() % 2 == 0 ? 0 : 0.5;
  drawn.weights = {.kind = static_cast<Averaging>(make.bits() % 4),
                   .steps = steps,
                   .suffix = (steps + 1) / 2,
                   .power = static_cast<std::int64_t>(make.bits() % 4)};
  drawn.problem = {.loss = loss,
                   .smooth = make.bits() % 2 == 0,
                   .norm_bound = 1,
                   .columns = static_cast<std::int64_t>(columns)};
  if (make.bits() % 3 == 0) drawn.problem.radius = 0.7;
  if (make.bits() % 3 == 0) drawn.problem.clipping_norm = 0.6;
  drawn.adjacency = make.bits() % 2 == 0 ? Adjacency::replace_one : Adjacency::zero_out;
  try {
    (void)step_law(drawn.problem, schedule, drawn.adjacency);
  } catch (const base::GuaranteeError&) {
    return std::nullopt;
  }
  return drawn;
}

std::vector<double> released_mean(const CertifiedSgd& sgd, const Dataset& dataset, int bits,
                                  std::span<const double> start = {}) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(dataset.rows()); ++i) rows.push_back(i);
  base::ThreadPool threads(1);
  const auto access = mechanism::AccessKeys::key();
  auto sum = sgd.run({dataset, rows, start, threads}, bits, {0}).take(access);
  std::vector<double> values;
  for (const auto v : sum.open(access)) values.push_back(static_cast<double>(v));
  return values;
}

// Neighbouring data by brute force: every loss, adjacency, order, penalty, mean and domain. No pair
// moves the released integers further than the sensitivity that is stated, and some come close.
void check_neighbours(int trials) {
  constexpr int bits = 30;
  for (const auto& loss : losses()) {
    SCOPED_TRACE(std::string(model::loss_name(loss)));
    double closest = 0;
    int tried = 0;
    PointMaker columns_maker(1, true, 5);
    for (int trial = 0; trial < trials; ++trial) {
      const std::size_t columns = 1 + static_cast<std::size_t>(trial % 7);
      PointMaker make(columns, model::properties(loss).classification,
                      static_cast<std::uint64_t>(trial) + 1);
      const auto drawn = random_case(make, loss, columns);
      if (!drawn) continue;
      ++tried;
      const CertifiedSgd sgd(drawn->problem, drawn->schedule, drawn->weights, drawn->adjacency);
      std::vector<Point> points;
      for (std::int64_t i = 0; i < drawn->schedule.records; ++i) points.push_back(make());
      const auto here = released_mean(sgd, dataset_of(points), bits);
      for (int k = 0; k < 4; ++k) {
        auto neighbours = points;
        const auto j =
            k == 0 ? static_cast<std::size_t>(sgd.exact().record) : make.bits() % points.size();
        if (drawn->adjacency == Adjacency::zero_out) {
          neighbours[j].absent = true;
        } else if (k % 2 == 0) {  // the mirror image: opposite gradients at the start
          for (double& x : neighbours[j].x) x = -x;
        } else {
          neighbours[j] = make();
        }
        const auto there = released_mean(sgd, dataset_of(neighbours), bits);
        const double allowed = privacy::distance_factor(drawn->adjacency) * std::ldexp(1.0, bits);
        ASSERT_LE(distance(here, there), allowed);
        closest = std::max(closest, distance(here, there) / allowed);
      }
    }
    EXPECT_GT(tried, trials / 5);
    EXPECT_GT(closest, 0.6);
  }
}

TEST(Sgd, NeighboursNeverMoveFurtherThanTheSensitivity) { check_neighbours(500); }
TEST(SgdLong, NeighboursNeverMoveFurtherThanTheSensitivity) { check_neighbours(1500); }

// The same for several classes side by side, from a start that was released before. One record
// moves the weights of every class, and all of them count; the start moves nobody.
TEST(Sgd, NeighboursOfSeveralClassesNeverMoveFurtherThanTheSensitivity) {
  constexpr int bits = 30;
  constexpr std::size_t columns = 3;
  for (const auto& loss : losses()) {
    if (!model::properties(loss).classification) continue;
    SCOPED_TRACE(std::string(model::loss_name(loss)));
    double closest = 0;
    int tried = 0;
    for (int trial = 0; trial < 600; ++trial) {
      PointMaker make(columns, true, static_cast<std::uint64_t>(trial) + 501);
      auto drawn = random_case(make, loss, columns);
      if (!drawn) continue;
      auto& problem = drawn->problem;
      problem.outputs = 2 + static_cast<std::int64_t>(make.bits() % 2);
      problem.clipping_norm.reset();
      const auto classes = static_cast<std::uint64_t>(problem.outputs);
      std::vector<double> start(columns * classes);
      for (double& w : start)
        w = trial % 2 == 0 ? 0 : 0.001 * static_cast<double>(make.bits() % 400) - 0.2;
      double square = 0;
      for (const double w : start) square += w * w;
      problem.start_norm = std::sqrt(square);
      try {
        (void)step_law(problem, drawn->schedule, drawn->adjacency);
      } catch (const base::GuaranteeError&) {
        continue;
      }
      ++tried;
      const CertifiedSgd sgd(problem, drawn->schedule, drawn->weights, drawn->adjacency);
      std::vector<Point> points;
      const auto labelled = [&] {
        auto point = make();
        point.y = static_cast<double>(make.bits() % classes);
        return point;
      };
      for (std::int64_t i = 0; i < drawn->schedule.records; ++i) points.push_back(labelled());
      const auto here = released_mean(sgd, dataset_of(points), bits, start);
      for (int k = 0; k < 4; ++k) {
        auto neighbours = points;
        const auto j =
            k == 0 ? static_cast<std::size_t>(sgd.exact().record) : make.bits() % points.size();
        if (drawn->adjacency == Adjacency::zero_out) {
          neighbours[j].absent = true;
        } else if (k % 2 == 0) {
          for (double& x : neighbours[j].x) x = -x;
        } else {
          neighbours[j] = labelled();
        }
        const auto there = released_mean(sgd, dataset_of(neighbours), bits, start);
        const double allowed = privacy::distance_factor(drawn->adjacency) * std::ldexp(1.0, bits);
        ASSERT_LE(distance(here, there), allowed);
        closest = std::max(closest, distance(here, there) / allowed);
      }
    }
    EXPECT_GT(tried, 100);
    // Beyond 1/sqrt(2): the bound of a single class would be passed.
    EXPECT_GT(closest, 0.71);
  }
}

// Several classes are as many descents of one class against the rest, each from its own start.
TEST(Sgd, SeveralClassesAreDescentsSideBySide) {
  constexpr std::size_t columns = 5;
  constexpr std::int64_t classes = 3;
  for (int trial = 0; trial < 100; ++trial) {
    PointMaker make(columns, true, static_cast<std::uint64_t>(trial) + 901);
    auto drawn = random_case(make, model::LogisticLoss{}, columns);
    if (!drawn) continue;
    auto& problem = drawn->problem;
    problem.clipping_norm.reset();
    problem.outputs = classes;
    problem.start_norm = 1;
    std::vector<Point> points;
    std::vector<std::uint32_t> rows;
    for (std::int64_t i = 0; i < drawn->schedule.records; ++i) {
      points.push_back(make());
      points.back().y = static_cast<double>(make.bits() % classes);
      rows.push_back(static_cast<std::uint32_t>(i));
    }
    std::vector<double> start(columns * classes);
    for (double& w : start) w = 0.001 * static_cast<double>(make.bits() % 400) - 0.2;
    const auto regions = step_regions(problem, drawn->schedule);
    base::ThreadPool threads(2);
    const auto together = internal::descend({dataset_of(points), rows, start, threads}, problem,
                                            drawn->schedule, drawn->weights, regions);
    auto alone = problem;
    alone.outputs = 1;
    for (std::int64_t c = 0; c < classes; ++c) {
      auto against_rest = points;
      for (auto& point : against_rest) point.y = point.y == static_cast<double>(c) ? 1 : -1;
      const auto from = static_cast<std::size_t>(c) * columns;
      const auto own = internal::descend(
          {dataset_of(against_rest), rows, std::span(start).subspan(from, columns), threads}, alone,
          drawn->schedule, drawn->weights, regions);
      EXPECT_EQ(own, std::vector(together.begin() + static_cast<std::ptrdiff_t>(from),
                                 together.begin() + static_cast<std::ptrdiff_t>(from + columns)));
    }
  }
}

// The engine against the plain implementation, dense and sparse, for every way through it.
TEST(Sgd, MeansAreThoseOfThePlainAlgorithm) {
  for (const auto& loss : losses()) {
    SCOPED_TRACE(std::string(model::loss_name(loss)));
    for (int trial = 0; trial < 200; ++trial) {
      const std::size_t columns = 1 + static_cast<std::size_t>(trial % 75);
      PointMaker make(columns, model::properties(loss).classification,
                      static_cast<std::uint64_t>(trial) + 77);
      const auto drawn = random_case(make, loss, columns);
      if (!drawn) continue;
      std::vector<Point> points;
      std::vector<std::uint32_t> rows;
      for (std::int64_t i = 0; i < drawn->schedule.records; ++i) {
        points.push_back(make());
        rows.push_back(static_cast<std::uint32_t>(i));
      }
      Rule rule{.loss = loss,
                .steps = {},
                .l2 = drawn->schedule.mean_l2,
                .radius = drawn->problem.radius.value_or(infinity),
                .clip = drawn->problem.clipping_norm.value_or(infinity),
                .smooth = drawn->problem.smooth};
      for (std::int64_t t = 1; t <= drawn->schedule.steps(); ++t) {
        rule.steps.push_back(drawn->schedule.step_size(t));
      }
      const auto all = iterates(points, drawn->schedule.order, drawn->schedule.batch, rule);
      const auto truth = mean_of(all, drawn->weights);
      const auto regions = step_regions(drawn->problem, drawn->schedule);
      for (std::size_t t = 0; t + 1 < all.size(); ++t) {
        const auto& region = regions[regions.size() == 1 ? 0 : t];
        double square = 0;
        for (const double w : all[t]) square += w * w;
        ASSERT_LE(std::sqrt(square), region.norm * (1 + 1e-12));
      }
      base::ThreadPool threads(1);
      const auto dense = internal::descend({dataset_of(points), rows, {}, threads}, drawn->problem,
                                           drawn->schedule, drawn->weights, regions);
      const auto sparse =
          internal::descend({dataset_of(points, Storage::sparse), rows, {}, threads},
                            drawn->problem, drawn->schedule, drawn->weights, regions);
      EXPECT_EQ(dense, sparse);
      ASSERT_LE(distance(dense, truth), 1e-9);
    }
  }
}

// Two runs of the absolute loss that step apart at right angles: the bound with growth is attained,
// and the one for smooth losses, 2 step G, is passed seven times over. The same data under the
// smoothed loss stay at 2 step G.
TEST(Sgd, ACounterexampleAttainsTheBound) {
  constexpr int steps = 50;
  constexpr double step = 0.1;
  constexpr double a = 1e-6;
  const double b = std::sqrt(1 - a * a);
  for (const bool smooth : {false, true}) {
    const model::Loss loss = smooth ? model::Loss{model::SmoothedAbsoluteLoss{step / 2}}
                                    : model::Loss{model::AbsoluteLoss{}};
    std::vector<std::vector<double>> runs(2, std::vector<double>(steps + 1, 0.0));
    for (int t = 0; t < steps; ++t) {
      std::vector<double> x(steps + 1, 0.0);
      double labels[2] = {1, -1};
      x[0] = t == 0 ? 1 : a;
      if (t > 0) {
        x[static_cast<std::size_t>(t)] = b;
        const double u = a * runs[0][0] + b * runs[0][static_cast<std::size_t>(t)];
        const double v = a * runs[1][0] + b * runs[1][static_cast<std::size_t>(t)];
        labels[0] = labels[1] = (u + v) / 2;
      }
      for (std::size_t r = 0; r < 2; ++r) {
        double u = 0;
        for (std::size_t j = 0; j < x.size(); ++j) u += x[j] * runs[r][j];
        const double slope = model::loss_slope(loss, u, labels[r]);
        for (std::size_t j = 0; j < x.size(); ++j) runs[r][j] -= step * slope * x[j];
      }
    }
    SgdSchedule schedule{.records = steps, .order = {}, .step_sizes = {step}};
    for (std::uint32_t t = 0; t < steps; ++t) schedule.order.push_back(t);
    const IterateWeights last{.kind = Averaging::last, .steps = steps};
    const SgdProblem problem{.loss = loss, .smooth = false, .columns = steps + 1};
    const double bound =
        record_sensitivity(schedule, last, step_law(problem, schedule, Adjacency::replace_one), 0);
    EXPECT_NEAR(bound, smooth ? 0.2 : 1.4142135623730951, 1e-14);
    EXPECT_NEAR(distance(runs[0], runs[1]), smooth ? 0.2 : 1.4142121764763873, 1e-13);
  }
}

// Long runs in many dimensions: the computed means of two neighbours differ by the exact distance
// up to what the guard allows, and the guard is a small part of the sensitivity.
TEST(Sgd, RoundingGuardIsSmallAndHoldsOnLongRuns) {
  constexpr std::size_t columns = 40;
  PointMaker make(columns, true, 4);
  std::vector<Point> points;
  for (int i = 0; i < 3000; ++i) points.push_back(make());
  random::SeededSource source(2);
  const SgdSchedule schedule{.records = 3000,
                             .order = draw_order(RecordOrder::permutation, {3000, 1, 9000}, source),
                             .step_sizes = {0.05}};
  const SgdProblem problem{.loss = model::HingeLoss{}, .columns = columns};
  const IterateWeights weights{.kind = Averaging::uniform, .steps = 9000};
  const auto guard = rounding_guard(problem, schedule, Adjacency::replace_one);
  const CertifiedSgd sgd(problem, schedule, weights, Adjacency::replace_one);
  EXPECT_LT(guard.added, 1e-4 * sgd.exact().value);
  EXPECT_GT(guard.added, 0);
  EXPECT_NEAR(sgd.sensitivity(), sgd.exact().bound + guard.added, 1e-12);
}

TEST(Sgd, SensitivityIsAFunctionOfPublicFactsAndRunsRepeat) {
  PointMaker make(5, true, 8);
  std::vector<Point> points;
  for (int i = 0; i < 200; ++i) points.push_back(make());
  random::SeededSource source(1);
  const SgdSchedule schedule{.records = 200,
                             .order = draw_order(RecordOrder::permutation, {200, 1, 200}, source),
                             .step_sizes = {0.1}};
  const SgdProblem problem{.loss = model::LogisticLoss{}, .columns = 5};
  const IterateWeights weights{.steps = 200};
  const CertifiedSgd one(problem, schedule, weights, Adjacency::zero_out);
  const CertifiedSgd two(problem, schedule, weights, Adjacency::replace_one);
  EXPECT_NEAR(two.exact().value / one.exact().value, 2, 1e-12);
  EXPECT_NEAR(two.stddev_unit(30) / one.stddev_unit(30), 1, 1e-6);
  const auto dataset = dataset_of(points);
  EXPECT_EQ(released_mean(one, dataset, 30), released_mean(one, dataset, 30));
}

}  // namespace sgd_test
}  // namespace tacet::optimize
