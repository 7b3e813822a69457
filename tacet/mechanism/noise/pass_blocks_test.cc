#include "tacet/mechanism/noise/pass_blocks.h"

#include <gtest/gtest.h>

#include <utility>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism::internal {
namespace pass_blocks_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::PartialSum;

const privacy::Event whole =
    privacy::Partitioned{privacy::Assignment::by_position, {privacy::Gaussian{1.5}}};

PartialSum block(std::int64_t number) {
  return PartialSum::from_certified(
      privacy::Certifier::clipped(),
      BoundedSum::from_certified(privacy::Certifier::clipped(), {number, 7}, 0.5, 16),
      privacy::PassBlock{number});
}

TEST(PassBlocks, TheFirstDebitsWhatAllCost) {
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto permit = budget.reserve(whole, {9, 1e-5, Adjacency::replace_one});
  PassBlocks blocks(permit);
  for (const std::int64_t number : {0, 1, 3}) {
    const auto sum = blocks.open(block(number), whole);
    EXPECT_EQ(sum.open(AccessKeys::key())[0], number);
    EXPECT_EQ(permit.spent(), whole);
  }
}

TEST(PassBlocks, BlocksAscendAndComeOnce) {
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto permit = budget.reserve(whole, {9, 1e-5, Adjacency::replace_one});
  PassBlocks blocks(permit);
  static_cast<void>(blocks.open(block(2), whole));
  for (const std::int64_t number : {2, 1, 0}) {
    EXPECT_THROW(static_cast<void>(blocks.open(block(number), whole)), base::InternalError);
  }
  EXPECT_NO_THROW(static_cast<void>(blocks.open(block(3), whole)));
}

TEST(PassBlocks, OtherPartsAndOtherPlansAreRefused) {
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto permit = budget.reserve(privacy::Gaussian{1.5}, {9, 1e-5, Adjacency::replace_one});
  PassBlocks blocks(permit);
  auto one_record = PartialSum::from_certified(
      privacy::Certifier::clipped(),
      BoundedSum::from_certified(privacy::Certifier::clipped(), {1}, 0.5, 16),
      privacy::OneRecord{0});
  EXPECT_THROW(static_cast<void>(blocks.open(std::move(one_record), whole)), base::InternalError);
  EXPECT_THROW(static_cast<void>(blocks.open(block(0), whole)), base::BudgetError);
  EXPECT_EQ(permit.spent(), privacy::no_event());
}

}  // namespace pass_blocks_test
}  // namespace tacet::mechanism::internal
