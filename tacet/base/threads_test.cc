#include "tacet/base/threads.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "tacet/base/error.h"

namespace tacet::base {
namespace {

TEST(ThreadPool, BlocksCoverEveryIndexOnce) {
  for (const int count : {1, 2, 3, 8}) {
    ThreadPool pool(count);
    for (const std::int64_t total : {0, 1, 7, 64, 1001}) {
      std::vector<int> hits(static_cast<std::size_t>(total), 0);
      pool.for_blocks(total, 5, [&](int, std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
      });
      for (const int hit : hits) EXPECT_EQ(hit, 1);
    }
  }
}

TEST(ThreadPool, WorkerNumbersStayBelowTheSize) {
  ThreadPool pool(3);
  std::vector<std::int64_t> sums(3, 0);
  pool.for_blocks(10000, 10, [&](int worker, std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) sums.at(static_cast<std::size_t>(worker)) += i;
  });
  EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), std::int64_t{0}), 49995000);
}

TEST(ThreadPool, AnExceptionReachesTheCallerAndThePoolSurvives) {
  ThreadPool pool(4);
  const auto fail = [](int, std::int64_t, std::int64_t) { throw std::runtime_error("fault"); };
  EXPECT_THROW(pool.for_blocks(100, 1, fail), std::runtime_error);
  std::atomic<int> calls{0};
  pool.for_blocks(10, 1, [&](int, std::int64_t, std::int64_t) { ++calls; });
  EXPECT_EQ(calls.load(), 10);
}

TEST(ThreadPool, RefusesFewerThanOneThread) { EXPECT_THROW(ThreadPool(0), UsageError); }

}  // namespace
}  // namespace tacet::base
