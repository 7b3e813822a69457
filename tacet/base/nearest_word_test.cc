#include "tacet/base/nearest_word.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacet::base {
namespace nearest_word_test {

const std::vector<std::string> known{"--epsilon", "--delta", "--schema"};

TEST(NearestWord, AMisspeltWordFindsItsOwn) {
  EXPECT_EQ(nearest_word("--epsilom", known), "--epsilon");
  EXPECT_EQ(nearest_word("--eps", known), "");  // six letters away, more than half of it
  EXPECT_EQ(nearest_word("--epsilon", known), "--epsilon");
  EXPECT_EQ(nearest_word("--shcema", known), "--schema");
}

TEST(NearestWord, NothingNearIsNothing) {
  EXPECT_EQ(nearest_word("predict", known), "");
  EXPECT_EQ(nearest_word("", known), "");
  EXPECT_EQ(did_you_mean("predict", known), "");
  EXPECT_EQ(did_you_mean("--detla", known), "; did you mean '--delta'?");
}

}  // namespace nearest_word_test
}  // namespace tacet::base
