#include "tacet/accounting/loss/pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/numeric/rounding.h"

// One record of a Poisson sample replaced by another: docs/proofs/replaced_record.md.
namespace tacet::accounting {
namespace replaced_pair_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;
constexpr auto zero_out = Adjacency::zero_out;
using numeric::infinity;

/// sup_S P(S) - gamma Q(S).
double profile(const pairs::Pair& pair, double gamma) {
  const auto m = pair.interval(std::log(gamma), infinity);
  return m.p - gamma * m.q + pair.infinite_mass();
}

struct Setting {
  double q, s;
  std::int64_t steps;
  double delta, epsilon;

  [[nodiscard]] PrivacyInterval interval() const {
    return epsilon_interval(Repeated{steps, PoissonSampled{q, Gaussian{s}}}, replace_one,
                            Delta(delta));
  }
};

// Reference values by inversion of the Laplace transform on the saddle line, accurate to 1e-9, each
// inside a two-sided bracket of a loss grid of its own.
void check_composed(const std::vector<Setting>& settings) {
  for (const auto& c : settings) {
    const auto interval = c.interval();
    EXPECT_GE(interval.upper, c.epsilon * (1 - 3e-9)) << c.q << " " << c.s;
    EXPECT_LE(interval.lower, c.epsilon * (1 + 3e-9)) << c.q << " " << c.s;
    EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper) << c.q << " " << c.s;
    EXPECT_TRUE(interval.lower_is_attained) << c.q << " " << c.s;
    EXPECT_EQ(interval.attained, interval.lower) << c.q << " " << c.s;
  }
}

TEST(ReplacedRecord, ComposedSamplesAgreeWithTheReference) {
  check_composed({{.01, 1, 1, 1e-5, 0.209371556},
                  {.01, 1, 1000, 1e-5, 2.843440259},
                  {.001, .8, 3000, 1e-6, 0.748954292},
                  {256.0 / 60000, 1.1, 14063, 1e-5, 4.221469903},
                  {.05, 2, 500, 1e-6, 5.551003530},
                  {.2, 4, 200, 1e-6, 7.250149650},
                  {.5, 3, 10, 1e-8, 6.036417586},
                  {1e-4, .5, 100000, 1e-7, 3.778420466},
                  {.022, 1.07, 285, 1e-5, 3.114307227},
                  {.9, 10, 100, 1e-10, 12.636278041},
                  {.01, 1, 1000, 1e-20, 7.547464238},
                  {1, 5, 20, 1e-6, 9.617399112}});
}

// 40 digits.
TEST(ReplacedRecord, OneStepHasItsClosedForm) {
  struct Case {
    double q, s, epsilon, delta;
  };
  for (const auto& c : {Case{.01, 1, .2, 1.17206616810782e-5},
                        {.01, 1, 2, 1.85458009386854e-12},
                        {.5, 3, .5, .011698950488755},
                        {.001, .5, 3, 1.35943071306925e-8},
                        {.2, 10, .01, .0114861620300494}}) {
    const auto found =
        delta_interval(PoissonSampled{c.q, Gaussian{c.s}}, replace_one, Epsilon(c.epsilon));
    EXPECT_GE(found.upper, c.delta * (1 - 1e-13)) << c.q;
    EXPECT_LE(found.lower, c.delta * (1 + 1e-13)) << c.q;
    EXPECT_NEAR(found.upper / c.delta, 1, 1e-11) << c.q;
    EXPECT_NEAR(found.lower / c.delta, 1, 1e-11) << c.q;
  }
}

