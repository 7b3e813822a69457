#include "tacet/accounting/routes/occurrences.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tacet/accounting/routes/closed_forms.h"

namespace tacet::accounting::internal {
namespace occurrences_test {

constexpr auto add_remove = Adjacency::add_remove;
constexpr auto replace_one = Adjacency::replace_one;

std::int64_t count_of(const std::vector<Occurrence>& parts, const Event& event) {
  for (const auto& part : parts) {
    if (part.event == event) return part.count;
  }
  return 0;
}

TEST(Occurrences, CountEqualPartsTogether) {
  const Event a = PoissonSampled{0.1, Gaussian{2}};
  const Event b = Laplace{3};
  std::vector<Occurrence> parts;
  ASSERT_TRUE(
      flatten(Composed{{a, Repeated{3, Composed{{b, Repeated{4, a}}}}, Repeated{2, b}, no_event()}},
              5, parts));
  EXPECT_EQ(parts.size(), 2U);
  EXPECT_EQ(count_of(parts, a), 5 * (1 + 12));
  EXPECT_EQ(count_of(parts, b), 5 * (3 + 2));
}

TEST(Occurrences, BlocksAlikeAreOneOfThem) {
  std::vector<Occurrence> parts;
  const Event block = Gaussian{2};
  ASSERT_TRUE(flatten(Repeated{3, Partitioned{Assignment::by_record, {block, block}}}, 1, parts));
  EXPECT_EQ(parts.size(), 1U);
  EXPECT_EQ(count_of(parts, block), 3);
  parts.clear();
  const Event others = Partitioned{Assignment::by_record, {block, Gaussian{3}}};
  ASSERT_TRUE(flatten(others, 2, parts));
  EXPECT_EQ(count_of(parts, others), 2);
}

TEST(Occurrences, OfMoreThanIntegersHoldAreNoList) {
  const std::int64_t many = std::int64_t{1} << 40;
  std::vector<Occurrence> parts;
  EXPECT_FALSE(flatten(Repeated{many, Repeated{many, Laplace{1}}}, 1, parts));
}

TEST(Occurrences, AMinimumIsItsExactOneAndTheNoiseOnIt) {
  const ObjectivePerturbation minimum{4, 1, .25, 10, 1e-3, 2e-3};
  EXPECT_TRUE(is_several(minimum));
  std::vector<Occurrence> parts{{minimum, 3}};
  split_minima(parts, replace_one);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].event.as<ObjectivePerturbation>()->tolerance, 0);
  EXPECT_EQ(parts[0].count, 3);
  // mu = 2 tolerance / (regularization output_sigma), whatever the neighbours.
  EXPECT_NEAR(std::sqrt(*squared_mu(parts[1].event, replace_one)), 2e-3 / (10 * 2e-3), 1e-12);
  EXPECT_GE(std::sqrt(*squared_mu(parts[1].event, replace_one)), 0.1);
  EXPECT_EQ(parts[1].count, 3);
  ObjectivePerturbation exact = minimum;
  exact.tolerance = 0;
  EXPECT_FALSE(is_several(exact));
  std::vector<Occurrence> alone{{exact, 3}};
  split_minima(alone, add_remove);
  EXPECT_EQ(alone.size(), 1U);
}

TEST(Occurrences, GaussianNoiseIsJoinedAndNothingIsLeftOut) {
  std::vector<Occurrence> parts{
      {Gaussian{2}, 4}, {Laplace{1}, 2}, {Gaussian{1}, 3}, {PureDp{0, add_remove}, 9}};
  ASSERT_TRUE(join_gaussians(parts, add_remove));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(count_of(parts, Laplace{1}), 2);
  const auto square = squared_mu(parts.back().event, add_remove);
  ASSERT_TRUE(square);
  EXPECT_GE(*square, 4);
  EXPECT_NEAR(*square, 4, 1e-12);
  std::vector<Occurrence> too_little{{Gaussian{0}, 1}};
  EXPECT_FALSE(join_gaussians(too_little, add_remove));
}

TEST(Occurrences, KnowWhatIsFree) {
  EXPECT_TRUE(costs_nothing(no_event()));
  EXPECT_TRUE(costs_nothing(PoissonSampled{0, Gaussian{1}}));
  EXPECT_TRUE(costs_nothing(FixedSizeSampled{0, 5, Gaussian{1}}));
  EXPECT_TRUE(costs_nothing(PureDp{0, replace_one}));
  EXPECT_TRUE(costs_nothing(Gaussian{std::numeric_limits<double>::infinity()}));
  EXPECT_FALSE(costs_nothing(PureDp{1e-300, replace_one}));
  EXPECT_FALSE(costs_nothing(PoissonSampled{1e-300, Gaussian{1}}));
  EXPECT_FALSE(costs_nothing(Zcdp{1, add_remove}));
  EXPECT_FALSE(is_several(Gaussian{1}));
  EXPECT_TRUE(is_several(Repeated{2, Gaussian{1}}));
}

}  // namespace occurrences_test
}  // namespace tacet::accounting::internal
