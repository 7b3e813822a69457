#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/rdp.h"
#include "tests/support/data_sets.h"

// Our intervals beside what two public libraries print, with the errors those are known to have.
// Where one is off, ours brackets the truth.
namespace tacet::accounting {
namespace public_accountants_test {

constexpr auto add_remove = Adjacency::add_remove;

/// Calls `check` with the numbers and the text of every `every`-th row, from the first one on.
template <typename Check>
void each_row(const char* name, std::size_t expected_rows, std::size_t every, const Check& check) {
  std::ifstream file(test::source_file(std::string("tests/oracles/") + name));
  std::string line;
  std::getline(file, line);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::size_t rows = 0;
  while (std::getline(file, line)) {
    if (rows++ % every != 0) continue;
    std::vector<double> values;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      values.push_back(cell.empty() ? nan : std::stod(cell));
    }
    check(values, line);
  }
  EXPECT_EQ(rows, expected_rows) << name;
}

struct Setting {
  double q, sigma;
  std::int64_t steps;
  double delta;

  explicit Setting(const std::vector<double>& v)
      : q(v[0]), sigma(v[1]), steps(static_cast<std::int64_t>(v[2])), delta(v[3]) {}
  Setting(double rate, double noise, std::int64_t count, double d)
      : q(rate), sigma(noise), steps(count), delta(d) {}

