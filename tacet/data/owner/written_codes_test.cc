#include "tacet/data/owner/written_codes.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::data {
namespace written_codes_test {

TEST(WrittenCodes, EachWayToWriteACharacterIsKnown) {
  for (const std::string text : {"K+APY-ln", "+ZeVnLIqe-", "K&ouml;ln", "K&#246;ln", "K&#xF6;ln",
                                 "K\\u00f6ln", "K<U+00F6>ln", "K%C3%B6ln", "K=C3=B6ln"}) {
    EXPECT_NE(written_code(text), nullptr) << text;
  }
}

TEST(WrittenCodes, SignsInUsualTextsAreNone) {
  for (const std::string text :
       {"", "+", "A+B-C", "B+", "+41-44-100", "+1-800-FLOWERS", "R&D; more", "a & b", "C\\users",
        "<U", "5 % of", "100%", "a=b", "=CONCAT", "%d.%m.%Y", "x+yz-1", "++--", "AT&T"}) {
    EXPECT_EQ(written_code(text), nullptr) << text;
  }
}

TEST(WrittenCodes, AQuestionMarkWithinAWordIsALostCharacter) {
  EXPECT_TRUE(lost_in_word("K?ln"));
  EXPECT_TRUE(lost_in_word("in Z?rich"));
  for (const std::string text : {"", "?", "why?", "why? because", "2?x", "? ln"}) {
    EXPECT_FALSE(lost_in_word(text)) << text;
  }
}

}  // namespace written_codes_test
}  // namespace tacet::data
