#include "tacet/optimize/sgd/sgd_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace sgd_schedule_test {

TEST(IterateWeights, SumToOneAndFollowTheirRecursion) {
  for (const std::int64_t steps : {1, 2, 7, 100}) {
    for (const auto kind :
         {Averaging::uniform, Averaging::suffix, Averaging::last, Averaging::polynomial}) {
      for (std::int64_t power = 0; power <= 4; ++power) {
        const IterateWeights weights{kind, steps, (steps + 1) / 2, power};
        double sum = 0;
        for (std::int64_t t = 1; t <= steps + 1; ++t) sum += weights.at(t);
        EXPECT_NEAR(sum, 1, 1e-12);
      }
    }
  }
  // Power 1: a_t = 2t / (T (T + 1)).
  const IterateWeights linear{Averaging::polynomial, 9, 1, 1};
  for (std::int64_t t = 1; t <= 9; ++t) {
    EXPECT_NEAR(linear.at(t), 2.0 * static_cast<double>(t) / 90, 1e-15);
  }
}

TEST(DrawOrder, LargePermutationsVisitEachRecordOnceBlockByBlock) {
  random::SeededSource source(3);
  constexpr std::int64_t records = 100003;
  const auto order = draw_order(RecordOrder::permutation, {records, 1, records}, source);
  std::vector<int> seen(static_cast<std::size_t>(records), 0);
  std::int64_t ascending = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(seen[order[i]]++, 0);
    ascending += i > 0 && order[i] == order[i - 1] + 1 ? 1 : 0;
  }
  EXPECT_LT(ascending, records / 50);
}

TEST(DrawOrder, PermutationsVisitEachRecordOnceAPass) {
  random::SeededSource source(1);
  for (const auto sampling : {RecordOrder::permutation, RecordOrder::fresh_permutation}) {
    const auto order =
        draw_order(sampling, {103, 10, 25}, source, static_cast<std::uint64_t>(sampling));
    ASSERT_EQ(order.size(), 250);
    std::vector<int> seen(103, 0);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(seen[order[i]]++, 0);
    const bool same = std::equal(order.begin(), order.begin() + 100, order.begin() + 100);
    EXPECT_EQ(same, sampling == RecordOrder::permutation);
  }
  const auto batches = draw_order(RecordOrder::minibatch, {20, 5, 30}, source, 7);
  for (std::size_t t = 0; t < 30; ++t) {
    const std::vector<std::uint32_t> batch(
        batches.begin() + static_cast<std::ptrdiff_t>(5 * t),
        batches.begin() + static_cast<std::ptrdiff_t>(5 * t + 5));
    for (std::size_t k = 1; k < 5; ++k) EXPECT_LT(batch[k - 1], batch[k]);
  }
  EXPECT_THROW((void)draw_order(RecordOrder::with_replacement, {5, 2, 3}, source, 8),
               base::UsageError);
}

}  // namespace sgd_schedule_test
}  // namespace tacet::optimize
