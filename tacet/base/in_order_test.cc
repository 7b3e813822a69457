#include "tacet/base/in_order.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::base {
namespace in_order_test {

/// What was taken of the numbers 0 .. count - 1, and the error at which it ended.
struct Outcome {
  std::vector<int> taken;
  std::string error;
};

struct Faults {
  int cut = -1;  ///< the numbers at which a step throws
  int work = -1;
  int take = -1;
};

Outcome numbers(int threads, int count, Faults faults) {
  ThreadPool pool(threads);
  Outcome outcome;
  int next = 0;
  std::atomic<int> held = 0;
  const auto fail_at = [](int number, int fault, const char* what) {
    if (number == fault) throw DataError("{} {}", what, number);
  };
  InOrder<int, int> stream(pool,
                           {.cut =
                                [&](int& piece) {
                                  if (next == count) return false;
                                  piece = next++;
                                  fail_at(piece, faults.cut, "cut");
                                  EXPECT_LE(++held, 2 * threads);
                                  return true;
                                },
                            .work =
                                [&](int worker, int& piece) {
                                  EXPECT_LT(worker, pool.size());
                                  // Some pieces take longer than those behind them.
                                  if (piece % 3 == 0)
                                    std::this_thread::sleep_for(std::chrono::microseconds(200));
                                  fail_at(piece, faults.work, "work");
                                  return piece;
                                },
                            .take =
                                [&](int& piece) {
                                  --held;
                                  fail_at(piece, faults.take, "take");
                                  outcome.taken.push_back(piece);
                                }});
  try {
    stream.run();
  } catch (const DataError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

std::vector<int> up_to(int end) {
  std::vector<int> list;
  for (int k = 0; k < end; ++k) list.push_back(k);
  return list;
}

TEST(InOrder, TakesEveryPieceInTheOrderOfTheCutting) {
  for (const int threads : {1, 2, 7}) {
    const auto outcome = numbers(threads, 200, {});
    EXPECT_EQ(outcome.taken, up_to(200)) << threads;
    EXPECT_EQ(outcome.error, "");
    EXPECT_TRUE(numbers(threads, 0, {}).taken.empty());
  }
}

TEST(InOrder, TheFirstPieceWithAnErrorDecidesWhateverTheThreadsDid) {
  for (const int threads : {1, 2, 7}) {
    for (const auto& [faults, error, place] :
         {std::tuple{Faults{.cut = 60}, "cut 60", 60},
          {Faults{.work = 60}, "work 60", 60},
          {Faults{.take = 60}, "take 60", 60},
          {Faults{.cut = 61, .work = 60, .take = 62}, "work 60", 60},
          {Faults{.cut = 60, .work = 66}, "cut 60", 60},
          {Faults{.cut = 99, .work = 61, .take = 60}, "take 60", 60},
          {Faults{.cut = 0}, "cut 0", 0}}) {
      const auto outcome = numbers(threads, 100, faults);
      EXPECT_EQ(outcome.error, error) << threads;
      EXPECT_EQ(outcome.taken, up_to(place)) << threads;
    }
  }
}

}  // namespace in_order_test
}  // namespace tacet::base
