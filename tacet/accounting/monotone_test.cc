#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/composition.h"
#include "tacet/accounting/filter.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/objective.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/accounting/routes/shuffle.h"
#include "tests/support/composition_bounds.h"
#include "tests/support/renyi_bounds.h"
#include "tests/support/textbook_bounds.h"

// More noise, fewer steps, smaller samples, a larger delta: never a larger epsilon. Over full grids
// of every route but the loss distributions, whose grid is beside their code.
namespace tacet::accounting {
namespace monotone_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;

enum class Direction { grows, falls };

struct Axis {
  const char* name;
  std::vector<double> values;  // ascending
  Direction direction;
};

using Cost = std::function<double(const std::vector<double>&)>;

/// Every pair of neighbours in the grid is in order, up to a relative `slack`; and no axis is flat.
void check_grid(const std::vector<Axis>& axes, const Cost& cost, double slack = 0) {
  std::size_t total = 1;
  for (const auto& axis : axes) total *= axis.values.size();
  std::vector<double> results(total);
  std::vector<double> point(axes.size());
  for (std::size_t i = 0; i < total; ++i) {
    for (std::size_t a = axes.size(), rest = i; a-- > 0;) {
      point[a] = axes[a].values[rest % axes[a].values.size()];
      rest /= axes[a].values.size();
    }
    results[i] = cost(point);
    EXPECT_FALSE(std::isnan(results[i]));
    EXPECT_GE(results[i], 0);
  }
  std::size_t stride = total;
  for (const auto& axis : axes) {
    stride /= axis.values.size();
    bool moves = false;
    for (std::size_t i = 0; i < total; ++i) {
      const std::size_t place = i / stride % axis.values.size();
      if (place + 1 == axis.values.size()) continue;
      const bool grows = axis.direction == Direction::grows;
      const double small = grows ? results[i] : results[i + stride];
      const double large = grows ? results[i + stride] : results[i];
      EXPECT_LE(small, large * (1 + slack)) << axis.name << " at setting " << i;
      moves = moves || large > small * (1 + slack);
    }
    EXPECT_TRUE(moves) << axis.name;
  }
}

const Axis deltas{"delta", {1e-30, 1e-12, 1e-8, 1e-6, 1e-5, 1e-3}, Direction::falls};
const Axis noises{"noise", {0.5, 0.6, 0.8, 1, 1.3, 2, 5}, Direction::falls};
const Axis counts{"count", {1, 2, 10, 11, 1000, 100000, 1000000}, Direction::grows};

std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }

double renyi_epsilon(const Event& event, Adjacency adjacency, double delta) {
  const auto curve = rdp::curve(event, adjacency);
  return curve ? rdp::best_epsilon(*curve, Delta(delta)).epsilon : HUGE_VAL;
}

// Minima over orders are found to about 1e-9.
constexpr double search = 1e-8;

TEST(Monotone, RenyiBoundsOfPoissonSamples) {
  const Axis rates{"rate", {1e-5, 1e-3, 0.01, 0.1, 0.9, 1}, Direction::grows};
  const Axis steps{"steps", {1, 10, 11, 10000}, Direction::grows};
  check_grid(
      {rates, noises, steps, {"delta", {1e-12, 1e-6, 1e-3}, Direction::falls}},
      [](const auto& v) {
        return renyi_epsilon(Repeated{whole(v[2]), PoissonSampled{v[0], Gaussian{v[1]}}},
                             add_remove, v[3]);
      },
      search);
}

TEST(Monotone, RenyiDivergencesInTheOrder) {
  const Axis orders{"order", {1.01, 1.5, 2, 2.5, 3, 8, 8.3, 20, 33.3, 64}, Direction::grows};
  const Axis rates{"rate", {1e-4, 0.01, 0.3, 1}, Direction::grows};
  for (const auto one : {&rdp::poisson_gaussian, &rdp::poisson_gaussian_reverse}) {
    check_grid(
        {rates, noises, orders}, [one](const auto& v) { return one(v[0], v[1], v[2]); }, 1e-9);
  }
  check_grid(
      {{"epsilon", {0.01, 0.3, 1, 5}, Direction::grows}, orders},
      [](const auto& v) { return rdp::pure(v[0], v[1]); }, 1e-9);
  check_grid(
      {{"epsilon", {0.01, 0.3, 1, 5}, Direction::grows}, orders},
      [](const auto& v) { return rdp::bounded_range(v[0], v[1]); }, 1e-7);
  check_grid(
      {noises, orders}, [](const auto& v) { return rdp::laplace(v[0], v[1]); }, 1e-9);
}

