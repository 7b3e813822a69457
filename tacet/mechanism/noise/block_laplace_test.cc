#include "tacet/mechanism/noise/block_laplace.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/statistics.h"

namespace tacet::mechanism {
namespace block_laplace_test {

using privacy::Adjacency;
using privacy::BoundedSum;
using privacy::Epsilon;
using privacy::NoiseMultiplier;
using privacy::PartialSum;

constexpr privacy::Guarantee cost{1, 0, Adjacency::replace_one};
constexpr double grid = 0.5;

PartialSum selected(std::vector<std::int64_t> values, PartialSum::Part selection) {
  return PartialSum::from_certified(
      privacy::Certifier::clipped(),
      BoundedSum::from_certified(privacy::Certifier::clipped(), std::move(values), grid, 1 << 20),
      selection);
}
PartialSum block(std::int64_t index) { return selected({0, 0}, privacy::PassBlock{index}); }
PartialSum sample() { return selected({0, 0}, privacy::Sample::fixed_size({3, 30})); }

BlockL2Laplace euclidean(privacy::Reservation& reservation) {
  return {Epsilon(0.5), Adjacency::replace_one, reservation};
}
BlockLaplace coordinatewise(privacy::Reservation& reservation) {
  return {NoiseMultiplier(4), reservation};
}

template <typename Make>
void expect_one_cost_per_pass(const Make& make, const privacy::Event& event) {
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = budget.reserve(event, cost);
  random::SeededSource source(1);
  auto pass = make(reservation);
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto released = pass.release(block(static_cast<std::int64_t>(i)), {.step = i}, source);
    EXPECT_EQ(released.event(), event);
    EXPECT_NE(released.value()[0], 0);
  }
  EXPECT_EQ(reservation.spent(), event);
  // A second pass is a second cost, which was not reserved.
  auto second = make(reservation);
  EXPECT_THROW((void)second.release(block(0), {.step = 9}, source), base::BudgetError);
}

TEST(BlockLaplace, BooksOnePassForAllItsBlocks) {
  expect_one_cost_per_pass(euclidean, BlockL2Laplace::event(Epsilon(0.5), Adjacency::replace_one));
  expect_one_cost_per_pass(coordinatewise, BlockLaplace::event(NoiseMultiplier(4)));
}

template <typename Make>
void expect_each_block_once(const Make& make, const privacy::Event& event) {
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = budget.reserve(privacy::Repeated{2, event}, cost);
  random::SeededSource source(1);
  auto pass = make(reservation);
  (void)pass.release(block(2), {.step = 0}, source);
  EXPECT_THROW((void)pass.release(block(2), {.step = 1}, source), base::InternalError);
  EXPECT_THROW((void)pass.release(block(0), {.step = 2}, source), base::InternalError);
  EXPECT_THROW((void)pass.release(sample(), {.step = 3}, source), base::InternalError);
  EXPECT_NO_THROW((void)pass.release(block(7), {.step = 4}, source));
}

TEST(BlockLaplace, RefusesABlockThatWasReleased) {
  expect_each_block_once(euclidean, BlockL2Laplace::event(Epsilon(0.5), Adjacency::replace_one));
  expect_each_block_once(coordinatewise, BlockLaplace::event(NoiseMultiplier(4)));
}

TEST(BlockLaplace, CostsOneReleaseWhereTheNumberOfRecordsIsPublic) {
  const privacy::Delta pure(0);
  const auto adjacency = Adjacency::replace_one;
  EXPECT_EQ(accounting::account(BlockL2Laplace::event(Epsilon(0.5), adjacency), adjacency, pure),
            accounting::account(privacy::PureDp{0.5, adjacency}, adjacency, pure));
  const auto event = BlockLaplace::event(NoiseMultiplier(4));
  EXPECT_EQ(accounting::account(event, adjacency, pure),
            accounting::account(privacy::Laplace{4}, adjacency, pure));
  EXPECT_THROW((void)accounting::account(event, Adjacency::add_remove, pure), base::GuaranteeError);
}

// The mean of |noise| / scale over many draws: of a coordinate's exponential law, with standard
//  deviation 1, or of a vector's length over d, Gamma of shape d over d.
template <typename Make>
double mean_size(const Make& make, const privacy::Event& event, std::size_t columns, int draws) {
  privacy::TrustingBudget budget(Adjacency::replace_one);
  auto reservation = budget.reserve(event, cost);
  random::SeededSource source(3);
  auto pass = make(reservation);
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    const auto released =
        pass.release(selected(std::vector<std::int64_t>(columns), privacy::PassBlock{i}),
                     {.step = static_cast<std::uint64_t>(i)}, source);
    double square = 0;
    for (const double value : released.value()) square += value * value;
    sum += std::sqrt(square);
  }
  return sum / draws;
}

TEST(BlockLaplace, HasTheScaleThatItsCostNeeds) {
  constexpr int draws = 20000;
  constexpr double bound = grid * (1 << 20);
  // A replaced record moves a block's sum by twice the bound.
  const double b = 2 * bound / 0.5;
  const auto event = BlockL2Laplace::event(Epsilon(0.5), Adjacency::replace_one);
  for (const std::size_t columns : {1U, 3U}) {
    const auto d = static_cast<double>(columns);
    const double error = (mean_size(euclidean, event, columns, draws) / (b * d) - 1) *
                         std::sqrt(static_cast<double>(draws) * d);
    EXPECT_GT(test::normal_p_value(error), test::false_alarm_rate);
  }
  const double mean =
      mean_size(coordinatewise, BlockLaplace::event(NoiseMultiplier(4)), 1, draws) / (4 * bound);
  EXPECT_GT(test::normal_p_value((mean - 1) * std::sqrt(static_cast<double>(draws))),
            test::false_alarm_rate);
}

}  // namespace block_laplace_test
}  // namespace tacet::mechanism