// Arbitrary precision.
TEST(ReplacedRecord, LaplaceNoiseAgreesWithTheReference) {
  struct Step {
    double q, b, epsilon, delta;
  };
  for (const auto& c : {Step{.1, 1, .1, .0294464326667285},
                        {.5, 2, .3, .079053032687977},
                        {.01, .5, .02, .00462090070094012}}) {
    const auto found =
        delta_interval(PoissonSampled{c.q, Laplace{c.b}}, replace_one, Epsilon(c.epsilon));
    EXPECT_NEAR(found.upper / c.delta, 1, 1e-11) << c.q;
    EXPECT_NEAR(found.lower / c.delta, 1, 1e-11) << c.q;
    EXPECT_TRUE(found.lower_is_attained);
  }
  const double pure = epsilon_interval(PoissonSampled{.1, Laplace{1}}, replace_one, Delta(0)).upper;
  EXPECT_NEAR(pure, .223863414739263, 1e-14);
  for (const auto& [q, b, steps, delta, epsilon] :
       {std::tuple(.1, 1.0, 50, 1e-5, 4.780131119), std::tuple(.5, 2.0, 200, 1e-6, 45.069111390),
        std::tuple(.01, .5, 1000, 1e-6, 4.651971989)}) {
    const auto interval =
        epsilon_interval(Repeated{steps, PoissonSampled{q, Laplace{b}}}, replace_one, Delta(delta));
    EXPECT_GE(interval.upper, epsilon * (1 - 1e-9)) << q;
    EXPECT_LE(interval.lower, epsilon * (1 + 1e-9)) << q;
    EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper) << q;
    EXPECT_TRUE(interval.lower_is_attained);
  }
}

/// H_gamma of the runs with two contributions u and v in the plane and noise `s`, by midpoints on a
/// grid of step s / 8: what the kink of its integrand costs is below a thousandth.
struct Plane {
  double s, gamma;
  double rate_u, rate_v;

  [[nodiscard]] double divergence(const double (&u)[2], const double (&v)[2]) const {
    const double step = s / 8;
    const double reach = 1 + 5 * s;
    const auto near = [&](double x, double y, const double(&at)[2]) {
      const double dx = x - at[0];
      const double dy = y - at[1];
      return std::exp(-(dx * dx + dy * dy) / (2 * s * s));
    };
    const double none[2] = {0, 0};
    double sum = 0;
    for (double x = -reach + step / 2; x < reach; x += step) {
      for (double y = -reach + step / 2; y < reach; y += step) {
        const double without = near(x, y, none);
        const double p = (1 - rate_u) * without + rate_u * near(x, y, u);
        const double q = (1 - rate_v) * without + rate_v * near(x, y, v);
        sum += std::max(0.0, p - gamma * q);
      }
    }
    return sum * step * step / (2 * M_PI * s * s);
  }
};

/// How many of `count` random pairs of contributions of norm at most 1 (every fourth one of norm 1
/// and opposite to its partner, up to a small angle), with rates up to q, beat `bound`.
template <typename Bound>
int pairs_that_beat(int count, const Bound& bound) {
  std::mt19937_64 bits(20240715);
  std::uniform_real_distribution<double> uniform(0, 1);
  int beaten = 0;
  for (int i = 0; i < count; ++i) {
    const double q = std::vector{.02, .3, .8}[static_cast<std::size_t>(i % 3)];
    const double s = std::vector{.5, 1.0, 3.0}[static_cast<std::size_t>(i / 3 % 3)];
    const double gamma = std::exp(std::vector{-.3, 0.05, .5}[static_cast<std::size_t>(i / 9 % 3)]);
    const bool extreme = i % 4 == 0;
    const double first = 2 * M_PI * uniform(bits);
    const double second = extreme ? first + M_PI + 0.02 * uniform(bits) : 7 * uniform(bits);
    const double length = extreme ? 1 : uniform(bits);
    const double other = extreme ? 1 : std::sqrt(uniform(bits));
    const double u[2] = {length * std::cos(first), length * std::sin(first)};
    const double v[2] = {other * std::cos(second), other * std::sin(second)};
    const bool full = uniform(bits) < 0.5;
    const Plane plane{s, gamma, full ? q : q * uniform(bits), full ? q : q * uniform(bits)};
    const double found = plane.divergence(u, v);
    if (found > bound(1 / s, q, gamma) * (1 + 2e-3) + 2e-6) ++beaten;
  }
  return beaten;
}

TEST(ReplacedRecord, NoTwoContributionsInThePlaneBeatThePair) {
  EXPECT_EQ(pairs_that_beat(1000,
                            [](double mu, double q, double gamma) {
                              return profile(*pairs::replaced_gaussian(mu, q), gamma);
                            }),
            0);
  // The pair of a record that is added: a distance of 1 in place of 2.
  EXPECT_GT(pairs_that_beat(100,
                            [](double mu, double q, double gamma) {
                              const auto pair =
                                  pairs::poisson(pairs::gaussian(mu), q, pairs::Order::remove);
                              return profile(*pair, gamma);
                            }),
            20);
}

