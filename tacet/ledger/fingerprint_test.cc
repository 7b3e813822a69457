#include "tacet/ledger/fingerprint.h"

#include <gtest/gtest.h>

#include <openssl/hmac.h>

#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::ledger {
namespace fingerprint_test {

const std::string key_a(64, 'a');
const std::string key_b(64, 'b');

std::string of(const std::vector<std::string>& records, const std::string& key = key_a) {
  Fingerprint fingerprint(key);
  for (const auto& record : records) fingerprint.add(record);
  return fingerprint.digest();
}

TEST(Fingerprint, IsTheSameInAnyOrderOfTheRecords) {
  EXPECT_EQ(of({"1,2", "3,4", "5,6"}), of({"5,6", "1,2", "3,4"}));
  EXPECT_TRUE(is_digest(of({})));
}

TEST(Fingerprint, ChangesWithAnyRecordTheirNumberAndTheKey) {
  const auto base = of({"1,2", "3,4"});
  EXPECT_NE(base, of({"1,2", "3,5"}));
  EXPECT_NE(base, of({"1,2"}));
  EXPECT_NE(base, of({"1,2", "3,4", "3,4"}));
  EXPECT_NE(base, of({"1,23,4"}));
  EXPECT_NE(base, of({"1,2", "3,4"}, key_b));
  EXPECT_NE(of({}), of({""}));
}

// The definition, spelled out with the library's own HMAC.
TEST(Fingerprint, IsTheHmacOfTheNumberAndOfTheSumOfTheRecordsHmacs) {
  const auto hmac = [](std::string_view text) {
    std::vector<unsigned char> out(32);
    unsigned size = 0;
    HMAC(EVP_sha256(), key_a.data(), 64, reinterpret_cast<const unsigned char*>(text.data()),
         text.size(), out.data(), &size);
    return out;
  };
  const std::vector<std::string> records{"alpha", std::string(1000, 'x'), ""};
  std::vector<unsigned char> sum(32, 0);
  for (const auto& record : records) {
    unsigned carry = 0;
    const auto one = hmac(record);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const unsigned total = sum[i] + one[i] + carry;
      sum[i] = static_cast<unsigned char>(total & 255U);
      carry = total >> 8U;
    }
  }
  std::string text = "tacet records 1\n3\n";
  const auto digit = [](unsigned value) { return "0123456789abcdef"[value]; };
  for (std::size_t word = 0; word < 4; ++word) {
    for (std::size_t byte = 8; byte-- > 0;) {
      text += digit(sum[8 * word + byte] >> 4U);
      text += digit(sum[8 * word + byte] & 15U);
    }
  }
  std::string expected;
  for (const unsigned char byte : hmac(text)) {
    expected += digit(byte >> 4U);
    expected += digit(byte & 15U);
  }
  EXPECT_EQ(of(records), expected);
}

TEST(Fingerprint, WantsALedgersKey) {
  EXPECT_THROW(Fingerprint("short"), base::InternalError);
  EXPECT_NE(random_key(), random_key());
  EXPECT_TRUE(is_digest(random_key()));
}

// FIPS 180-4, appendix B.1.
TEST(Digest, IsSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace fingerprint_test
}  // namespace tacet::ledger
