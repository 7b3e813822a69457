#include "tacet/privacy/statement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/example_receipt.h"

namespace tacet::privacy {
namespace statement_test {

std::string words(const Guarantee& guarantee, const std::string& unit = "record") {
  return statement(Promise{.guarantee = guarantee, .privacy_unit = unit});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Statement, NamesTheUnitTheAdjacencyAndTheAssumption) {
  const auto text = words({1, 1e-6, Adjacency::replace_one}, "patient");
  for (const char* part : {"(1, 1e-06)-differential privacy", "replace_one", "'patient'",
                           "sum of both epsilons", "stream cipher"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
  EXPECT_TRUE(has(words({HUGE_VAL, 0, Adjacency::add_remove}), "No privacy"));
  const auto huge = words({5000, 1e-6, Adjacency::add_remove});
  EXPECT_FALSE(has(huge, "inf")) << huge;
  EXPECT_TRUE(has(huge, "2172 digits")) << huge;
  auto receipt = test::example_receipt();
  receipt.unprotected_reason = "seeded noise";
  EXPECT_TRUE(has(statement(receipt), "UNPROTECTED: seeded noise"));
}

TEST(Statement, RoundsUpAndSaysWhereTheCiphersPartIs) {
  EXPECT_TRUE(
      has(words({1.0000001, 1.0000001e-6, Adjacency::add_remove}), "(1.00001, 1.00001e-06)"));
  auto receipt = test::example_receipt();
  receipt.guarantee.epsilon = 10;
  EXPECT_TRUE(has(statement(receipt), "What noise from the cipher adds, 2.21e-16, is part of that"))
      << statement(receipt);
  receipt.guarantee.delta = 0;
  EXPECT_TRUE(has(statement(receipt), "noise from the cipher adds 2.21e-16 to delta 0"))
      << statement(receipt);
}

TEST(ShortStatement, SaysInTwoLinesWhatAndHowMuch) {
  auto receipt = test::example_receipt();
  receipt.guarantee = {1, 1e-6, Adjacency::replace_one};
  receipt.privacy_unit = "a\nb";
  EXPECT_EQ(short_statement(receipt),
            "(1, 1e-06)-differential privacy under replace_one neighbours, for all records that "
            "share one value of 'a\\nb'\n"
            "It changes the probability of any conclusion by a factor of at most e^1 = 2.719, "
            "plus 1e-06");
  receipt.guarantee.epsilon = 10;
  receipt.guarantee.delta = 0;
  EXPECT_TRUE(has(short_statement(receipt), "(for ideal noise; the cipher adds 2.21e-16"))
      << short_statement(receipt);
  receipt.guarantee.delta = 1;
  EXPECT_TRUE(has(short_statement(receipt), "No privacy is protected"));
}

TEST(Statement, ANumberOfRecordsThatIsDeclaredPublicIsNoSecret) {
  auto receipt = test::example_receipt();
  EXPECT_TRUE(has(statement(receipt), "4526 is declared as the public number of records"));
  EXPECT_FALSE(has(statement(receipt), "secret"));
  receipt.public_row_count.reset();
  EXPECT_TRUE(has(statement(receipt), "the number of records is kept secret too"));
}

TEST(Statement, ANameFromAFileWritesNoLineOfItsOwn) {
  auto receipt = test::example_receipt();
  receipt.privacy_unit = "x\nverdict  follows\x1b[2J";
  EXPECT_TRUE(has(statement(receipt), "'x\\nverdict  follows\\x1b[2J'")) << statement(receipt);
  receipt.unprotected_reason = "a\nb";
  EXPECT_TRUE(has(statement(receipt), "a\\nb"));
}

TEST(Statement, SaysWhatHoldsOfReportsThatWerePrivateOnTheDevice) {
  auto receipt = test::example_receipt();
  EXPECT_FALSE(has(statement(receipt), "left the device"));
  receipt.sampling = "local";
  EXPECT_TRUE(has(statement(receipt), "the server too"));
}

TEST(Statement, PromisesNothingWhereDeltaIsOne) {
  EXPECT_TRUE(has(words({0.1, 1, Adjacency::zero_out}), "No privacy"));
}

TEST(Statement, SaysOfEachAdjacencyWhatIsPublic) {
  EXPECT_TRUE(has(words({1, 0, Adjacency::zero_out}), "was replaced by an empty one"));
  EXPECT_TRUE(has(words({1, 0, Adjacency::zero_out}), "with nothing added"));
  EXPECT_TRUE(has(words({1, 0, Adjacency::replace_one}), "so is taking part"));
}

}  // namespace statement_test
}  // namespace tacet::privacy