/// Discrete noise by its probabilities, P(k) ~ weight(k).
template <typename Weight>
double discrete_profile(const Weight& weight, double q, std::int64_t u, std::int64_t v,
                        double gamma) {
  constexpr std::int64_t reach = 400;
  double total = 0;
  for (std::int64_t k = -reach; k <= reach; ++k) total += weight(k);
  double sum = 0;
  for (std::int64_t k = -reach; k <= reach; ++k) {
    const double without = (1 - q) * weight(k);
    sum += std::max(0.0, without + q * weight(k - u) - gamma * (without + q * weight(k - v)));
  }
  return sum / total;
}

template <typename Weight>
void check_discrete(const Event& event, std::int64_t bound, const Weight& weight) {
  for (const double q : {.01, .4, .9}) {
    const Event sampled = PoissonSampled{q, event};
    for (const double epsilon : {0.0, .03, .3, 1.0}) {
      const double gamma = std::exp(epsilon);
      const auto found = delta_interval(sampled, replace_one, Epsilon(epsilon));
      EXPECT_TRUE(found.lower_is_attained || found.upper == 0);
      double worst = 0;
      for (std::int64_t u = -bound; u <= bound; ++u) {
        for (std::int64_t v = -bound; v <= bound; ++v) {
          worst = std::max(worst, discrete_profile(weight, q, u, v, gamma));
        }
      }
      EXPECT_NEAR(found.upper, worst, 1e-12 + 1e-10 * worst) << q << " " << epsilon;
      EXPECT_NEAR(found.lower, worst, 1e-12 + 1e-10 * worst) << q << " " << epsilon;
      // A bound one unit too small is beaten.
      if (epsilon > 0 && worst > 1e-9) {
        EXPECT_GT(worst, 1.01 * discrete_profile(weight, q, bound - 1, 1 - bound, gamma));
      }
    }
  }
}

TEST(ReplacedRecord, DiscreteNoiseIsExactAndNoContributionsBeatIt) {
  check_discrete(DiscreteGaussian{2.5, 3, 1}, 3, [](std::int64_t k) {
    return std::exp(-static_cast<double>(k * k) / (2 * 2.5 * 2.5));
  });
  check_discrete(DiscreteLaplace{2, 3}, 3,
                 [](std::int64_t k) { return std::exp(-static_cast<double>(std::abs(k)) / 2); });
}

// The lists of both noises composed: above one step, inside the group bound, narrow.
TEST(ReplacedRecord, DiscreteNoiseComposes) {
  for (const Event& base : {Event(DiscreteGaussian{4, 2, 1}), Event(DiscreteLaplace{8, 4})}) {
    const auto one = epsilon_interval(PoissonSampled{.1, base}, replace_one, Delta(1e-6));
    const auto all =
        epsilon_interval(Repeated{100, PoissonSampled{.1, base}}, replace_one, Delta(1e-6));
    EXPECT_GT(all.lower, one.upper);
    EXPECT_LE(all.upper - all.lower, 1e-3 * all.upper);
    EXPECT_TRUE(all.lower_is_attained);
  }
}

// The pair of a base on a list is that of its closed form, up to the list's own steps.
TEST(ReplacedRecord, ListsAgreeWithClosedForms) {
  const double mu = .7;
  std::vector<pairs::Atom> atoms;
  constexpr double step = 0.004;
  for (int i = -2500; i <= 2500; ++i) {
    const double low = (i - .5) * step;
    const auto m = pairs::gaussian(mu)->interval(low, low + step);
    atoms.push_back({i * step, m.p, m.q});
  }
  for (const double q : {.01, .5}) {
    const auto list = pairs::replaced_list(atoms, 0, 0, q);
    const auto closed = pairs::replaced_gaussian(mu, q);
    for (const double gamma : {.5, .9, 1.0, 1.1, 1.5}) {
      const double exact = profile(*closed, gamma);
      EXPECT_NEAR(profile(*list, gamma), exact, 1e-4 * exact + 1e-9) << q << " " << gamma;
    }
  }
}

