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
