#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/loss/pairs.h"
#include "tacet/numeric/rounding.h"

// Bases of which more than half is infinite loss: slopes of 0 at both ends of [0, 1] meet.
namespace tacet::accounting {
namespace replaced_list_test {

using numeric::infinity;

struct Setting {
  std::int64_t uses;
  double rate, epsilon, delta, at, expected;  // expected: delta of all uses at epsilon `at`
};

// The laws of the pair on [0, 1] (docs/proofs/replaced_record.md), composed exactly.
TEST(ReplacedList, HalfOrMoreOfInfiniteLossIsComposedWhole) {
  for (const auto& c : std::vector<Setting>{{10, .02, 2, .7, 0, .167156},
                                            {2, .1, 1, .6, 0, .1745},
                                            {10, .1, 1, .6, .2, .5112},
                                            {10, .3, 3, .8, 1.5, .9599},
                                            {3, .5, 2, .9, 1.5, .8543},
                                            {100, .001, 1, .7, 0, .07179}}) {
    const Event event = Repeated{
        c.uses, PoissonSampled{c.rate, ApproximateDp{c.epsilon, c.delta, Adjacency::add_remove}}};
    for (const auto adjacency : {Adjacency::replace_one, Adjacency::zero_out}) {
      const auto stated = delta_interval(event, adjacency, Epsilon(c.at));
      // Within the digits of what is expected.
      EXPECT_GE(stated.upper, c.expected * (1 - 1e-3)) << c.rate << " " << c.delta;
      EXPECT_LE(stated.upper, c.expected * (1 + 2e-3)) << c.rate << " " << c.delta;
    }
  }
}

TEST(ReplacedList, NoMassIsLost) {
  for (const double infinite : {0.0, 0.1, 0.49, 0.5, 0.51, 0.9, 1.0}) {
    for (const double rate : {1e-9, 0.02, 0.5, 1.0}) {
      const std::vector<pairs::Atom> base{
          {-0.5, 0.3 * (1 - infinite), 0.3 * (1 - infinite) * std::exp(0.5)},
          {0.2, 0.4 * (1 - infinite), 0.4 * (1 - infinite) * std::exp(-0.2)}};
      double q_mass = infinite;
      for (const auto& atom : base) q_mass += atom.q;
      auto whole = base;
      if (q_mass < 1) whole.insert(whole.begin() + 1, {0, 1 - q_mass, 1 - q_mass});
      double p_mass = 0;
      for (const auto& atom : whole) p_mass += atom.p;
      const double infinite_p = std::max(0.0, 1 - p_mass);
      const auto pair = pairs::replaced_list(whole, infinite_p, infinite, rate);
      const auto mass = pair->interval(-infinity, infinity);
      EXPECT_GE(mass.p + pair->infinite_mass(), 1 - 1e-12) << infinite << " " << rate;
      EXPECT_LE(mass.p + pair->infinite_mass(), 1 + 1e-9) << infinite << " " << rate;
    }
  }
}

}  // namespace replaced_list_test
}  // namespace tacet::accounting
