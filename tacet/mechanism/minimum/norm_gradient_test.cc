#include "tacet/mechanism/minimum/norm_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism {
namespace norm_gradient_test {

using privacy::Adjacency;
using privacy::Epsilon;
using Point = std::vector<double>;

constexpr int grid_bits = 26;  // gradients of norm 1 are 2^26 grid units

/// Logistic losses of a few rows of norm at most 1, labels folded in.
struct Losses {
  std::vector<Point> rows;

  [[nodiscard]] std::vector<double> gradient(std::span<const double> weights) const {
    std::vector<double> sum(weights.size(), 0.0);
    for (const auto& row : rows) {
      double margin = 0;
      for (std::size_t j = 0; j < weights.size(); ++j) margin += row[j] * weights[j];
      for (std::size_t j = 0; j < weights.size(); ++j) {
        sum[j] -= row[j] / (1 + std::exp(margin));
      }
    }
    return sum;
  }
  [[nodiscard]] privacy::BoundedSum bounded(std::span<const double> weights) const {
    std::vector<std::int64_t> values;
    for (const double part : gradient(weights))
      values.push_back(std::llround(std::ldexp(part, grid_bits)));
    return privacy::BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values),
                                               std::ldexp(1, -grid_bits),
                                               std::int64_t{1} << grid_bits);
  }
  [[nodiscard]] double score(std::span<const double> weights, double l2) const {
    const auto sum = gradient(weights);
    double square = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      square += (sum[j] + l2 * weights[j]) * (sum[j] + l2 * weights[j]);
    }
    return std::sqrt(square);
  }
};

Point minimiser(const Losses& losses, double l2) {
  Point point(losses.rows[0].size(), 0.0);
  const double step = 1 / (l2 + 0.25 * static_cast<double>(losses.rows.size()));
  for (int i = 0; i < 500; ++i) {
    const auto sum = losses.gradient(point);
    for (std::size_t j = 0; j < point.size(); ++j) point[j] -= step * (sum[j] + l2 * point[j]);
  }
  return point;
}

NormGradientQuery query_of(const Losses& losses, double l2) {
  return {.columns = static_cast<std::int64_t>(losses.rows[0].size()),
          .rows = static_cast<std::int64_t>(losses.rows.size()),
          .adjacency = Adjacency::zero_out,
          .clipping_norm = 1,
          .smoothness = 0.25 * static_cast<double>(losses.rows.size()),
          .sum_l2 = l2,
          .gradient_error = std::ldexp(1, -20)};
}

std::vector<Point> draws(const Losses& losses, const NormGradientQuery& query, double epsilon,
                         const Point& start, int count) {
  random::SeededSource source(20);
  privacy::TrustingBudget budget(query.adjacency);
  const auto event = norm_gradient_event(query, Epsilon(epsilon));
  auto reservation = budget.reserve(privacy::Repeated{count, event},
                                    {std::numeric_limits<double>::infinity(), 0, query.adjacency});
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) {
    points.push_back(
        release_norm_gradient([&](std::span<const double> w) { return losses.bounded(w); },
                              privacy::Private<Point>(start), query, Epsilon(epsilon),
                              {{.step = static_cast<std::uint64_t>(i)}, source, reservation})
            .value());
  }
  return points;
}

/// Kolmogorov's distance of draws from a density on a line, integrated numerically.
template <typename Density>
double distance_from(std::vector<double> values, const Density& density, double reach) {
  std::ranges::sort(values);
  constexpr int cells = 40000;
  double total = 0;
  for (int i = 0; i < cells; ++i) total += density(reach * (2 * (i + 0.5) / cells - 1));
  double below = 0;
  double furthest = 0;
  std::size_t next = 0;
  for (int i = 0; i < cells; ++i) {
    below += density(reach * (2 * (i + 0.5) / cells - 1)) / total;
    const double end = reach * (2 * (i + 1.0) / cells - 1);
    while (next < values.size() && values[next] <= end) ++next;
    const double share = static_cast<double>(next) / static_cast<double>(values.size());
    furthest = std::max(furthest, std::fabs(share - below));
  }
  return furthest;
}

// False alarm: Dvoretzky, Kiefer, Wolfowitz, Massart, below 1e-7 a comparison at 0.07 for 2000
// draws: 2 exp(-2 * 2000 * 0.07^2) = 6e-9.
constexpr int draw_count = 2000;
constexpr double far = 0.07;

