#include "tacet/learn/plan/zhang2021.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/mechanism/select/sparse_vector.h"

namespace tacet::learn {
namespace zhang2021_test {

using zhang2021::Steps;

constexpr Steps table_1{20, 2e5, 2e5};

// Of an independent program, for the paper's Table 1.
TEST(Zhang2021, Theorem3EqualsReferenceValues) {
  const double delta = zhang2021::step_delta(table_1, 1e-5);
  EXPECT_NEAR(delta, 1.25e-7, 1e-20);
  EXPECT_NEAR(zhang2021::growth(table_1, 1e-5), 0.6249754592437734, 1e-12);
  const double noise = zhang2021::noise_part(0.5, delta);
  EXPECT_NEAR(noise, 22.71076971022044, 1e-10);
  EXPECT_NEAR(noise * zhang2021::growth(table_1, 1e-5), 14.193673729424598, 1e-10);
  EXPECT_NEAR(zhang2021::noise_for(noise, delta), 0.5, 1e-12);
  const double selection = 10 / zhang2021::growth(table_1, 1e-5);
  EXPECT_NEAR(selection, 16.00062826802848, 1e-10);
  EXPECT_NEAR(zhang2021::draw_epsilon(selection, 100, delta), 0.28378695367276213, 1e-12);
  // Its own premise fails for it.
  EXPECT_FALSE(zhang2021::step_premise(table_1, noise + selection));
  EXPECT_TRUE(zhang2021::step_premise(table_1, 1));
}

// The other delta of Table 1, at which the noise alone would be 14.9, not the 20 that it was given.
TEST(Zhang2021, Theorem3EqualsReferenceValuesAtHalfTheDelta) {
  const double delta = zhang2021::step_delta(table_1, 5e-6);
  EXPECT_NEAR(delta, 6.25e-8, 1e-20);
  EXPECT_NEAR(zhang2021::growth(table_1, 5e-6), 0.6424757072721768, 1e-12);
  const double noise = zhang2021::noise_part(0.5, delta);
  EXPECT_NEAR(noise, 23.19395978716408, 1e-10);
  EXPECT_NEAR(noise * zhang2021::growth(table_1, 5e-6), 14.90155571870067, 1e-10);
  const double selection = 10 / zhang2021::growth(table_1, 5e-6);
  EXPECT_NEAR(selection, 15.564790834595128, 1e-10);
  EXPECT_NEAR(zhang2021::draw_epsilon(selection, 100, delta), 0.2702277704437513, 1e-12);
}

TEST(Zhang2021, Theorem1EqualsReferenceValues) {
  const auto step = zhang2021::group_step({1, 1e-5}, 1'000'000, 10'000'000'000);
  EXPECT_NEAR(step.epsilon, 1.0119685864129022, 1e-12);
  EXPECT_NEAR(step.delta, 1e-5 * 1e6 / 2e10, 1e-25);
  EXPECT_TRUE(zhang2021::group_premise(1'000'000, 10'000'000'000));
  EXPECT_FALSE(zhang2021::group_premise(1001, 10'000));
}

}  // namespace zhang2021_test
}  // namespace tacet::learn
