#include "tacet/privacy/receipt.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tacet/base/error.h"
#include "tacet/privacy/bounded_sum.h"
#include "tacet/privacy/certifier.h"
#include "tacet/privacy/statement.h"

namespace tacet::privacy {
namespace receipt_test {

Receipt example() {
  Receipt receipt;
  receipt.algorithm = "gradient";
  receipt.calibration = "tight";
  receipt.parameters = R"({"steps":100,"rate":0.5})";
  receipt.events = Repeated{100, Gaussian{20}};
  receipt.guarantee = {1, 1e-6, Adjacency::add_remove};
  receipt.public_row_count = 4526;
  receipt.prg_slack = 1e-20;
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
  EXPECT_EQ(back.prg_slack, receipt.prg_slack);
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

// What cannot be said of noise from the cipher is neither written nor read.
TEST(Receipt, APromiseWithoutRoomForTheCipherIsRefused) {
  auto receipt = example();
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
  auto receipt = example();
  receipt.unprotected_reason = "seeded noise";
  EXPECT_TRUE(has(statement(receipt), "UNPROTECTED: seeded noise"));
}

TEST(Statement, RoundsUpAndSaysWhereTheCiphersPartIs) {
  EXPECT_TRUE(
      has(words({1.0000001, 1.0000001e-6, Adjacency::add_remove}), "(1.00001, 1.00001e-06)"));
  auto receipt = example();
  receipt.guarantee.epsilon = 10;
  EXPECT_TRUE(has(statement(receipt), "What noise from the cipher adds, 2.21e-16, is part of that"))
      << statement(receipt);
  receipt.guarantee.delta = 0;
  EXPECT_TRUE(has(statement(receipt), "noise from the cipher adds 2.21e-16 to delta 0"))
      << statement(receipt);
}

TEST(Statement, ANumberOfRecordsThatIsDeclaredPublicIsNoSecret) {
  auto receipt = example();
  EXPECT_TRUE(has(statement(receipt), "4526 is declared as the public number of records"));
  EXPECT_FALSE(has(statement(receipt), "secret"));
  receipt.public_row_count.reset();
  EXPECT_TRUE(has(statement(receipt), "the number of records is kept secret too"));
}

TEST(Statement, ANameFromAFileWritesNoLineOfItsOwn) {
  auto receipt = example();
  receipt.privacy_unit = "x\nverdict  follows\x1b[2J";
  EXPECT_TRUE(has(statement(receipt), "'x\\nverdict  follows\\x1b[2J'")) << statement(receipt);
  receipt.unprotected_reason = "a\nb";
  EXPECT_TRUE(has(statement(receipt), "a\\nb"));
}

TEST(BoundedSum, OwnsItsSensitivity) {
  const auto sum = BoundedSum::from_certified(Certifier::clipped(), {1, 2, 3}, 0.25, 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::add_remove), 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::zero_out), 1024);
  EXPECT_EQ(sum.sensitivity(Adjacency::replace_one), 2048);
  EXPECT_EQ(sum.size(), 3U);
  EXPECT_THROW(static_cast<void>(BoundedSum::from_certified(Certifier::clipped(), {}, 0, 1)),
               base::UsageError);
  EXPECT_THROW(static_cast<void>(BoundedSum::from_certified(Certifier::clipped(), {}, 1, 0)),
               base::UsageError);
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

}  // namespace receipt_test
}  // namespace tacet::privacy