TEST(NormGradient, FollowsItsLawFromAnyStart) {
  const Losses losses{{{1.0}, {-0.5}, {-0.8}, {0.3}, {0.9}, {0.6}}};
  constexpr double l2 = 0.5;
  constexpr double epsilon = 3;
  const auto query = query_of(losses, l2);
  const auto density = [&](double w) {
    return std::exp(-epsilon / 2 * losses.score(std::array{w}, l2));
  };
  const double best = minimiser(losses, l2)[0];
  for (const double start : {best, best + 0.3}) {
    std::vector<double> values;
    for (const auto& point : draws(losses, query, epsilon, {start}, draw_count)) {
      values.push_back(point[0]);
    }
    EXPECT_LT(distance_from(values, density, 24), far) << start;
    // A planted fault: the law of twice the epsilon is told apart.
    const auto sharper = [&](double w) { return density(w) * density(w); };
    EXPECT_GT(distance_from(values, sharper, 24), far);
  }
}

TEST(NormGradient, FollowsItsLawInTwoDimensions) {
  Losses losses;
  for (int i = 0; i < 30; ++i) {
    const double angle = 0.7 * i;
    losses.rows.push_back({std::cos(angle) * 0.8 + 0.2, std::sin(angle) * 0.8});
  }
  constexpr double l2 = 4.5;
  constexpr double epsilon = 2;
  const auto query = query_of(losses, l2);
  const auto points = draws(losses, query, epsilon, minimiser(losses, l2), draw_count);
  // The marginal law of each coordinate.
  for (const std::size_t coordinate : {0U, 1U}) {
    std::vector<double> values;
    for (const auto& point : points) values.push_back(point[coordinate]);
    const auto marginal = [&](double at) {
      double sum = 0;
      for (int k = -80; k <= 80; ++k) {
        std::array<double, 2> w{};
        w[coordinate] = at;
        w[1 - coordinate] = 0.075 * k;
        sum += std::exp(-epsilon / 2 * losses.score(w, l2));
      }
      return sum;
    };
    constexpr double reach = 6;
    constexpr int cells = 400;
    std::ranges::sort(values);
    std::vector<double> masses;
    for (int i = 0; i < cells; ++i) {
      masses.push_back(marginal(reach * (2 * (i + 0.5) / cells - 1)));
    }
    const double total = std::accumulate(masses.begin(), masses.end(), 0.0);
    double below = 0;
    for (int i = 0; i < cells; ++i) {
      below += masses[static_cast<std::size_t>(i)] / total;
      const double end = reach * (2 * (i + 1.0) / cells - 1);
      const auto found = std::ranges::upper_bound(values, end) - values.begin();
      EXPECT_NEAR(static_cast<double>(found) / draw_count, below, far);
    }
  }
}

// The density of every point of the line, for neighbours in both senses, by quadrature.
TEST(NormGradient, NeighboursStayWithinEpsilon) {
  const Losses losses{{{1.0}, {-0.5}, {-0.8}, {0.3}, {0.9}, {0.6}}};
  constexpr double l2 = 0.5;
  constexpr double epsilon = 1.5;
  for (const auto adjacency : {Adjacency::zero_out, Adjacency::replace_one}) {
    for (const double replacement : {1.0, -1.0, 0.0}) {
      auto other = losses;
      other.rows[2] = {replacement};
      if (adjacency == Adjacency::zero_out && replacement != 0) continue;
      if (adjacency == Adjacency::zero_out) other.rows.erase(other.rows.begin() + 2);
      const double weight = epsilon / (2 * privacy::distance_factor(adjacency));
      const auto log_density = [&](const Losses& from) {
        std::vector<double> logs;
        double total = 0;
        for (int i = -4000; i <= 4000; ++i) {
          logs.push_back(-weight * from.score(std::array{0.005 * i}, l2));
          total += std::exp(logs.back());
        }
        for (double& value : logs) value -= std::log(total);
        return logs;
      };
      const auto here = log_density(losses);
      const auto there = log_density(other);
      for (std::size_t i = 0; i < here.size(); ++i) {
        ASSERT_LE(std::fabs(here[i] - there[i]), epsilon * (1 + 1e-9));
      }
    }
  }
}

