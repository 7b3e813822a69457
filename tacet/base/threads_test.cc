#include "tacet/base/threads.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::base {
namespace threads_test {

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

TEST(ThreadPool, LoopsOfSeveralThreadsRunOneAfterTheOther) {
  ThreadPool pool(3);
  std::vector<std::int64_t> sums(4, 0);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < sums.size(); ++caller) {
    callers.emplace_back([&pool, &sum = sums[caller]] {
      for (int round = 0; round < 200; ++round) {
        std::vector<std::int64_t> parts(3, 0);
        pool.for_blocks(100, 7, [&](int worker, std::int64_t begin, std::int64_t end) {
          parts.at(static_cast<std::size_t>(worker)) += end - begin;
        });
        sum += std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
      }
    });
  }
  for (auto& caller : callers) caller.join();
  for (const auto sum : sums) EXPECT_EQ(sum, 200 * 100);
}

TEST(ThreadPool, ALoopWithinALoopIsRefusedButNotOfAnotherPool) {
  ThreadPool pool(2);
  ThreadPool other(2);
  std::atomic<int> inner{0};
  const auto nothing = [&inner](int, std::int64_t, std::int64_t) { ++inner; };
  EXPECT_THROW(pool.for_blocks(
                   4, 1, [&](int, std::int64_t, std::int64_t) { pool.for_blocks(2, 1, nothing); }),
               UsageError);
  pool.for_blocks(3, 1, [&](int, std::int64_t, std::int64_t) { other.for_blocks(2, 1, nothing); });
  EXPECT_EQ(inner, 6);
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

// A thread that cannot start must not end the program: something may be booked already.
TEST(ThreadPool, GoesOnWithTheThreadsThatTheSystemGives) {
  const pid_t child = ::fork();
  if (child == 0) {
    // A limit of processes holds for everybody but root.
    constexpr uid_t nobody = 65534;
    const rlimit none{1, 1};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0) ::_exit(2);
    if (::getuid() == 0 && ::setuid(nobody) != 0) ::_exit(3);
    ThreadPool pool(8);
    if (pool.size() != 1) ::_exit(4);
    std::int64_t sum = 0;
    pool.for_blocks(100, 7, [&](int, std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) sum += i;
    });
    ::_exit(sum == 4950 ? 0 : 5);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace threads_test
}  // namespace tacet::base
