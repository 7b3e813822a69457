#include "tacet/privacy/receipt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/statement.h"

namespace tacet::privacy {
namespace {

Receipt example() {
  Receipt receipt;
  receipt.algorithm = "gradient";
  receipt.calibration = "tight";
  receipt.parameters = R"({"steps":100,"rate":0.5})";
  receipt.events = Repeated{100, Gaussian{20}};
  receipt.guarantee = {1, 1e-6, Adjacency::add_remove};
  receipt.public_row_count = 4526;
  receipt.cipher_delta = 1e-20;
  receipt.software_version = "0.1.0";
  return receipt;
}

TEST(Receipt, SurvivesTheRoundTripThroughJson) {
  const auto receipt = example();
  const auto back = receipt_from_json(receipt_to_json(receipt));
  EXPECT_EQ(back.algorithm, receipt.algorithm);
  EXPECT_EQ(back.parameters, receipt.parameters);
  EXPECT_EQ(back.events, receipt.events);
  EXPECT_EQ(back.guarantee, receipt.guarantee);
  EXPECT_EQ(back.public_row_count, receipt.public_row_count);
  EXPECT_EQ(back.cipher_delta, receipt.cipher_delta);
  EXPECT_EQ(receipt_to_json(back), receipt_to_json(receipt));
}

TEST(Receipt, AnUnprotectedResultCannotLoseItsMark) {
  auto receipt = example();
  receipt.randomness = Randomness::seeded;
  EXPECT_THROW(static_cast<void>(receipt_to_json(receipt)), base::UsageError);
  receipt.unprotected_reason = "seeded noise";
  auto text = receipt_to_json(receipt);
  EXPECT_FALSE(receipt_from_json(text).is_protected());
  const auto mark = text.find("seeded noise");
  text.erase(mark, std::string("seeded noise").size());
  EXPECT_THROW(static_cast<void>(receipt_from_json(text)), base::DataError);

  auto infinite = example();
  infinite.guarantee.epsilon = HUGE_VAL;
  EXPECT_THROW(static_cast<void>(receipt_to_json(infinite)), base::UsageError);
  infinite.unprotected_reason = "trained without noise";
  EXPECT_TRUE(std::isinf(receipt_from_json(receipt_to_json(infinite)).guarantee.epsilon));
}

TEST(Receipt, ARepeatedKeyIsADataErrorAtEveryDepth) {
  const auto good = receipt_to_json(example(), -1);
  for (const std::string key : {"\"guarantee\":", "\"events\":", "\"noise_multiplier\":"}) {
    auto text = good;
    const auto at = text.find(key);
    ASSERT_NE(at, std::string::npos);
    text.insert(at, key + "0.01,");
    EXPECT_THROW(static_cast<void>(receipt_from_json(text)), base::DataError) << key;
  }
}

// Two laws within t of (epsilon, delta)-close ones in total variation, at the worst event:
// p + t <= e^epsilon (q + t) + delta + t, where q loses t and p gains it.
TEST(Receipt, TheCiphersTermCountsOnBothSides) {
  const Guarantee guarantee{3, 1e-5, Adjacency::replace_one};
  EXPECT_NEAR(delta_with_cipher(guarantee, 1e-7), 1e-5 + (1 + std::exp(3.0)) * 1e-7, 1e-18);
  EXPECT_EQ(delta_with_cipher(guarantee, 0), 1e-5);
  EXPECT_EQ(delta_with_cipher({800, 0, Adjacency::replace_one}, 1e-30), 1);
  auto receipt = example();
  receipt.guarantee.epsilon = 10;
  EXPECT_NE(statement(receipt).find("delta is 2.2e-16 more"), std::string::npos)
      << statement(receipt);
}

TEST(Receipt, MalformedTextIsADataError) {
  const auto good = receipt_to_json(example(), -1);
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

TEST(Statement, NamesTheUnitTheAdjacencyAndTheAssumption) {
  const auto text = statement({1, 1e-6, Adjacency::replace_one}, "patient");
  EXPECT_NE(text.find("(1, 1e-06)-differential privacy"), std::string::npos) << text;
  EXPECT_NE(text.find("replace_one"), std::string::npos);
  EXPECT_NE(text.find("'patient'"), std::string::npos);
  EXPECT_NE(text.find("sum of both epsilons"), std::string::npos);
  EXPECT_NE(text.find("stream cipher"), std::string::npos);
  EXPECT_NE(statement({HUGE_VAL, 0, Adjacency::add_remove}, "record").find("No privacy"),
            std::string::npos);
  const auto huge = statement({5000, 1e-6, Adjacency::add_remove}, "record");
  EXPECT_EQ(huge.find("inf"), std::string::npos) << huge;
  EXPECT_NE(huge.find("2172 digits"), std::string::npos) << huge;
  auto receipt = example();
  receipt.unprotected_reason = "seeded noise";
  EXPECT_NE(statement(receipt).find("UNPROTECTED: seeded noise"), std::string::npos);
}

TEST(BoundedSum, OwnsItsSensitivity) {
  const auto sum = BoundedSum::from_certified({1, 2, 3}, 0.25, 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::add_remove), 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::zero_out), 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::replace_one), 2048);
  EXPECT_EQ(sum.size(), 3U);
  EXPECT_THROW(static_cast<void>(BoundedSum::from_certified({}, 0, 1)), base::UsageError);
  EXPECT_THROW(static_cast<void>(BoundedSum::from_certified({}, 1, 0)), base::UsageError);
}

TEST(Quantities, RefuseWhatMakesNoSense) {
  EXPECT_THROW(Epsilon(-1), base::UsageError);
  EXPECT_THROW(Epsilon(std::nan("")), base::UsageError);
  EXPECT_THROW(Delta(1), base::UsageError);
  EXPECT_THROW(Delta(-1e-9), base::UsageError);
  EXPECT_THROW(NoiseMultiplier(-1), base::UsageError);
  EXPECT_THROW(ClippingNorm(0), base::UsageError);
  EXPECT_THROW(SamplingRate(1.01), base::UsageError);
  EXPECT_EQ(Epsilon{HUGE_VAL}.value(), HUGE_VAL);
  EXPECT_EQ(parse_adjacency(to_string(Adjacency::zero_out)), Adjacency::zero_out);
  EXPECT_THROW(static_cast<void>(parse_adjacency("bounded")), base::UsageError);
}

}  // namespace
}  // namespace tacet::privacy