// Three losses: e', 0 and -e'.
TEST(ReplacedRecord, StatedPureGuaranteesAreAmplified) {
  for (const double q : {.05, .6}) {
    for (const double epsilon : {.2, 1.5}) {
      const double up = 1 - q + q * std::exp(epsilon);
      const double down = 1 - q + q * std::exp(-epsilon);
      const double most = std::log(up / down);
      const Event event = PoissonSampled{q, PureDp{epsilon, add_remove}};
      for (const auto adjacency : {replace_one, zero_out}) {
        EXPECT_NEAR(epsilon_interval(event, adjacency, Delta(0)).upper, most, 1e-13);
        const double e = 0.4 * most;
        const double share = 1 / (1 + std::exp(epsilon));
        EXPECT_NEAR(delta_interval(event, adjacency, Epsilon(e)).upper,
                    share * (up - std::exp(e) * down), 1e-12);
      }
      EXPECT_LT(most, 2 * epsilon_interval(event, add_remove, Delta(0)).upper);
    }
  }
}

TEST(ReplacedRecord, ApproximateGuaranteesAreAmplified) {
  const double q = .1;
  const Event event = PoissonSampled{q, ApproximateDp{1, 1e-7, add_remove}};
  const double most = std::log((1 - q + q * std::exp(1)) / (1 - q + q * std::exp(-1)));
  const double at_most = q * 1e-7 * (1 + std::exp(most - 1));
  EXPECT_LE(delta_interval(event, replace_one, Epsilon(most * (1 + 1e-13))).upper,
            at_most * (1 + 1e-6));
  EXPECT_LE(epsilon_interval(event, replace_one, Delta(at_most * (1 + 1e-9))).upper,
            most * (1 + 1e-9));
  EXPECT_GT(delta_interval(event, replace_one, Epsilon(most * (1 - 1e-3))).upper, at_most);
}

// (2 e, delta) holds for two records where one has (e, delta') with delta' (1 + e^e) <= delta.
TEST(ReplacedRecord, NeverAboveTwoRecordsOfTheSameEvent) {
  for (const Event& event :
       {Event(Repeated{1000, PoissonSampled{.01, Gaussian{1}}}),
        Event(Repeated{20, PoissonSampled{.1, Laplace{2}}}),
        Event(Repeated{20, PoissonSampled{.1, PureDp{.3, add_remove}}}),
        Event(Repeated{20, PoissonSampled{.1, BoundedRange{.3, add_remove}}}),
        Event(Repeated{20, PoissonSampled{.1, Zcdp{.05, add_remove}}}),
        Event(Repeated{20, PoissonSampled{.1, DiscreteGaussian{4, 1, 4}}}),
        Event(Repeated{20, PoissonSampled{.1, Composed{{Gaussian{2}, Laplace{4}}}}}),
        Event(Repeated{3, DiscreteGaussian{4, 1, 4}}),
        Event(Composed{{PoissonSampled{.1, Gaussian{1}}, DiscreteGaussian{4, 1, 4}}})}) {
    for (const auto adjacency : {replace_one, zero_out}) {
      const double found = epsilon_interval(event, adjacency, Delta(1e-6)).upper;
      const double less = 0.5 * found / (1 + 1.1e-3);
      const Delta share(1e-6 / (1 + std::exp(less)));
      EXPECT_GT(epsilon_interval(event, add_remove, share).upper, less) << event_to_json(event);
    }
  }
}

// A record that is emptied never costs more than one that is replaced by any other.
TEST(ReplacedRecord, EmptiedRecordsCostAtMostAsMuch) {
  for (const Event& base : {Event(Gaussian{1}), Event(Laplace{1}), Event(DiscreteLaplace{4, 4}),
                            Event(DiscreteGaussian{2, 1, 1}), Event(PureDp{.5, add_remove})}) {
    const Event event = Repeated{30, PoissonSampled{.05, base}};
    EXPECT_LE(epsilon_interval(event, zero_out, Delta(1e-6)).upper,
              epsilon_interval(event, replace_one, Delta(1e-6)).upper * (1 + 1e-3))
        << event_to_json(event);
  }
}

