#include "tacet/local/http/address.h"

#include <gtest/gtest.h>

namespace tacet::local {
namespace address_test {

TEST(AddressTest, HasOneSpelling) {
  EXPECT_EQ(plain_address("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(plain_address("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(plain_address("::FFFF:c000:0201"), "192.0.2.1");
  EXPECT_EQ(plain_address("2001:DB8:0:0::1"), "2001:db8::1");
  for (const char* text :
       {"", "unknown", "192.0.2.1:80", "[::1]", "1.2.3", "fe80::1%eth0", "::1 "}) {
    EXPECT_FALSE(plain_address(text)) << text;
  }
}

TEST(AddressTest, OneNetworkOfSixIsOneClient) {
  EXPECT_EQ(limited_address("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(limited_address("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  EXPECT_EQ(limited_address("2001:db8:1:2::"), limited_address("2001:db8:1:2:ffff::1"));
  EXPECT_NE(limited_address("2001:db8:1:2::1"), limited_address("2001:db8:1:3::1"));
}

}  // namespace address_test
}  // namespace tacet::local
