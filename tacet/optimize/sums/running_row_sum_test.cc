#include "tacet/optimize/sums/running_row_sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/optimize/sums/row_sum.h"
#include "tests/support/row_records.h"

namespace tacet::optimize {
namespace running_row_sum_test {

using privacy::RowLayout;
using privacy::RowSelection;
using privacy::Sample;
using test::RowGradient;

const RowLayout layout({{9, 3}, {5, 1}}, 2);
constexpr RowLimit limit{.max_rows = 4, .norm_bits = 20};

std::vector<std::int64_t> numbers(const privacy::RowSum& sum) {
  const auto access = mechanism::AccessKeys::key();
  const auto values = sum.open(access).open(access);
  std::vector<std::int64_t> result(values.begin(), values.end());
  for (const auto row : sum.touched(access)) result.push_back(row);
  return result;
}

void write_running(RunningRowSum& running, const RowGradient& record, int worker) {
  auto& arena = running.arena(worker);
  test::write_open(arena, record);
  running.finish(worker);
}

TEST(RunningRowSum, HasTheBitsOfABatch) {
  test::RowRecordMaker make(layout, 21);
  for (const int workers : {1, 2, 3}) {
    base::ThreadPool pool(workers);
    RowBatch batch(layout, limit, pool);
    RunningRowSum running(layout, limit, pool);
    for (int i = 0; i < 200; ++i) {
      const auto records = make.records(make.below(20));
      for (const auto& selection : {RowSelection::all(), RowSelection::rows({0, 5, 11}),
                                    RowSelection::rows({}), RowSelection::cells({1, 2, 20, 31})}) {
        test::fill(batch, records);
        running.start(Sample::all(), selection, 0.5);
        for (std::size_t r = 0; r < records.size(); ++r) {
          write_running(running, records[r], static_cast<int>(r) % workers);
        }
        const auto sum = running.take();
        ASSERT_EQ(numbers(sum), numbers(batch.sum(selection, {.clipping_norm = 0.5})));
        EXPECT_EQ(sum.contribution_bound(), 1 << 20);
      }
    }
  }
}

// Far below the clipping norm both are the same integers, in a sum as they come and in a batch's.
TEST(RunningRowSum, PartsOfTheDenseBlockAddWhatTheWholeBlockDoes) {
  const RowLayout wide({{9, 3}}, 150);
  base::ThreadPool pool(1);
  RunningRowSum by_parts(wide, limit, pool);
  RunningRowSum whole(wide, limit, pool);
  RowBatch batch(wide, limit, pool);
  test::RowRecordMaker make(wide, 23);
  by_parts.start(Sample::all(), RowSelection::rows({2, 4}), 1000);
  whole.start(Sample::all(), RowSelection::rows({2, 4}), 1000);
  batch.start(Sample::all());
  for (int i = 0; i < 500; ++i) {
    std::vector<double> dense(150, 0);
    for (auto* arena : {&by_parts.arena(0), &whole.arena(0), &batch.arena(0)}) {
      arena->start();
      arena->row(2)[1] += 0.25;
    }
    for (auto first = make.below(60); first < 145; first += make.below(60) + 5) {
      const auto part = by_parts.arena(0).dense(first, 5);
      const auto again = batch.arena(0).dense(first, 5);
      for (std::size_t j = 0; j < 5; ++j) part[j] = again[j] = dense[first + j] = make.number();
    }
    std::ranges::copy(dense, whole.arena(0).dense().begin());
    by_parts.finish(0);
    whole.finish(0);
    batch.arena(0).finish();
  }
  const auto expected = numbers(whole.take());
  EXPECT_EQ(numbers(by_parts.take()), expected);
  EXPECT_EQ(numbers(batch.sum(RowSelection::rows({2, 4}), {.clipping_norm = 1000})), expected);
}

TEST(RunningRowSum, RowsThatAreNotChosenNeedNotBeWritten) {
  base::ThreadPool pool(1);
  RunningRowSum running(layout, limit, pool);
  const auto selection = RowSelection::cells({4, 30});
  running.start(Sample::all(), selection, 1);
  EXPECT_TRUE(running.chosen(1));
  EXPECT_TRUE(running.chosen(12));
  EXPECT_FALSE(running.chosen(0));
  EXPECT_FALSE(running.chosen(13));
}

TEST(RunningRowSum, EndsWithItsStep) {
  base::ThreadPool pool(1);
  RunningRowSum running(layout, limit, pool);
  EXPECT_THROW((void)running.take(), base::InternalError);
  running.start(Sample::all(), RowSelection::all(), 1);
  EXPECT_NO_THROW((void)running.take());
  EXPECT_THROW((void)running.take(), base::InternalError);
  EXPECT_THROW((void)running.chosen(0), base::InternalError);
  EXPECT_THROW(running.start(Sample::all(), RowSelection::all(), 0), base::UsageError);
  EXPECT_THROW(running.start(Sample::all(), RowSelection::rows({14}), 1), base::UsageError);
  EXPECT_THROW(
      running.start(Sample::poisson(privacy::SamplingRate(0.5), 2), RowSelection::all(), 1),
      base::InternalError);
  EXPECT_THROW(RunningRowSum(layout, {.max_rows = 4, .max_records_per_unit = 2}, pool),
               base::UsageError);
}

}  // namespace running_row_sum_test
}  // namespace tacet::optimize