TEST(NormGradient, AnswersLieOnThePublicGridInsideThePublicBall) {
  const Losses losses{{{1.0}, {-0.5}}};
  const auto query = query_of(losses, 0.5);
  const auto grid = norm_gradient_grid(query, Epsilon(1));
  EXPECT_EQ(grid.radius, 8);
  for (const auto& point : draws(losses, query, 1, {1e300}, 50)) {
    EXPECT_EQ(point[0] / grid.unit, std::round(point[0] / grid.unit));
    EXPECT_LE(std::fabs(point[0]), grid.radius);
  }
}

// Exponents reach epsilon n / 2, and doubles round them in proportion: 2.7e-11 at a million records
// and epsilon 1, where a fixed 1e-12 would pass for a bound.
TEST(NormGradient, PaysForTheRoundingOfLargeExponents) {
  auto query = query_of(Losses{{{1.0}, {-0.5}}}, 0.5);
  double before = 0;
  for (const std::int64_t rows : {1'000, 100'000, 1'000'000}) {
    query.rows = rows;
    query.sum_l2 = 1e-3 * static_cast<double>(rows);
    const double paid = norm_gradient_grid(query, Epsilon(1)).exponent_error;
    const double largest = 1.0 / 4 * static_cast<double>(rows);
    EXPECT_GE(paid, 4 * 0x1p-53 * largest);
    EXPECT_GT(paid, before);
    before = paid;
  }
  EXPECT_GT(before, 2.66e-11);
}

TEST(NormGradient, RefusesWhatIsNotProved) {
  const Losses losses{{{1.0}, {-0.5}}};
  auto query = query_of(losses, 0.5);
  query.adjacency = Adjacency::add_remove;
  EXPECT_THROW((void)norm_gradient_grid(query, Epsilon(1)), base::GuaranteeError);
  query = query_of(losses, 0);
  EXPECT_THROW((void)norm_gradient_grid(query, Epsilon(1)), base::UsageError);
  query = query_of(losses, 0.5);
  query.rows = std::int64_t{1} << 40;
  EXPECT_THROW((void)norm_gradient_grid(query, Epsilon(1)), base::Error);
  EXPECT_NEAR(log_proposals(query_of(losses, 0.5), privacy::Epsilon(1)), std::log(2), 1e-6);
}

TEST(NormGradient, FewRecordsAtASmallEpsilonLeaveFewPointsInside) {
  // One column: 1 - exp(-n epsilon / (2 distance factor)) of the points lie near enough.
  const Losses losses{{{1.0}, {-0.5}}};
  auto query = query_of(losses, 0.5);
  query.rows = 12;
  for (const double epsilon : {1e-6, 0.01, 1.0, 20.0}) {
    const double reach = 6 * epsilon / privacy::distance_factor(query.adjacency);
    const double proposals = std::min(log_proposals(query, Epsilon(epsilon)), 3 * reach);
    EXPECT_NEAR(log_draws(query, Epsilon(epsilon)), proposals - std::log(-std::expm1(-reach)),
                1e-6);
  }
  query.columns = 5;
  EXPECT_GT(log_draws(query, Epsilon(1e-3)), 5 * std::log(100));
}

TEST(NormGradient, TheOracleCanEndADrawThatWouldNot) {
  NormGradientQuery query;
  query.columns = 8;
  query.rows = 2;
  query.adjacency = Adjacency::replace_one;
  query.clipping_norm = 1;
  query.smoothness = 1;
  query.sum_l2 = 1;
  query.gradient_error = 0;
  random::SeededSource source(4);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto permit =
      budget.reserve(norm_gradient_event(query, Epsilon(0.01)), {1, 0, Adjacency::replace_one});
  int calls = 0;
  const GradientOracle stopping = [&](std::span<const double>) -> privacy::BoundedSum {
    if (++calls > 1) throw base::InternalError("stopped");
    return privacy::BoundedSum::from_certified(privacy::Certifier::clipped(),
                                               std::vector<std::int64_t>(8), 0x1p-20, 1 << 20);
  };
  EXPECT_THROW(static_cast<void>(release_norm_gradient(
                   stopping, privacy::Private<std::vector<double>>(std::vector<double>(8)), query,
                   Epsilon(0.01), {{}, source, permit})),
               base::InternalError);
  EXPECT_EQ(calls, 2);
}

}  // namespace norm_gradient_test
}  // namespace tacet::mechanism
