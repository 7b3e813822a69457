// Brackets around what is known in closed form, and how fast they close.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "tacet/accounting/loss/discretize.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/gaussian.h"

namespace tacet::accounting {
namespace pld_brackets_test {

void check_full_batch(std::initializer_list<double> mus) {
  for (const std::int64_t steps : {std::int64_t{1}, std::int64_t{100}, std::int64_t{1000000}}) {
    for (const double mu : mus) {
      const double per_step = mu / std::sqrt(static_cast<double>(steps));
      std::vector<pld::Component> parts;
      parts.push_back({pairs::gaussian(per_step), steps});
      for (const double delta : {1e-3, 1e-6, 1e-12, 1e-30}) {
        const double exact = gaussian::epsilon(mu, Delta(delta));
        const auto bracket = pld::epsilon_bracket(parts, delta);
        EXPECT_LE(bracket.lower, exact * (1 + 1e-9)) << steps << " " << mu << " " << delta;
        EXPECT_GE(bracket.upper, exact * (1 - 1e-9)) << steps << " " << mu << " " << delta;
        EXPECT_LE(bracket.upper - bracket.lower, 1e-3 * bracket.upper)
            << steps << " " << mu << " " << delta;
      }
    }
  }
}

TEST(Pld, BracketsTheClosedFormAtFullBatch) { check_full_batch({1.0}); }
TEST(PldLong, BracketsTheClosedFormAtFullBatch) { check_full_batch({0.1, 0.3, 4.0, 10.0}); }

TEST(Pld, BracketsTheClosedFormOfDelta) {
  std::vector<pld::Component> parts;
  parts.push_back({pairs::gaussian(0.1), 100});
  for (const double epsilon : {0.0, 0.5, 4.0, 12.0}) {
    const double exact = gaussian::delta(1, epsilon);
    const auto bracket = pld::delta_bracket(parts, epsilon);
    EXPECT_LE(bracket.lower, exact * (1 + 1e-9)) << epsilon;
    EXPECT_GE(bracket.upper, exact * (1 - 1e-9)) << epsilon;
    EXPECT_LE(bracket.upper - bracket.lower, 1e-3 * bracket.upper) << epsilon;
  }
}

/// delta of one Poisson-sampled Gaussian step, exactly: q delta(log(1 + (e^e - 1) / q)) for the
/// order that removes, by reflection of the negative branch for the other.
double one_step_delta(double q, double mu, double epsilon, pairs::Order order) {
  if (order == pairs::Order::remove) {
    return q * gaussian::delta(mu, std::log1p(std::expm1(epsilon) / q));
  }
  // H_a(Q || mixture) = 1 - a + a H_{1/a}(mixture || Q), at 1/a = e^-epsilon below 1.
  const double inner = 1 + std::expm1(-epsilon) / q;
  if (inner <= 0) return 0;
  const double forward = q * gaussian::delta(mu, std::log(inner));
  return 1 - std::exp(epsilon) + std::exp(epsilon) * forward;
}

TEST(Pld, BracketsOneSampledStepInBothOrders) {
  for (const auto order : {pairs::Order::remove, pairs::Order::add}) {
    for (const double q : {1e-4, 0.3}) {
      for (const double mu : {0.5, 3.0}) {
        std::vector<pld::Component> parts;
        parts.push_back({pairs::poisson(pairs::gaussian(mu), q, order), 1});
        for (const double share : {0.02, 0.3, 0.8}) {
          const double largest = order == pairs::Order::add ? -std::log1p(-q) : 2.0;
          const double epsilon = share * largest;
          const double exact = one_step_delta(q, mu, epsilon, order);
          if (exact < 1e-9) continue;  // the reflected formula cancels there
          const auto bracket = pld::delta_bracket(parts, epsilon);
          const double slack = 1e-15 / exact + 1e-9;
          EXPECT_LE(bracket.lower, exact * (1 + slack)) << q << " " << mu << " " << epsilon;
          EXPECT_GE(bracket.upper, exact * (1 - slack)) << q << " " << mu << " " << epsilon;
          // Losses just below the largest one of the other order crowd into 1e-4 of a range of 7.
          if (order == pairs::Order::add && q < 0.01) continue;
          EXPECT_LE(bracket.upper - bracket.lower, 2e-3 * bracket.upper)
              << q << " " << mu << " " << epsilon;
        }
      }
    }
  }
}

TEST(Pld, HalvingTheGridShrinksTheGapFourfold) {
  for (const auto& [q, sigma, steps] :
       {std::tuple{0.01, 1.0, 1000}, std::tuple{0.1, 2.0, 100}, std::tuple{1.0, 10.0, 100}}) {
    std::vector<pld::Component> parts;
    auto base = pairs::gaussian(1 / sigma);
    parts.push_back(
        {q < 1 ? pairs::poisson(std::move(base), q, pairs::Order::remove) : std::move(base),
         steps});
    const double spread = pld::loss_moments(*parts.front().pair, -40).spread;
    double last = 0;
    for (const double step : {spread / 32, spread / 64, spread / 128}) {
      const auto bracket = pld::epsilon_bracket(
          parts, 1e-6, {.tolerance = 1e-6, .largest_log2_size = 22, .step = step});
      const double gap = bracket.upper - bracket.lower;
      EXPECT_GT(gap, 0);
      if (last > 0) {
        EXPECT_GE(last / gap, 3.5) << q << " " << step;
        EXPECT_LE(last / gap, 4.5) << q << " " << step;
      }
      last = gap;
    }
  }
}

}  // namespace pld_brackets_test
}  // namespace tacet::accounting
