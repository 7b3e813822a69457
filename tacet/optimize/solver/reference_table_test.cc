#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tacet/optimize/solver/certified_solver.h"
#include "tacet/optimize/solver/fixed_descent.h"
#include "tests/support/dual_ascent.h"

// Minimisers that an independent program found for twelve real records, in the mean form with
// mu = .1: rows sin(1 + i j) scaled to norm at most 1, classes sign(cos 2i), numbers .8 cos(.7 i).
// Stored records are multiples of 1/2048, so that no data set holds these. But minimisers are
// decided by gradients: where w* is the minimiser for the real rows, it is that for the stored ones
// too once the difference of both gradients at w* is added to the objective as a linear term. The
// solvers find w* and that term together.
namespace tacet::optimize {
namespace reference_table_test {

using data::Dataset;
using dual_ascent::minimise_by_dual_ascent;
using Point = std::vector<double>;
using Gradient = std::function<Point(std::span<const double>)>;

constexpr double l2 = 1.2;  // of the sum over 12 records
const Point centre{.1, -.2, .05};

double distance(const Point& a, const Point& b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

struct Records {
  std::vector<Point> rows;
  Point labels;

  // Of the sum of losses.
  [[nodiscard]] Point gradient(const GlmLoss& loss, std::span<const double> w) const {
    Point sum(w.size(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double z = 0;
      for (std::size_t j = 0; j < w.size(); ++j) z += rows[i][j] * w[j];
      const double slope = loss.slope_in<double>(z, loss.sanitised(labels[i]));
      for (std::size_t j = 0; j < w.size(); ++j) sum[j] += slope * rows[i][j];
    }
    return sum;
  }
};

Records sines(bool classes) {
  Records records;
  for (int i = 1; i <= 12; ++i) {
    Point row;
    double square = 0;
    for (int j = 1; j <= 3; ++j) {
      row.push_back(std::sin(1 + i * j));
      square += row.back() * row.back();
    }
    for (double& value : row) value /= std::max(1.0, std::sqrt(square));
    records.rows.push_back(row);
    records.labels.push_back(classes ? (std::cos(2 * i) >= 0 ? 1 : -1) : .8 * std::cos(.7 * i));
  }
  return records;
}

Dataset stored(const Records& records) {
  Dataset dataset({.columns = 3, .norm_bound = 1});
  for (std::size_t i = 0; i < records.rows.size(); ++i) {
    std::vector<std::int16_t> row;
    for (const double value : records.rows[i]) {
      row.push_back(static_cast<std::int16_t>(2048 * value));
    }
    dataset.append_dense(row, records.labels[i]);
  }
  return dataset;
}

Records to_doubles(const Dataset& dataset) {
  Records records;
  for (std::int64_t i = 0; i < dataset.rows(); ++i) {
    Point row;
    for (const auto value : dataset.dense_row(i)) row.push_back(value / 2048.0);
    records.rows.push_back(row);
    records.labels.push_back(dataset.label(i));
  }
  return records;
}

/// The minimiser for the real rows by a solver for the stored ones that takes a linear term.
Point refined(const GlmLoss& loss, const std::function<Point(const Point& linear)>& solve,
              Point w = centre) {
  const auto real = sines(model::properties(loss.loss()).classification);
  const auto rounded = to_doubles(stored(real));
  for (int round = 0; round < 60; ++round) {
    Point linear = real.gradient(loss, w);
    const Point other = rounded.gradient(loss, w);
    for (std::size_t j = 0; j < linear.size(); ++j) linear[j] -= other[j];
    const Point next = solve(linear);
    const double moved = distance(next, w);
    w = next;
    if (moved < 1e-12) break;
  }
  return w;
}

Point by_certified_solver(const GlmLoss& loss, const Domain& domain, const Point& start = centre) {
  const auto dataset = stored(sines(model::properties(loss.loss()).classification));
  base::ThreadPool pool(1);
  return refined(
      loss,
      [&](const Point& linear) {
        const auto found = minimise_certified(
            dataset,
            {.loss = loss, .sum_l2 = l2, .centre = centre, .linear = linear, .domain = domain},
            1e-11, pool);
        EXPECT_LE(found.distance_bound, 1e-11);
        return found.weights;
      },
      start);
}

Point by_dual_ascent(const GlmLoss& smooth, const model::Loss& loss, double width,
                     const Domain& domain, const Point& start = centre) {
  const auto dataset = stored(sines(model::properties(loss).classification));
  return refined(
      smooth,
      [&](const Point& linear) {
        // A linear term is a centre that lies elsewhere.
        Point moved = centre;
        for (std::size_t j = 0; j < moved.size(); ++j) moved[j] -= linear[j] / l2;
        return minimise_by_dual_ascent(dataset,
                                       {.loss = loss,
                                        .smoothing_width = width,
                                        .sum_l2 = l2,
                                        .centre = moved,
                                        .domain = domain},
                                       1e-12, 400)
            .weights;
      },
      start);
}

Lens lens() { return {Ball{.5}, Ball{.45, {.3, .3, 0}}}; }

struct Case {
  Domain domain;
  model::Loss loss;
  double width;
  Point minimiser;
};

const std::vector<Case>& smooth_cases() {
  static const std::vector<Case> all{
      {Ball{10}, model::LogisticLoss{}, 0, {.131088182689, 1.027762345968, -.266615282736}},
      {Ball{10}, model::HingeLoss{}, .05, {.141110129461, 1.233188249438, -.564670748873}},
      {Ball{10}, model::AbsoluteLoss{}, .05, {.313828051982, -.237923398869, .021411146626}},
      {Ball{10}, model::PinballLoss{.9}, .05, {.327796582165, -.328050346290, -.169497301901}},
      {Ball{.3}, model::LogisticLoss{}, 0, {.033763923170, .287811748004, -.077616977545}},
      {Ball{.3}, model::AbsoluteLoss{}, .05, {.252987800940, -.155324110901, .043261913368}},
      {lens(), model::LogisticLoss{}, 0, {.057577147575, .479792022028, -.128391929947}},
      {lens(), model::AbsoluteLoss{}, .05, {.261892911911, -.145097569661, .054184899362}},
      {lens(), model::PinballLoss{.9}, .05, {.234982221916, -.144259784626, -.030098709228}},
  };
  return all;
}

TEST(ReferenceTable, TheCertifiedSolverFindsEveryMinimiser) {
  for (const auto& c : smooth_cases()) {
    EXPECT_LT(distance(by_certified_solver(GlmLoss(c.loss, c.width), c.domain), c.minimiser), 1e-9)
        << model::loss_name(c.loss) << " in domain " << c.domain.index();
  }
}

TEST(ReferenceTable, DualAscentFindsEveryMinimiserInABall) {
  for (const auto& c : smooth_cases()) {
    if (std::holds_alternative<Lens>(c.domain)) continue;
    EXPECT_LT(
        distance(by_dual_ascent(GlmLoss(c.loss, c.width), c.loss, c.width, c.domain), c.minimiser),
        1e-9)
        << model::loss_name(c.loss) << " in domain " << c.domain.index();
  }
}

// Losses with a kink as the limit of rounded ones: for small widths the minimiser is an analytic
// function of the width, so that four of them give its value at 0.
Point at_width_zero(const std::function<Point(double width, const Point& start)>& at) {
  constexpr double widest = 8e-3;
  std::vector<Point> before;
  Point last = centre;
  for (int k = 0; k < 4; ++k) {
    last = at(std::ldexp(widest, -k), last);
    std::vector<Point> row{last};
    for (std::size_t m = 1; m <= before.size(); ++m) {
      const double factor = std::exp2(static_cast<double>(m));
      row.push_back(row.back());
      for (std::size_t j = 0; j < last.size(); ++j) {
        row[m][j] = (factor * row[m - 1][j] - before[m - 1][j]) / (factor - 1);
      }
    }
    before = std::move(row);
  }
  return before.back();
}

const std::vector<Case>& kinked_cases() {
  static const std::vector<Case> all{
      {Ball{10}, model::HingeLoss{}, 1e-7, {.140498297, 1.234615543, -.564474259}},
      {Ball{10}, model::AbsoluteLoss{}, 1e-6, {.34191062, -.24805047, .03479838}},
      {lens(), model::HingeLoss{}, 1e-9, {.039917457427, .481038131305, -.130418222743}},
  };
  return all;
}

TEST(ReferenceTable, LossesWithAKinkAreTheLimitOfRoundedOnes) {
  for (const auto& c : kinked_cases()) {
    const auto found = at_width_zero([&](double width, const Point& start) {
      return by_certified_solver(GlmLoss(c.loss, width), c.domain, start);
    });
    EXPECT_LT(distance(found, c.minimiser), c.width)
        << model::loss_name(c.loss) << " in domain " << c.domain.index();
  }
}

// The kinks themselves, without any rounding, on the stored rows.
TEST(ReferenceTable, DualAscentKeepsKinks) {
  base::ThreadPool pool(1);
  for (const auto& c : kinked_cases()) {
    if (std::holds_alternative<Lens>(c.domain)) continue;
    const auto dataset = stored(sines(model::properties(c.loss).classification));
    const auto limit = at_width_zero([&](double width, const Point&) {
      return minimise_certified(dataset,
                                {.loss = GlmLoss(c.loss, width),
                                 .sum_l2 = l2,
                                 .centre = centre,
                                 .domain = c.domain},
                                1e-11, pool)
          .weights;
    });
    const auto found = minimise_by_dual_ascent(
        dataset, {.loss = c.loss, .sum_l2 = l2, .centre = centre, .domain = c.domain}, 1e-12,
        20000);
    EXPECT_LT(distance(found.weights, limit), c.width) << model::loss_name(c.loss);
    EXPECT_LT(found.distance_bound, 1e-3);
  }
}

Gradient with_l2(const Records& records, const GlmLoss& loss, double l2_of_sum,
                 const Point& around) {
  return [&records, loss, l2_of_sum, around](std::span<const double> w) {
    Point sum = records.gradient(loss, w);
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += l2_of_sum * (w[j] - around[j]);
    return sum;
  };
}

// The descent is the one of local_minimum and stable_minimum, here on real rows.
TEST(FixedDescent, TwentyFiveStepsAgreeWithTheReference) {
  const GlmLoss huber(model::AbsoluteLoss{}, .05);
  const auto records = sines(false);
  const auto step = internal::contracting_step(12 * huber.curvature_bound(), l2);
  EXPECT_NEAR(12 * step.size, 2 / (20 + .2), 1e-12);
  EXPECT_LT(distance(internal::descend(Point(3), Ball{10}, {step.size, 25},
                                       with_l2(records, huber, l2, centre)),
                     {.192132211328, -.122387550258, .096827851839}),
            1e-11);
}

// Five steps of size 1 / (curvature + lambda) on four records of norm 1. That is the contracting
// step where the bound of the norms is the root of 2: 2 / (2 curvature + 2 lambda).
TEST(FixedDescent, FiveStepsAgreeWithTheReference) {
  const Records records{{{.6, .8}, {1, 0}, {0, -1}, {-.8, .6}}, {1, -1, 1, -1}};
  struct Step {
    model::Loss loss;
    double size;
    Point last;
  };
  for (const auto& c :
       {Step{model::SquaredLoss{}, 1 / 1.1, {.1634327014424, -.3268654028848}},
        Step{model::LogisticLoss{}, 1 / .35, {.222436458937079, -.444872917874157}}}) {
    const GlmLoss loss(c.loss);
    const auto step = internal::contracting_step(4 * loss.curvature_bound() * 2, .4);
    EXPECT_NEAR(4 * step.size, c.size, 1e-14);
    EXPECT_LT(distance(internal::descend(Point(2), Ball{10}, {step.size, 5},
                                         with_l2(records, loss, .4, Point(2))),
                       c.last),
              1e-12);
  }
}

// Zero-noise descent with a ball that binds at the third step.
TEST(FixedDescent, ProjectsAfterEveryStep) {
  const Records records{{{.6, .8}, {1, 0}, {0, -1}, {-.8, .6}}, {1, -1, 1, -1}};
  const auto gradient = with_l2(records, GlmLoss(model::SquaredLoss{}), 0, Point(2));
  const std::vector<Point> path{{.05, -.1}, {.0875, -.175}, {.11180339887499, -.223606797749979}};
  for (std::size_t k = 0; k < path.size(); ++k) {
    EXPECT_LT(distance(internal::descend(Point(2), Ball{.25},
                                         {.5 / 4, static_cast<std::int64_t>(k) + 1}, gradient),
                       path[k]),
              1e-13);
  }
}

}  // namespace reference_table_test
}  // namespace tacet::optimize
