#include "tacet/ledger/looks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacet::ledger {
namespace looks_test {

const std::string one(64, '1');
const std::string two(64, '2');

Look look(const std::string& schema, const std::string& time = "2026-05-03T10:00:00Z") {
  return {time, 1000, {"people", "schema check", "a typing error", schema}};
}

bool says(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

TEST(Looks, NoLookIsNoCondition) { EXPECT_EQ(condition_of({}, one), ""); }

TEST(Looks, TheConditionNamesTheDaysAndHowManyThereWere) {
  const std::vector looks{look(one), look(one, "2026-05-07T23:00:00Z")};
  EXPECT_TRUE(says(condition_of(std::span(looks).first(1), one), "attested a look"));
  EXPECT_TRUE(says(condition_of(std::span(looks).first(1), one), "on 2026-05-03;"));
  EXPECT_TRUE(says(condition_of(looks, one), "attested 2 looks"));
  EXPECT_TRUE(says(condition_of(looks, one), "from 2026-05-03 to 2026-05-07"));
}

TEST(Looks, WhatCouldNotBeReadIsAConditionAndNoLook) {
  const auto unread = unread_looks("the disk broke", "earlier");
  EXPECT_TRUE(says(condition_of(std::vector{unread}), "nothing tells whether their owner looked"));
  EXPECT_FALSE(says(condition_of(std::vector{unread}, ""), "attested"));
  const auto both = condition_of(std::vector{look(one), unread}, two);
  EXPECT_TRUE(says(both, "attested a look"));
  EXPECT_TRUE(says(both, "nothing tells whether"));
  EXPECT_TRUE(says(both, "another schema"));
}

TEST(Looks, TheFirstLedgerOfALookIsKept) {
  const auto once = taken_over(std::vector{look(one)}, "first");
  EXPECT_EQ(once[0].what.ledger, "first");
  EXPECT_EQ(taken_over(once, "second")[0].what.ledger, "first");
}

TEST(Looks, AnotherSchemaOrNoneIsSaid) {
  const std::vector looks{look(one)};
  EXPECT_FALSE(says(condition_of(looks, one), "another schema"));
  EXPECT_TRUE(says(condition_of(looks, two), "another schema"));
  EXPECT_TRUE(says(condition_of(looks, ""), "does not say which schema"));
  // What was looked through first was changed before the second look.
  const std::vector both{look(one), look(two)};
  EXPECT_TRUE(says(condition_of(both, two), "another schema"));
}

// Receipts take up to 1000 bytes of a note.
TEST(Looks, AnyNumberOfLooksFitsIntoAReceipt) {
  const std::vector<Look> many(100000, look(one, "2026-05-03T10:00:00Z"));
  EXPECT_LT(condition_of(many, two).size(), 1000U);
}

}  // namespace looks_test
}  // namespace tacet::ledger
