#include "tacet/mechanism/noise/partial_gaussian.h"

#include <gtest/gtest.h>

#include <utility>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::mechanism::internal {
namespace partial_gaussian_test {

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

}  // namespace partial_gaussian_test
}  // namespace tacet::mechanism::internal

namespace tacet::mechanism {
namespace partial_gaussian_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::PartialSum;

constexpr privacy::Guarantee cost{1, 1e-5, Adjacency::replace_one};

PartialSum block(std::int64_t index) {
  return PartialSum::from_certified(
      privacy::Certifier::clipped(),
      BoundedSum::from_certified(privacy::Certifier::clipped(), {0, 0}, 0.5, 1 << 20),
      privacy::PassBlock{index});
}

PartialSum sample(std::int64_t size, std::int64_t population) {
  return PartialSum::from_certified(
      privacy::Certifier::clipped(),
      BoundedSum::from_certified(privacy::Certifier::clipped(), {0, 0}, 0.5, 1 << 20),
      privacy::Sample::fixed_size({size, population}));
}

TEST(BlockGaussian, BooksOnePassForAllItsBlocks) {
  const privacy::NoiseMultiplier noise(3);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = budget.reserve(BlockGaussian::event(noise), cost);
  random::SeededSource source(1);
  BlockGaussian pass(noise, reservation);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto released = pass.release(block(static_cast<std::int64_t>(i)), {.step = i}, source);
    EXPECT_EQ(released.event(), BlockGaussian::event(noise));
    EXPECT_NE(released.value()[0], 0);
  }
  EXPECT_EQ(reservation.spent(), BlockGaussian::event(noise));
  // A second pass is a second cost, which was not reserved.
  BlockGaussian second(noise, reservation);
  EXPECT_THROW((void)second.release(block(0), {.step = 9}, source), base::BudgetError);
}

TEST(BlockGaussian, RefusesABlockThatWasReleased) {
  const privacy::NoiseMultiplier noise(3);
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = budget.reserve(privacy::Repeated{2, BlockGaussian::event(noise)}, cost);
  random::SeededSource source(1);
  BlockGaussian pass(noise, reservation);
  (void)pass.release(block(2), {.step = 0}, source);
  EXPECT_THROW((void)pass.release(block(2), {.step = 1}, source), base::InternalError);
  EXPECT_THROW((void)pass.release(block(0), {.step = 2}, source), base::InternalError);
  EXPECT_THROW((void)pass.release(sample(1, 10), {.step = 3}, source), base::InternalError);
}

TEST(BlockGaussian, CostsOneGaussianWhereTheNumberOfRecordsIsPublic) {
  const auto event = BlockGaussian::event(privacy::NoiseMultiplier(4));
  const privacy::Delta delta(1e-6);
  for (const auto adjacency : {Adjacency::replace_one, Adjacency::zero_out}) {
    EXPECT_EQ(accounting::account(event, adjacency, delta),
              accounting::account(privacy::Gaussian{4}, adjacency, delta));
  }
  EXPECT_THROW((void)accounting::account(event, Adjacency::add_remove, delta),
               base::GuaranteeError);
}

TEST(GaussianOfSample, DebitsTheSampleItWasTakenFrom) {
  const privacy::NoiseMultiplier noise(2);
  const privacy::Event event = privacy::FixedSizeSampled{3, 30, privacy::Gaussian{2}};
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = budget.reserve(event, cost);
  random::SeededSource source(1);
  EXPECT_THROW((void)release_gaussian_of_sample(sample(3, 31), noise, {{}, source, reservation}),
               base::BudgetError);
  EXPECT_THROW((void)release_gaussian_of_sample(block(0), noise, {{}, source, reservation}),
               base::InternalError);
  EXPECT_EQ(release_gaussian_of_sample(sample(3, 30), noise, {{}, source, reservation}).event(),
            event);
  EXPECT_EQ(reservation.spent(), event);
}

}  // namespace partial_gaussian_test
}  // namespace tacet::mechanism