TEST(Monotone, RenyiBoundsOfFixedSizeSamplesAndOfGeneralMechanisms) {
  const Axis sizes{"sample", {1, 2, 10, 50, 100}, Direction::grows};
  const Axis steps{"steps", {1, 10, 1000}, Direction::grows};
  const Axis few{"delta", {1e-9, 1e-5}, Direction::falls};
  const Axis some{"noise", {1, 2, 4}, Direction::falls};
  check_grid(
      {sizes, some, steps, few},
      [](const auto& v) {
        const Event step = FixedSizeSampled{whole(v[0]), 100, Gaussian{v[1]}};
        return renyi_epsilon(Repeated{whole(v[2]), step}, replace_one, v[3]);
      },
      search);
  const Axis rates{"rate", {1e-4, 0.01, 0.1, 1}, Direction::grows};
  const Axis rhos{"rho", {0.01, 0.1, 1}, Direction::grows};
  for (const auto adjacency : {add_remove, replace_one}) {
    check_grid(
        {rates, rhos, steps, few},
        [adjacency](const auto& v) {
          // A discrete Gaussian of four coordinates: known by its zCDP bound alone.
          const Event base = DiscreteGaussian{std::sqrt(0.5 / v[1]) * 10, 10, 4};
          return renyi_epsilon(Repeated{whole(v[2]), PoissonSampled{v[0], base}}, adjacency, v[3]);
        },
        search);
  }
}

TEST(Monotone, ConcentratedBounds) {
  const Axis rhos{"rho", {1e-6, 1e-3, 0.01, 0.011, 0.5, 2, 50}, Direction::grows};
  check_grid(
      {rhos, deltas}, [](const auto& v) { return zcdp_epsilon(v[0], Delta(v[1])); }, search);
  check_grid({rhos, deltas}, [](const auto& v) { return textbook::zcdp_epsilon(v[0], v[1]); });
  check_grid({counts, noises}, [](const auto& v) {
    return zcdp_rho(Composed{{Repeated{whole(v[0]), Gaussian{v[1]}}, Laplace{v[1]}}}, add_remove);
  });
}

TEST(Monotone, GaussianBounds) {
  const Axis mus{"mu", {1e-4, 0.01, 0.1, 0.11, 1, 4, 30}, Direction::grows};
  check_grid({mus, deltas}, [](const auto& v) { return gaussian::epsilon(v[0], Delta(v[1])); });
  check_grid({mus, counts}, [](const auto& v) { return gaussian::compose(v[0], whole(v[1])); });
  check_grid({counts, noises, deltas}, [](const auto& v) {
    return epsilon(Repeated{whole(v[0]), Gaussian{v[1]}}, replace_one, Delta(v[2]));
  });
  const Axis targets{"epsilon", {0.01, 0.1, 1, 8, 50}, Direction::falls};
  check_grid({targets, deltas},
             [](const auto& v) { return gaussian::sigma_for(1, Epsilon(v[0]), Delta(v[1])); });
}

TEST(Monotone, CompositionsOfPureAndApproximateMechanisms) {
  const Axis each{"epsilon", {0.001, 0.05, 0.06, 1}, Direction::grows};
  const Axis times{"count", {1, 2, 10, 11, 300}, Direction::grows};
  const Axis totals{"total", {0, 0.1, 0.5, 3}, Direction::falls};
  const Axis slacks{"delta of each", {0, 1e-9, 1e-4}, Direction::grows};
  check_grid(
      {each, slacks, times, totals},
      [](const auto& v) {
        return optimal_composition_delta(Epsilon(v[0]), v[1], whole(v[2]), Epsilon(v[3]));
      },
      1e-10);
  check_grid({each, slacks, times}, [](const auto& v) {
    return textbook::advanced_composition({v[0], v[1], add_remove}, whole(v[2]), 1e-6).epsilon +
           1e3 * textbook::advanced_composition({v[0], v[1], add_remove}, whole(v[2]), 1e-6).delta;
  });
  check_grid(
      {{"mu", {0.01, 0.2, 1}, Direction::grows}, each, {"count", {1, 3}, Direction::grows}, deltas},
      [](const auto& v) {
        return gaussian_and_pure_epsilon(v[0], Epsilon(v[1]), whole(v[2]), Delta(v[3]));
      },
      1e-9);
  check_grid({each, {"count", {1, 2, 7}, Direction::grows}}, [](const auto& v) {
    // At a delta that the parts take in full: the sums.
    const Event event = Repeated{whole(v[1]), ApproximateDp{v[0], 1e-9, add_remove}};
    return epsilon_interval(event, add_remove, Delta(v[1] * 1e-9)).upper;
  });
}

