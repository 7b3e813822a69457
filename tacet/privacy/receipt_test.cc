#include "tacet/privacy/receipt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tests/support/example_receipt.h"

namespace tacet::privacy {
namespace receipt_test {

TEST(Receipt, SurvivesTheRoundTripThroughJson) {
  const auto receipt = test::example_receipt();
  const auto back = receipt_from_json(receipt_to_json(receipt));
  EXPECT_EQ(back.algorithm, receipt.algorithm);
  EXPECT_EQ(back.parameters, receipt.parameters);
  EXPECT_EQ(back.events, receipt.events);
  EXPECT_EQ(back.guarantee, receipt.guarantee);
  EXPECT_EQ(back.public_row_count, receipt.public_row_count);
  EXPECT_EQ(back.prg_slack, receipt.prg_slack);
  EXPECT_EQ(receipt_to_json(back), receipt_to_json(receipt));
}

TEST(Receipt, AnUnprotectedResultCannotLoseItsMark) {
  auto receipt = test::example_receipt();
  receipt.randomness = Randomness::seeded;
  EXPECT_THROW(static_cast<void>(receipt_to_json(receipt)), base::UsageError);
  receipt.unprotected_reason = "seeded noise";
  auto text = receipt_to_json(receipt);
  EXPECT_FALSE(receipt_from_json(text).is_protected());
  const auto mark = text.find("seeded noise");
  text.erase(mark, std::string("seeded noise").size());
  EXPECT_THROW(static_cast<void>(receipt_from_json(text)), base::DataError);

  auto infinite = test::example_receipt();
  infinite.guarantee.epsilon = HUGE_VAL;
  EXPECT_THROW(static_cast<void>(receipt_to_json(infinite)), base::UsageError);
  infinite.unprotected_reason = "trained without noise";
  EXPECT_TRUE(std::isinf(receipt_from_json(receipt_to_json(infinite)).guarantee.epsilon));
}

TEST(Receipt, ARepeatedKeyIsADataErrorAtEveryDepth) {
  const auto good = receipt_to_json(test::example_receipt(), -1);
  for (const std::string key : {"\"guarantee\":", "\"events\":", "\"noise_multiplier\":"}) {
    auto text = good;
    const auto at = text.find(key);
    ASSERT_NE(at, std::string::npos);
    text.insert(at, key + "0.01,");
    EXPECT_THROW(static_cast<void>(receipt_from_json(text)), base::DataError) << key;
  }
}

TEST(Receipt, AnUnknownKeyIsADataErrorAlsoInTheGuarantee) {
  const auto good = receipt_to_json(test::example_receipt(), -1);
  for (const std::string place : {"{\"version\":", "\"epsilon\":"}) {
    auto text = good;
    const auto at = text.find(place);
    ASSERT_NE(at, std::string::npos);
    text.insert(place.front() == '{' ? at + 1 : at, "\"stray\":1,");
    EXPECT_THROW(static_cast<void>(receipt_from_json(text)), base::DataError) << place;
  }
}

// What cannot be said of noise from the cipher is neither written nor read.
TEST(Receipt, APromiseWithoutRoomForTheCipherIsRefused) {
  auto receipt = test::example_receipt();
  receipt.prg_slack = 9e-7;  // below delta, but not (1 + e) times
  EXPECT_THROW(static_cast<void>(receipt_to_json(receipt)), base::GuaranteeError);
  receipt.prg_slack = 2e-7;
  EXPECT_NO_THROW(static_cast<void>(receipt_from_json(receipt_to_json(receipt))));
  receipt.guarantee = {45, 0, Adjacency::add_remove};
  receipt.prg_slack = 2.7e-20;
  EXPECT_THROW(static_cast<void>(receipt_to_json(receipt)), base::GuaranteeError);
  receipt.unprotected_reason = "seeded noise";
  EXPECT_NO_THROW(static_cast<void>(receipt_to_json(receipt)));
}

TEST(Receipt, MalformedTextIsADataError) {
  const auto good = receipt_to_json(test::example_receipt(), -1);
  EXPECT_THROW(static_cast<void>(receipt_from_json(good.substr(0, good.size() / 2))),
               base::DataError);
  EXPECT_THROW(static_cast<void>(receipt_from_json("[]")), base::DataError);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    auto text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const auto& text :
       {replaced("\"tight\"", "\"loose\""), replaced("\"add_remove\"", "\"add\""),
        replaced("\"secure\"", "\"other\""), replaced("\"version\":1", "\"version\":9"),
        replaced("\"protected\":true", "\"protected\":false"),
        replaced("\"sampling\":", "\"extra\":1,\"sampling\":"),
        replaced("\"delta\":1e-06", "\"delta\":-1"), replaced("4526", "\"many\"")}) {
    EXPECT_THROW(static_cast<void>(receipt_from_json(text)), base::DataError) << text;
  }
  // Well formed, but no promise that the cipher allows.
  EXPECT_THROW(static_cast<void>(receipt_from_json(replaced("\"delta\":1e-06", "\"delta\":1e-60"))),
               base::GuaranteeError);
}

}  // namespace receipt_test
}  // namespace tacet::privacy
