#include "tacet/privacy/adjacency.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace adjacency_test {

constexpr Adjacency all[] = {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one};

TEST(Adjacency, NamesReadBack) {
  for (const auto one : all) EXPECT_EQ(parse_adjacency(to_string(one)), one);
  EXPECT_THROW(static_cast<void>(parse_adjacency("bounded")), base::UsageError);
  EXPECT_THROW(static_cast<void>(parse_adjacency("")), base::UsageError);
}

// The diameter of a ball is twice its radius: two records may point in opposite directions.
TEST(Adjacency, ReplacingARecordMovesTwiceAsFarAsItsPresence) {
  EXPECT_EQ(distance_factor(Adjacency::add_remove), 1);
  EXPECT_EQ(distance_factor(Adjacency::zero_out), 1);
  EXPECT_EQ(distance_factor(Adjacency::replace_one), 2);
}

TEST(AdjacencySet, HoldsWhatItWasMadeOf) {
  for (const auto one : all) {
    EXPECT_FALSE(no_adjacency.has(one));
    EXPECT_TRUE(every_adjacency.has(one));
    for (const auto other : all) EXPECT_EQ(AdjacencySet{one}.has(other), one == other);
  }
  EXPECT_TRUE(no_adjacency.empty());
  EXPECT_FALSE(public_count.empty());
  EXPECT_FALSE(public_count.has(Adjacency::add_remove));
}

TEST(AdjacencySet, SaysItsMembersInOneOrder) {
  EXPECT_EQ(to_string(AdjacencySet{Adjacency::replace_one, Adjacency::add_remove}),
            "add_remove or replace_one");
  EXPECT_EQ(to_string(no_adjacency), "none");
}

}  // namespace adjacency_test
}  // namespace tacet::privacy