  [[nodiscard]] Event event() const { return Repeated{steps, PoissonSampled{q, Gaussian{sigma}}}; }
  [[nodiscard]] PrivacyInterval interval(double tolerance = 1e-3) const {
    return epsilon_interval(event(), add_remove, Delta(delta), {.tolerance = tolerance});
  }
  [[nodiscard]] std::vector<pld::Component> order(pairs::Order order) const {
    auto pair = pairs::gaussian(1 / sigma);
    if (q < 1) pair = pairs::poisson(std::move(pair), q, order);
    std::vector<pld::Component> parts;
    parts.push_back({std::move(pair), steps});
    return parts;
  }
};

// tests/oracles/accountant.csv, orders apart: upper ends of a loss grid of 1e-4, composed by a
// transform without a bound of its round-off. That round-off is a mass of about one unit of
// rounding a step; four of them a step explain every value below the truth. Upwards a value agrees
// to 0.3% as long as the grid resolves the losses (tenth of their spread).
constexpr double grid_step = 1e-4;

void check_published_losses(std::size_t every) {
  each_row("accountant.csv", 225, every, [](const std::vector<double>& v, const std::string& line) {
    const Setting s(v);
    const double own_error = 4 * 0x1p-53 * static_cast<double>(s.steps) + 1e-15;
    for (const auto& [order, published] :
         {std::pair(pairs::Order::remove, v[8]), std::pair(pairs::Order::add, v[7])}) {
      const auto parts = s.order(order);
      const auto above = pld::epsilon_bracket(parts, s.delta + own_error);
      EXPECT_LE(above.lower, published * (1 + 1e-9)) << line;
      const bool resolved = pld::loss_moments(*parts.front().pair, -40).spread > 10 * grid_step;
      if (order == pairs::Order::add || !resolved || own_error > 0.5 * s.delta) continue;
      const auto below = pld::epsilon_bracket(parts, s.delta - own_error);
      EXPECT_GE(below.upper, published * (1 - 3e-3)) << line;
    }
    EXPECT_EQ(v[6], std::max(v[7], v[8])) << line;
  });
}

TEST(PublicLossAccountant, AgreesWithinItsOwnError) { check_published_losses(47); }
TEST(PublicLossAccountantLong, AllRowsAgreeWithinTheirOwnError) { check_published_losses(1); }

// Two-sided brackets of an independent program put the truth between `low` and `high`.
void check_wide_grid(double delta, double low, double high, double published) {
  const auto interval = Setting(1e-5, 1, 1000000, delta).interval();
  EXPECT_LE(interval.lower, high);
  EXPECT_GE(interval.upper, low);
  EXPECT_LE(interval.upper, high);
  EXPECT_GT(published, 2.29 * interval.upper);
}

TEST(PublicLossAccountant, AGridWiderThanTheLossesCostsAFactor) {
  check_wide_grid(1e-5, 0.036750, 0.036963, 0.085018);
}

TEST(PublicLossAccountantLong, AGridWiderThanTheLossesCostsAFactorAtSmallDeltas) {
  check_wide_grid(1e-12, 0.08047, 0.08089, 0.350149);
}

TEST(PublicLossAccountant, MayExceedTheRenyiBoundOfItsOwnLibrary) {
  const auto renyi = [](const Setting& s) {
    const auto curve = rdp::curve(s.event(), add_remove);
    return curve ? rdp::best_epsilon(*curve, Delta(s.delta)).epsilon : HUGE_VAL;
  };
  EXPECT_LE(renyi(Setting(1e-5, 0.5, 100000, 1e-12)), 5.442971);  // its losses say 16.356865
  EXPECT_LE(renyi(Setting(1e-5, 1, 1000000, 1e-5)), 0.356423 + 1e-6);
  EXPECT_GE(renyi(Setting(1e-5, 1, 1000000, 1e-5)), 9 * 0.036963);
}

TEST(PublicLossAccountant, AFinerGridMakesItsRoundOffWorse) {
  const auto interval = Setting(1e-3, 0.8, 100000, 1e-10).interval(2e-4);
  EXPECT_LE(interval.lower, 4.069366);
  EXPECT_GE(interval.upper, 4.068963);
  EXPECT_GT(interval.lower, 4.067864);  // at its grid of 1e-4
  EXPECT_GT(interval.lower, 4.062593);  // at a grid of 2.5e-5
}

TEST(PublicLossAccountant, ItsOptimisticEstimateIsOffByTheGridTimesTheSteps) {
  const auto interval = Setting(1e-3, 0.8, 10000, 1e-5).interval();
  EXPECT_LE(interval.lower, 0.7825248325);
  EXPECT_GE(interval.upper, 0.7825248325 * (1 - 1e-3));
  EXPECT_GT(interval.lower, 0.2831789292 + 0.49 * 10000 * grid_step);
  EXPECT_LE(interval.lower, 0.2831789292 + 10000 * grid_step);
}

// One step's masses of that library composed with a tilted transform (an upper end that the
// two-sided brackets contain).
TEST(PublicLossAccountant, ItsOneStepLawIsRight) {
  const auto interval = Setting(1e-4, 0.5, 10000, 1e-10).interval(2e-4);
  EXPECT_LE(interval.lower, 5.084387);
  EXPECT_GE(interval.upper, 5.084387 * (1 - 2e-4));
}

// tests/oracles/opacus.csv. Its Renyi bound minimises over a grid of orders, so that the real line
// is at least as good; its loss accountant adds its error bound of 0.01 to an estimate of the
// truth.
void check_opacus(std::size_t every) {
  each_row("opacus.csv", 90, every, [](const std::vector<double>& v, const std::string& line) {
    const Setting s(v);
    const auto curve = rdp::curve(s.event(), add_remove);
    ASSERT_TRUE(curve);
    const double renyi = rdp::best_epsilon(*curve, Delta(s.delta)).epsilon;
    EXPECT_LE(renyi, v[4] * (1 + 1e-9)) << line;
    EXPECT_LE(renyi, v[6] * (1 + 1e-9)) << line;
    EXPECT_GE(renyi, std::min(v[4], v[6]) * (1 - 0.06)) << line;
    const auto interval = s.interval();
    EXPECT_LE(interval.lower + 0.009, v[5]) << line;
    EXPECT_GE(interval.upper + 0.0112, v[5]) << line;
    EXPECT_LT(interval.upper, v[5]) << line;
    EXPECT_LE(interval.upper, renyi * (1 + 1e-12)) << line;
  });
}

TEST(PublicPrvAccountant, IsTheTruthAndItsErrorBound) { check_opacus(13); }
TEST(PublicPrvAccountantLong, AllRowsAreTheTruthAndTheErrorBound) { check_opacus(1); }

// tests/oracles/pld_two_sided.csv: the order that adds, whose brackets are wide there because the
// grid of that program was anchored for the other order only.
void check_two_sided_add(std::size_t every) {
  std::size_t compared = 0;
  each_row("pld_two_sided.csv", 72, every,
           [&](const std::vector<double>& v, const std::string& line) {
             if (v.size() < 10 || std::isnan(v[8]) || std::isnan(v[9])) return;
             ++compared;
             const auto bracket = pld::epsilon_bracket(Setting(v).order(pairs::Order::add), v[3]);
             EXPECT_LE(bracket.lower, v[8] * (1 + 1e-6)) << line;
             EXPECT_GE(bracket.upper, v[9] * (1 - 1e-6)) << line;
           });
  EXPECT_GE(compared * every, 50U);
}

TEST(IndependentBrackets, OverlapInTheOrderThatAdds) { check_two_sided_add(6); }
TEST(IndependentBracketsLong, AllOverlapInTheOrderThatAdds) { check_two_sided_add(1); }

}  // namespace public_accountants_test
}  // namespace tacet::accounting