TEST(Monotone, TuningAndShuffling) {
  const Axis means{"mean", {2, 5, 10, 11, 100}, Direction::grows};
  const Axis mus{"mu", {0.05, 0.2, 0.7}, Direction::grows};
  const Axis some{"delta", {1e-12, 1e-6, 1e-3}, Direction::falls};
  for (const double eta : {-0.5, 0.0, 1.0}) {
    check_grid(
        {means, mus, some},
        [eta](const auto& v) {
          const double gamma = repetition::gamma_for_mean(eta, v[0]);
          const Event event = RandomlyRepeated{RepetitionLaw::truncated_negative_binomial,
                                               eta,
                                               gamma,
                                               0,
                                               0,
                                               0,
                                               0,
                                               Gaussian{1 / v[1]}};
          return epsilon_interval(event, add_remove, Delta(v[2])).upper;
        },
        1e-9);
  }
  const Axis reports{"reports", {10, 60, 61, 300}, Direction::falls};
  const Axis locals{"local epsilon", {0.1, 0.5, 1, 3}, Direction::grows};
  check_grid(
      {reports, locals, some},
      [](const auto& v) { return shuffle::clones_epsilon(whole(v[0]), v[1], v[2]); }, 1e-8);
}

TEST(Monotone, ObjectivePerturbation) {
  check_grid(
      {{"sigma", {4, 4.5, 8}, Direction::falls},
       {"curvature", {0.1, 0.25}, Direction::grows},
       {"delta", {1e-9, 1e-6, 1e-3}, Direction::falls}},
      [](const auto& v) {
        return objective::epsilon({v[0], 1, v[1], 10, 1e-3, 0.02}, v[2], add_remove);
      },
      1e-9);
}

// What `tacet account --curve` prints: one event at many deltas, by whichever route is the best at
// each. Loss distributions are 1e-3 wide.
TEST(Monotone, CurvesFallWithDeltaWhateverTheRoute) {
  std::vector<double> places{0};
  for (double delta = 1e-14; delta < 0.5; delta *= 10) places.push_back(delta);
  const Event training = Repeated{100, PoissonSampled{0.01, Gaussian{1}}};
  const Event profile = Profile{{{0, 0.01}, {1, 1e-6}, {2, 1e-12}}, add_remove};
  const Event selection =
      RandomlyRepeated{RepetitionLaw::truncated_negative_binomial, 0, 0.1, 0, 0, 0, 0, Gaussian{4}};
  for (const Event& event :
       {training, profile, selection, Event(Gaussian{2}), Event(Laplace{2}),
        Event(Repeated{7, PureDp{0.1, add_remove}}), Event(Zcdp{0.1, add_remove}),
        Event(ApproximateDp{1, 1e-9, add_remove}), Event(DiscreteGaussian{4, 1, 4}),
        Event(Composed{{profile, Zcdp{0.1, add_remove}}}),
        Event(Composed{{Gaussian{2}, Laplace{3}}}), Event(Repeated{2, selection}),
        Event(ObjectivePerturbation{8, 1, 0.25, 10, 1e-3, 0.02})}) {
    double last = HUGE_VAL;
    for (const double delta : places) {
      const auto epsilon = epsilon_interval(event, add_remove, Delta(delta));
      EXPECT_LE(epsilon.upper, last * (1 + 1e-3)) << event_to_json(event) << delta;
      EXPECT_LE(epsilon.lower, epsilon.upper) << event_to_json(event);
      EXPECT_FALSE(epsilon.route.empty()) << event_to_json(event);
      last = epsilon.upper;
    }
    EXPECT_LT(last, 10) << event_to_json(event);
  }
}

}  // namespace monotone_test
}  // namespace tacet::accounting
