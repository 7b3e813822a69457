#include "tacet/privacy/composition.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/gaussian.h"

namespace tacet::privacy {
namespace {

TEST(Account, GaussianCompositionsAddInSquares) {
  const Delta delta(1e-6);
  const double direct = gaussian::epsilon(0.5, delta);
  for (const Event& event :
       {Event(Gaussian{2}), Event(Repeated{100, Gaussian{20}}),
        Event(Composed{{Repeated{50, Gaussian{20}}, Repeated{25, Repeated{2, Gaussian{20}}}}}),
        Event(Composed{{Gaussian{2}, Gaussian{HUGE_VAL}}})}) {
    const double epsilon = account(event, Adjacency::add_remove, delta).epsilon;
    EXPECT_GE(epsilon, direct);
    EXPECT_NEAR(epsilon / direct, 1, 1e-12);
  }
}

TEST(Account, ReplacingARecordMovesTwiceAsFar) {
  const Delta delta(1e-6);
  EXPECT_NEAR(epsilon(Gaussian{4}, Adjacency::replace_one, delta),
              epsilon(Gaussian{2}, Adjacency::zero_out, delta), 1e-11);
}

TEST(Account, EdgeTable) {
  const Delta delta(1e-6);
  EXPECT_EQ(epsilon(no_event(), Adjacency::add_remove, delta), 0);
  EXPECT_EQ(epsilon(Gaussian{HUGE_VAL}, Adjacency::add_remove, delta), 0);
  EXPECT_EQ(epsilon(Gaussian{0}, Adjacency::add_remove, delta), HUGE_VAL);
  EXPECT_EQ(epsilon(Gaussian{1}, Adjacency::add_remove, Delta(0)), HUGE_VAL);
}

}  // namespace
}  // namespace tacet::privacy