void check_monotone(const std::vector<double>& rates, const std::vector<double>& noises,
                    const std::vector<std::int64_t>& counts) {
  const auto upper = [](double q, double s, std::int64_t steps) {
    return Setting{q, s, steps, 1e-6, 0}.interval().upper;
  };
  for (const double q : rates) {
    for (const double s : noises) {
      for (const std::int64_t steps : counts) {
        const double here = upper(q, s, steps) * (1 - 1e-3);
        EXPECT_GE(upper(q * 1.2, s, steps), here) << q << " " << s << " " << steps;
        EXPECT_GE(upper(q, s / 1.2, steps), here) << q << " " << s << " " << steps;
        EXPECT_GE(upper(q, s, steps + steps / 2 + 1), here) << q << " " << s << " " << steps;
      }
    }
  }
}

TEST(ReplacedRecord, MoreOfAnythingCostsMore) { check_monotone({1e-3, .2}, {.8, 2}, {1, 100}); }
TEST(ReplacedRecordLong, MoreOfAnythingCostsMoreOnAGrid) {
  check_monotone({1e-3, .05, .6}, {.7, 2}, {1, 30, 1000});
}

TEST(ReplacedRecord, PairsAreNondecreasingInTheRateAndTheContribution) {
  for (const double gamma : {.3, .99, 1.01, 1.4, 3.0, 20.0}) {
    double last = 0;
    for (double q = 1e-4; q < 1; q *= 1.9) {
      const double here = profile(*pairs::replaced_gaussian(.8, q), gamma);
      EXPECT_GE(here, last * (1 - 1e-12));
      EXPECT_LE(here, profile(*pairs::replaced_gaussian(.9, q), gamma) * (1 + 1e-12));
      EXPECT_LE(profile(*pairs::replaced_laplace(.8, q), gamma),
                profile(*pairs::replaced_laplace(.9, q), gamma) * (1 + 1e-12) + 1e-15);
      last = here;
    }
    // The end: all records, at twice the distance.
    EXPECT_NEAR(profile(*pairs::replaced_gaussian(.8, 1 - 1e-12), gamma),
                profile(*pairs::gaussian(1.6), gamma), 1e-9);
    EXPECT_NEAR(profile(*pairs::replaced_laplace(.8, 1 - 1e-12), gamma),
                profile(*pairs::laplace(1 / 1.6), gamma), 1e-9);
  }
}

// Heavy tails on both sides of a bulk of tiny losses.
TEST(ReplacedRecord, RareLargeLossesStayNarrow) {
  for (const auto& c : {Setting{1e-3, .8 / 1.2, 100, 1e-6, 0}, Setting{1e-5, .5, 1000, 1e-9, 0},
                        Setting{1e-5, .3, 10000, 1e-8, 0}, Setting{1e-8, .2, 100, 1e-9, 0},
                        Setting{1e-6, 1, 100000, 1e-10, 0}, Setting{1.5e-9, .2, 44, 1e-11, 0}}) {
    const auto interval = c.interval();
    EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper) << c.q << " " << c.s;
    EXPECT_TRUE(interval.lower_is_attained);
  }
}

/// Cells beyond the reach of numbers have masses without ratios; nothing breaks on them.
void check_edges(double s, std::initializer_list<double> rates) {
  for (const double q : rates) {
    const Event event = Repeated{10, PoissonSampled{q, Gaussian{s}}};
    const auto interval = epsilon_interval(event, replace_one, Delta(1e-7));
    const double two = epsilon_interval(event, add_remove, Delta(1e-7)).upper;
    EXPECT_LE(interval.lower, interval.upper) << s << " " << q;
    EXPECT_GE(interval.upper, two * (1 - 1e-3)) << s << " " << q;
    EXPECT_LE(interval.upper, gaussian::epsilon(2 * std::sqrt(10.0) / s, Delta(1e-7)) * (1 + 1e-3))
        << s << " " << q;
  }
}

TEST(ReplacedRecord, RatesAndNoiseAtTheEdges) {
  check_edges(.02, {1e-12});
  check_edges(.2, {1 - 1e-9});
  check_edges(1e7, {1e-5});
}

TEST(ReplacedRecordLong, RatesAndNoiseAtTheEdges) {
  for (const double s : {.02, .2, 1e3, 1e7}) check_edges(s, {1e-12, 1e-5, .5, 1 - 1e-9});
}

}  // namespace replaced_pair_test
}  // namespace tacet::accounting
