#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/calibrate.h"
#include "tacet/accounting/dominating.h"
#include "tacet/accounting/loss/pld.h"
#include "tacet/accounting/routes/rdp.h"

// Reference values of an independent program for the published training of a wide model (rate 1e-4,
// 200,000 steps, delta 1e-5) and a small one; it rounds up.
namespace tacet::accounting {
namespace wide_training_test {

constexpr auto add_remove = Adjacency::add_remove;

pld::Bracket training(double rate, double sigma, std::int64_t steps, pairs::Order order,
                      double delta = 1e-5) {
  std::vector<pld::Component> parts;
  parts.push_back({pairs::poisson(pairs::gaussian(1 / sigma), rate, order), steps});
  return pld::epsilon_bracket(parts, delta, {.tolerance = 3e-4});
}

pld::Bracket on_one_grid(const std::vector<pld::Component>& parts, double step) {
  return pld::epsilon_bracket(parts, 1e-5,
                              {.tolerance = 1e-6, .largest_log2_size = 22, .step = step});
}

TEST(WideModel, NoisySumsAgreeWithTheReferenceInBothOrders) {
  struct Case {
    double rate, sigma;
    std::int64_t steps;
    double remove, add;
  };
  for (const auto& c : {Case{1e-4, 0.32, 200000, 22.34832833, 5.3587316},
                        Case{1e-4, 0.5, 200000, 2.41787354, 1.02476556},
                        Case{0.01, 1, 1000, 1.82823873, 1.41666475}}) {
    for (const auto& [order, expected] :
         {std::pair(pairs::Order::remove, c.remove), std::pair(pairs::Order::add, c.add)}) {
      const auto bracket = training(c.rate, c.sigma, c.steps, order);
      EXPECT_LE(bracket.lower, expected) << c.sigma;
      EXPECT_GE(bracket.upper, expected * (1 - 5e-5)) << c.sigma;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-3 * bracket.upper) << c.sigma;
    }
  }
}

// The reference's own grids: losses in steps of 1e-4, then half of that.
TEST(WideModel, UpperEndsFallWithTheGridAsTheReferenceDoes) {
  for (const auto& [order, coarse, fine] :
       {std::tuple(pairs::Order::remove, 1.82824396, 1.82823873),
        std::tuple(pairs::Order::add, 1.41667266, 1.41666475)}) {
    std::vector<pld::Component> parts;
    parts.push_back({pairs::poisson(pairs::gaussian(1), 0.01, order), 1000});
    const auto wide = on_one_grid(parts, 1e-4);
    const auto narrow = on_one_grid(parts, 5e-5);
    EXPECT_LE(narrow.upper, wide.upper + 1e-9);
    EXPECT_NEAR(wide.upper, coarse, 2e-5);
    EXPECT_NEAR(narrow.upper, fine, 2e-5);
    EXPECT_LE(wide.lower, narrow.upper);
    EXPECT_LE(narrow.lower, fine);
  }
}

// With ten selections of range 0.5 beside the noise.
TEST(WideModelLong, UpperEndsWithSelectionFallWithTheGridToo) {
  const Event step =
      PoissonSampled{0.01, Composed{{Repeated{10, BoundedRange{0.5, add_remove}}, Gaussian{1}}}};
  const auto dominating = internal::dominating_pairs(Repeated{1000, step}, add_remove, 2e-5);
  ASSERT_TRUE(dominating);
  for (const auto& [parts, coarse, fine] : {std::tuple(&dominating->remove, 3.82880847, 3.82880576),
                                            std::tuple(&dominating->add, 2.24784109, 2.24783513)}) {
    const auto wide = on_one_grid(*parts, 1e-4);
    const auto narrow = on_one_grid(*parts, 5e-5);
    EXPECT_LE(narrow.upper, wide.upper + 1e-9);
    EXPECT_NEAR(wide.upper, coarse, 2e-5);
    EXPECT_NEAR(narrow.upper, fine, 2e-5);
  }
}

TEST(WideModel, FixedSizeSamplesOfReplacedRecordsCostAtLeastTheReference) {
  // The reference is what two data sets attain: all other records opposite to the sampled one. The
  // dominating pair costs more.
  const Event step = FixedSizeSampled{20, 200000, Gaussian{0.5}};
  const auto interval = epsilon_interval(Repeated{200000, step}, Adjacency::replace_one,
                                         Delta(1e-5), {.attained = true});
  EXPECT_LE(interval.attained, 75.66812854);
  EXPECT_GE(interval.attained, 75.66812854 * (1 - 1e-3));
  EXPECT_GT(interval.lower, 82);
  EXPECT_LE(interval.upper - interval.lower, 1e-3 * interval.upper);
}

TEST(WideModel, ThresholdedRowsAndGradientAreOneGaussian) {
  const Event step = PoissonSampled{1e-4, Composed{{Gaussian{5}, Gaussian{0.51}}}};
  EXPECT_NEAR(5 * 0.51 / std::hypot(5, 0.51), 0.5073675, 5e-8);
  const auto interval = epsilon_interval(Repeated{200000, step}, add_remove, Delta(1e-5));
  EXPECT_LE(interval.lower, 2.22625);
  EXPECT_GE(interval.upper, 2.2262);
  EXPECT_TRUE(interval.lower_is_attained);
}

/// The smallest epsilon over all orders, and the largest within 0.01 of the best order.
struct RenyiBound {
  double best = 0;
  double beside = 0;
};

/// Renyi bounds of 200,000 steps at rate 1e-4 and delta 1e-5, the two orders apart.
std::pair<RenyiBound, RenyiBound> renyi_orders(const Event& step) {
  const auto found = rdp::curve(step, add_remove);
  if (!found) return {};
  // Integers only are asked for.
  const auto base = [curve = *found, known = std::map<double, double>()](double alpha) mutable {
    auto [place, fresh] = known.try_emplace(alpha, 0.0);
    if (fresh) place->second = curve(alpha);
    return place->second;
  };
  const auto total = [&](double (*one)(double, const rdp::Curve&, double)) {
    const rdp::Curve curve = base;
    const auto composed = [&](double order) { return 200000 * one(1e-4, curve, order); };
    const auto best = rdp::best_epsilon(composed, Delta(1e-5));
    RenyiBound bound{best.epsilon, best.epsilon};
    for (const double order : {std::max(1.001, best.alpha - 0.01), best.alpha + 0.01}) {
      bound.beside = std::max(bound.beside, rdp::to_epsilon(order, composed(order), 1e-5));
    }
    return bound;
  };
  return {total(rdp::poisson_remove), total(rdp::poisson_add)};
}

/// The minima have kinks at integer orders, which the reference's search approached to 0.002 (its
/// 3.523786684890045 is the bound at order 3.998338; at order 4 the bound is 3.522200756176,
/// computed at 40 digits). Ours meets them.
void expect_bound(const RenyiBound& bound, double reference, double tolerance = 1e-6) {
  EXPECT_LE(bound.best, reference + tolerance);
  EXPECT_GE(bound.best, reference * (1 - 1e-3) - tolerance);
  EXPECT_GE(bound.beside, reference - tolerance);
}

/// `epsilon` of selection is spent per step by `draws` draws over `candidates` scores up to
/// `bound`.
Event selection_step(std::int64_t draws, double bound, double spent, std::int64_t candidates,
                     std::int64_t support) {
  const double range = std::min(2 * bound, std::sqrt(2.0) * 0.75);
  const ScoreSelection draw{spent / (2 * bound),    bound,   0.75,      range,
                            candidates - draws + 1, support, add_remove};
  return Composed{{Repeated{draws, draw}, Gaussian{0.5}}};
}

TEST(WideModel, RenyiBoundsOfBothOrdersAgreeWithTheReference) {
  struct Case {
    double spent, remove, add;
  };
  for (const auto& c : {Case{0.27022777, 3.525622179580735, 1.3609110243797562},
                        {0.28378695, 3.525835317468896, 1.3610151377794177},
                        {1, 3.5772086612377088, 1.3798815842883032},
                        {2, 5.036681386184317, 1.5106635561707051},
                        {3, 6.904994898741833, 2.114575855980051},
                        {4, 11.731235467855933, 6.251642326206095},
                        {5, 399.9, HUGE_VAL}}) {
    const auto [remove, add] = renyi_orders(selection_step(100, 0.1, c.spent, 100000, 1000));
    SCOPED_TRACE(c.spent);
    expect_bound(remove, c.remove, c.spent == 5 ? 0.05 : 1e-6);
    if (c.spent < 5) expect_bound(add, c.add);
  }
  const auto [remove, add] = renyi_orders(Gaussian{0.5});
  EXPECT_NEAR(remove.best, 3.522200756176, 1e-9);
  expect_bound(remove, 3.523786684890045);
  expect_bound(add, 1.3599794777236365);
}

// The same steps known only by the range of their losses, where its Renyi bound explodes.
TEST(WideModel, RangesOfLossesAloneAgreeWithTheReference) {
  struct Case {
    double spent, epsilon, tolerance;
  };
  for (const auto& c :
       {Case{0.27022777, 9.55418807, 1e-6}, {0.28378695, 10.94283271, 1e-6}, {1, 1.92e6, 0.01e6}}) {
    const Event step = Composed{{Repeated{100, BoundedRange{c.spent, add_remove}}, Gaussian{0.5}}};
    SCOPED_TRACE(c.spent);
    expect_bound(renyi_orders(step).first, c.epsilon, c.tolerance);
  }
}

TEST(WideModel, SelectedRowsAgreeWithTheReferenceInBothOrders) {
  struct Case {
    std::int64_t draws;
    double bound, spent, remove, add;
  };
  for (const auto& c :
       {Case{10, 0.25, 2, 5.0858236, 1.6106178}, Case{20, 0.25, 2, 5.3499538, 1.9161233},
        Case{20, 0.25, 3, 11.573145, 5.8563373}, Case{20, 0.75, 4, 10.419329, 2.3382781}}) {
    const Event step = selection_step(c.draws, c.bound, c.spent, 1000, 10);
    const auto [remove, add] = renyi_orders(step);
    SCOPED_TRACE(c.spent);
    expect_bound(remove, c.remove);
    expect_bound(add, c.add);
    const auto interval =
        epsilon_interval(Repeated{200000, PoissonSampled{1e-4, step}}, add_remove, Delta(1e-5));
    EXPECT_LE(interval.upper, c.remove * (1 + 1e-4)) << c.draws << " " << c.spent;
    EXPECT_GE(interval.upper, c.remove * (1 - 1e-2)) << c.draws << " " << c.spent;
    EXPECT_EQ(interval.route, "rdp");
    // Without what is known of supports and norms.
    const Event by_range =
        Composed{{Repeated{c.draws, BoundedRange{c.spent, add_remove}}, Gaussian{0.5}}};
    EXPECT_GT(renyi_orders(by_range).first.best, 600) << c.draws << " " << c.spent;
  }
}

TEST(WideModel, RenyiBoundsOfTheNoisySumAlone) {
  const auto epsilon = [](double sigma) {
    const auto curve =
        rdp::curve(Repeated{200000, PoissonSampled{1e-4, Gaussian{sigma}}}, add_remove);
    return curve ? rdp::best_epsilon(*curve, Delta(1e-5)).epsilon : HUGE_VAL;
  };
  EXPECT_LE(epsilon(0.32), 25.8717);  // over integer orders; here over all
  EXPECT_GE(epsilon(0.32), 25.8717 * (1 - 2e-3));
  EXPECT_LE(epsilon(0.5), 3.523787);
}

// A record replaced is one removed and one added: group privacy of the two orders bounds it, and
// the pair of a replaced record is smaller.
TEST(WideModel, ReplacingARecordCostsLessThanRemovingAndAddingOne) {
  const double add_share = 0.2e-5;
  const auto add = training(1e-4, 0.5, 200000, pairs::Order::add, add_share);
  EXPECT_LE(add.lower, 1.1177918);
  EXPECT_GE(add.upper, 1.1177918 * (1 - 1e-3));
  const double rest = (1e-5 - add_share) / std::exp(1.1177918);
  const auto remove = training(1e-4, 0.5, 200000, pairs::Order::remove, rest);
  EXPECT_LE(remove.lower, 2.8960619);
  EXPECT_GE(remove.upper, 2.8960619 * (1 - 1e-3));
  EXPECT_NEAR(add.upper + remove.upper, 4.0138538769, 3e-3);
  const auto replaced = epsilon_interval(Repeated{200000, PoissonSampled{1e-4, Gaussian{0.5}}},
                                         Adjacency::replace_one, Delta(1e-5));
  EXPECT_GE(replaced.upper, 2.41787354);
}

TEST(WideModelLong, NoiseOfTargetsAgreesWithTheReference) {
  const SampledGaussianPlan plan{SamplingRate(1e-4), 200000};
  for (const auto& [target, sigma] :
       {std::pair(1.0, 0.57703), std::pair(2.0, 0.51696), std::pair(3.5258, 0.46547),
        std::pair(8.0, 0.39287), std::pair(30.0, 0.30195)}) {
    const auto noise = calibrate_noise(plan, {Epsilon(target), Delta(1e-5), add_remove});
    EXPECT_NEAR(noise.value(), sigma, 6e-4) << target;
  }
}

// Closer than the reference's own grid, whose values 22.34832833 and .46547 are a little off.
TEST(WideModelLong, PublishedNoiseCostsThisMuch) {
  const SampledGaussianPlan plan{SamplingRate(1e-4), 200000};
  const auto noise = calibrate_noise(plan, {Epsilon(3.5258), Delta(1e-5), add_remove});
  EXPECT_NEAR(noise.value(), 0.465412, 1e-5);
  const auto published = epsilon_interval(Repeated{200000, PoissonSampled{1e-4, Gaussian{0.32}}},
                                          add_remove, Delta(1e-5));
  EXPECT_GE(published.lower, 22.3385 * (1 - 1e-4));
  EXPECT_LE(published.upper, 22.3608 * (1 + 1e-4));
}

TEST(BoundedRangePair, AgreesWithTheReferenceTable) {
  struct Case {
    double epsilon, at_0, at_half, kl, second;
  };
  for (const auto& c :
       {Case{0.2837869536727621, 0.0708279422174688, 0.01898497483432474, 0.013404523956477978,
             1.0270256597005392},
        Case{1, 0.24491866240370913, 0.07740468631569086, 0.1639534137386526, 1.3620537565434958},
        Case{4, 0.7615941559557649, 0.40703144179806233, 2.149258882910192, 18.538821890677657}}) {
    const auto pair = pairs::bounded_range(c.epsilon);
    const auto delta = [&](double epsilon) {
      const auto m = pair->interval(epsilon, HUGE_VAL);
      return m.p - std::exp(epsilon) * m.q;
    };
    EXPECT_NEAR(delta(0) / c.at_0, 1, 1e-12);
    EXPECT_NEAR(delta(c.epsilon / 2) / c.at_half, 1, 1e-12);
    // KL and E_Q[(P/Q)^2] over narrow cells.
    constexpr int cells = 4000;
    double kl = 0;
    double second = 0;
    for (int i = 0; i < cells; ++i) {
      const double low = -c.epsilon + 2 * c.epsilon * i / cells;
      const auto m = pair->interval(low, low + 2 * c.epsilon / cells);
      kl += m.p * m.log_ratio;
      second += m.p * std::exp(m.log_ratio);
    }
    EXPECT_NEAR(kl / c.kl, 1, 1e-5);
    EXPECT_NEAR(second / c.second, 1, 1e-5);
  }
}

// A record joins some fifty of 6.5e7 steps: the usual transform leaves the interval 23 % wide.
TEST(WideTrainingLong, MillionsOfRareUsesAtATinyDeltaAreNarrow) {
  const Event event = Repeated{65'000'000, PoissonSampled{8.5e-7, Gaussian{.758}}};
  const auto interval = epsilon_interval(event, add_remove, Delta(1.1e-15));
  EXPECT_TRUE(interval.lower_is_attained);
  EXPECT_LE(interval.upper, interval.lower * 1.01);
  EXPECT_NEAR(interval.upper, .1084, 1e-4);
}

// Its neighbours: transforms of more than 2^20 are left to what cannot be taken apart, so that they
// do not use up the work that one interval may take.
TEST(WideTrainingLong, NeighboursOfThatSettingAreNarrowToo) {
  struct Neighbour {
    std::int64_t steps;
    double delta;
  };
  for (const auto& n : {Neighbour{65'000'000, 1e-12}, Neighbour{65'000'000, 1e-10},
                        Neighbour{100'000'000, 1e-13}}) {
    const Event event = Repeated{n.steps, PoissonSampled{8.5e-7, Gaussian{.758}}};
    const auto interval = epsilon_interval(event, add_remove, Delta(n.delta));
    EXPECT_LE(interval.upper, interval.lower * 1.001) << n.steps << " " << n.delta;
  }
}

}  // namespace wide_training_test
}  // namespace tacet::accounting
