#include "tacet/local/service/token.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::local {
namespace token_test {

// RFC 4231, test case 2.
TEST(TokenTest, AMacIsHmacSha256) {
  const TokenKey key("Jefe");
  for (int i = 0; i < 2; ++i) {
    const auto mac = key.mac("what do ya want for nothing?");
    EXPECT_EQ(mac[0], 0x5b);
    EXPECT_EQ(mac[1], 0xdc);
    EXPECT_EQ(mac[2], 0xc1);
    EXPECT_EQ(mac[30], 0x38);
    EXPECT_EQ(mac[31], 0x43);
  }
  EXPECT_NE(key.mac("a"), key.mac("b"));
  const auto mac = key.mac("a");
  EXPECT_NE(mac, TokenKey("jefe").mac("a"));
  EXPECT_EQ(mac, key.mac("a"));  // though this thread has used another key
}

TEST(TokenTest, AKeyThatIsNotCopiedGivesTheSameMacs) {
  const TokenKey key("Jefe");
  ThreadTokenKey seals("Jefe");
  for (const std::string text : {"what do ya want for nothing?", "", "a", "a"}) {
    EXPECT_EQ(seals.mac(text), key.mac(text)) << text;
  }
  EXPECT_EQ(seals.mac(std::string(1000, 'x')), key.mac(std::string(1000, 'x')));
}

TEST(TokenTest, TokensDiffer) {
  const auto one = new_token();
  EXPECT_TRUE(is_token(one));
  EXPECT_NE(one, new_token());
  EXPECT_FALSE(is_token(one.substr(1)));
  EXPECT_FALSE(is_token("k:" + one));
}

}  // namespace token_test
}  // namespace tacet::local
