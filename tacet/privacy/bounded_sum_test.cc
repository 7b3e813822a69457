#include "tacet/privacy/bounded_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"

namespace tacet::privacy {
namespace bounded_sum_test {

TEST(BoundedSum, OwnsItsSensitivity) {
  const auto sum = BoundedSum::from_certified(Certifier::clipped(), {1, 2, 3}, 0.25, 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::add_remove), 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::zero_out), 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::replace_one), 2048);
  EXPECT_EQ(sum.size(), 3U);
  EXPECT_THROW(static_cast<void>(BoundedSum::from_certified(Certifier::clipped(), {}, 0, 1)),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(BoundedSum::from_certified(Certifier::clipped(), {}, 1, 0)),
               base::UsageError);
}

constexpr auto largest_bound = std::int64_t{1} << 52;

TEST(BoundedSum, RefusesBoundsThatDoublesDoNotHold) {
  for (const std::int64_t bound : {std::int64_t{0}, std::int64_t{-1}, largest_bound + 1}) {
    EXPECT_THROW(static_cast<void>(BoundedSum::from_certified(Certifier::clipped(), {}, 1, bound)),
                 base::UsageError);
    EXPECT_THROW(
        static_cast<void>(SparseBoundedSum::from_certified(Certifier::clipped(), 5, {}, bound)),
        base::UsageError);
    EXPECT_THROW(
        static_cast<void>(PartitionCounts::from_certified(Certifier::clipped(), {}, {}, bound, 1)),
        base::UsageError);
  }
  for (const double grid : {-1.0, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(BoundedSum::from_certified(Certifier::clipped(), {}, grid, 1)),
                 base::UsageError);
  }
}

// |v|_2 <= |v|_1: an L1 bound below the L2 bound would be no bound of what the L2 bound allows.
TEST(BoundedSum, AnAbsoluteBoundIsAtLeastTheOther) {
  const auto sum = [] { return BoundedSum::from_certified(Certifier::clipped(), {1}, 1, 16); };
  EXPECT_FALSE(sum().absolute_bound());
  EXPECT_EQ(sum().with_absolute_bound(Certifier::clipped(), 16).absolute_bound(), 16);
  EXPECT_THROW(static_cast<void>(sum().with_absolute_bound(Certifier::clipped(), 15)),
               base::UsageError);
}

TEST(PartialSum, KnowsWhichRecordsItIsOf) {
  const auto sum = [] { return BoundedSum::from_certified(Certifier::clipped(), {1, 2}, 0.5, 16); };
  const auto block = PartialSum::from_certified(Certifier::clipped(), sum(), PassBlock{3});
  EXPECT_EQ(std::get<PassBlock>(block.part()).block, 3);
  EXPECT_EQ(block.grid(), 0.5);
  EXPECT_EQ(block.size(), 2U);
}

TEST(SparseBoundedSum, HoldsNumbersInOrderWithinItsSize) {
  const auto make = [](std::int64_t size, std::vector<random::ScoredCandidate> touched) {
    return SparseBoundedSum::from_certified(Certifier::clipped(), size, std::move(touched), 16);
  };
  EXPECT_EQ(make(5, {{0, 3}, {4, -3}}).size(), 5);
  EXPECT_THROW(static_cast<void>(make(-1, {})), base::UsageError);
  EXPECT_THROW(static_cast<void>(make(5, {{4, 1}, {0, 1}})), base::UsageError);
  EXPECT_THROW(static_cast<void>(make(5, {{2, 1}, {2, 1}})), base::UsageError);
  EXPECT_THROW(static_cast<void>(make(5, {{5, 1}})), base::UsageError);
  const auto beyond = (std::int64_t{1} << 60) + 1;
  EXPECT_THROW(static_cast<void>(make(5, {{0, beyond}})), base::UsageError);
  EXPECT_THROW(static_cast<void>(make(5, {{0, -beyond}})), base::UsageError);
}

TEST(WeightedSum, CoversNeighboursThatLieNoFurtherApart) {
  const auto make = [](Adjacency adjacency, double scale = 2) {
    return WeightedSum::from_certified(Certifier::clipped(), {1, 2, 3}, 1, {{1, 1}, {2, scale}},
                                       adjacency);
  };
  for (const auto other : {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    EXPECT_TRUE(make(Adjacency::add_remove).covers(other));
    EXPECT_EQ(make(Adjacency::replace_one).covers(other), other == Adjacency::replace_one);
  }
  for (const double scale : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    EXPECT_THROW(static_cast<void>(make(Adjacency::add_remove, scale)), base::UsageError);
  }
  EXPECT_THROW(static_cast<void>(WeightedSum::from_certified(Certifier::clipped(), {1}, 1, {{2, 1}},
                                                             Adjacency::add_remove)),
               base::InternalError);
}

TEST(RowSum, HasANumberForEveryChosenCellAndTheDenseBlock) {
  const RowLayout layout({{10, 3}}, 2);
  const auto make = [&](std::vector<std::int64_t> values, RowSelection selection,
                        std::vector<std::int64_t> touched = {}) {
    return RowSum::from_certified(
        Certifier::clipped(),
        BoundedSum::from_certified(Certifier::clipped(), std::move(values), 1, 16),
        std::move(selection), layout, std::move(touched));
  };
  EXPECT_EQ(make(std::vector<std::int64_t>(8), RowSelection::rows({1, 4})).size(), 8);
  // Of all rows only the touched ones are held; the size is that of the whole.
  EXPECT_EQ(make(std::vector<std::int64_t>(5), RowSelection::all(), {7}).size(), 32);
  EXPECT_THROW(static_cast<void>(make({1}, RowSelection::rows({1}))), base::InternalError);
  EXPECT_THROW(static_cast<void>(make({1, 2}, RowSelection::all(), {7})), base::InternalError);
}

TEST(PartitionCounts, AreCountsThatUnitsCanHaveMade) {
  const std::vector<std::string> names{"a", "b"};
  const auto make = [&](std::vector<std::int64_t> counts, std::int64_t max_per_unit) {
    return PartitionCounts::from_certified(Certifier::clipped(), names, std::move(counts), 16,
                                           max_per_unit);
  };
  EXPECT_EQ(make({0, 5}, 2).norm(), 16);
  EXPECT_THROW(static_cast<void>(make({-1, 5}, 2)), base::UsageError);
  EXPECT_THROW(static_cast<void>(make({1, (std::int64_t{1} << 60) + 1}, 2)), base::UsageError);
  EXPECT_THROW(static_cast<void>(make({1}, 2)), base::UsageError);
  EXPECT_THROW(static_cast<void>(make({1, 1}, 0)), base::UsageError);
}

}  // namespace bounded_sum_test
}  // namespace tacet::privacy
