#include "tacet/accounting/composition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tests/support/composition_bounds.h"
#include "tests/support/textbook_bounds.h"

namespace tacet::accounting {
namespace composition_test {

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

// Reference values computed at 40 digits.
TEST(OptimalComposition, AgreesWithTheReferenceTable) {
  const auto delta = [](double e, std::int64_t n, double total) {
    return optimal_composition_delta(Epsilon(e), 0, n, Epsilon(total));
  };
  EXPECT_NEAR(delta(.1, 10, .5) / 9.9296269173889e-3, 1, 1e-11);
  EXPECT_NEAR(delta(.1, 30, 1) / 1.0561676338630e-2, 1, 1e-11);
  EXPECT_NEAR(delta(.05, 100, 1.5) / 3.4880352082598e-4, 1, 1e-11);
  EXPECT_NEAR(delta(.01, 1000, 1) / 1.0831170545139e-4, 1, 1e-9);
  EXPECT_NEAR(delta(1, 5, 3) / 0.18055462860278, 1, 1e-11);
  EXPECT_EQ(delta(1, 1, 1), 0);
  EXPECT_NEAR(optimal_composition_delta(Epsilon(1), 1e-3, 1, Epsilon(1)), 1e-3, 1e-15);
  EXPECT_NEAR(optimal_composition_delta(Epsilon(0), 1e-3, 3, Epsilon(0)), 1 - .999 * .999 * .999,
              1e-14);
}

TEST(AdvancedComposition, IsAboveTheOptimalOne) {
  const auto total = textbook::advanced_composition({0.05, 0, Adjacency::add_remove}, 100, 1e-6);
  EXPECT_LT(optimal_composition_delta(Epsilon(0.05), 0, 100, Epsilon(total.epsilon)), 1e-6);
  EXPECT_EQ(total.delta, 1e-6);
}

TEST(JointGuarantee, IsThatOfTheCompositionAtTheFirstDeltaThatHasOne) {
  const std::vector<Event> events{Gaussian{4}, PureDp{0.5, Adjacency::add_remove}};
  const std::vector<double> deltas{0, 1e-6, 1e-3};
  const auto joint = joint_guarantee(events, Adjacency::add_remove, deltas);
  ASSERT_TRUE(joint);
  EXPECT_EQ(joint->delta, 1e-6);  // at 0 Gaussian noise promises nothing
  EXPECT_EQ(joint->epsilon, epsilon(Composed{events}, Adjacency::add_remove, Delta(1e-6)));
  EXPECT_LT(joint->epsilon, 0.5 + epsilon(Gaussian{4}, Adjacency::add_remove, Delta(1e-6)));
}

TEST(JointGuarantee, IsNoneWhereNothingFiniteIsProved) {
  const std::vector<double> deltas{1e-6};
  // Proved between neighbours of another kind only.
  const std::vector<Event> other{PureDp{0.5, Adjacency::zero_out}};
  EXPECT_FALSE(joint_guarantee(other, Adjacency::add_remove, deltas));
  EXPECT_FALSE(joint_guarantee({Gaussian{0}}, Adjacency::add_remove, deltas));
  EXPECT_FALSE(joint_guarantee({Gaussian{1}}, Adjacency::add_remove, {}));
}

}  // namespace composition_test
}  // namespace tacet::accounting
