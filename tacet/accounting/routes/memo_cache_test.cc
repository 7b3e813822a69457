#include "tacet/accounting/routes/memo_cache.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tacet::accounting {
namespace memo_cache_test {

TEST(MemoCache, AnswersAreThoseOfTheFunctionAndAreComputedOnce) {
  MemoCache<2> table;
  int computed = 0;
  const auto ask = [&](double x, double y) {
    return table({x, y}, [&] {
      ++computed;
      return x - 3 * y;
    });
  };
  EXPECT_EQ(ask(1, 2), -5);
  EXPECT_EQ(ask(1, 2), -5);
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(ask(2, 1), -1);
  EXPECT_EQ(computed, 2);
  // Zeros of both signs are two questions; the empty entry answers none.
  EXPECT_FALSE(std::signbit(table({0.0, 7.0}, [] { return 0.0; })));
  EXPECT_TRUE(std::signbit(table({-0.0, 7.0}, [] { return -0.0; })));
}

// Many more questions than entries: what was displaced is computed anew.
TEST(MemoCache, ACrowdedTableStillTellsQuestionsApart) {
  MemoCache<1, 4> table;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) {
      const double x = i * 0.25;
      EXPECT_EQ(table({x}, [&] { return x * x; }), x * x);
    }
  }
}

TEST(MemoCache, AnErrorIsNoAnswer) {
  MemoCache<1> table;
  EXPECT_THROW((void)table({1.0}, []() -> double { throw 1; }), int);
  EXPECT_EQ(table({1.0}, [] { return 2.0; }), 2.0);
}

}  // namespace memo_cache_test
}  // namespace tacet::accounting
