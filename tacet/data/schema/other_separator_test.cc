#include "tacet/data/schema/other_separator.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::data {
namespace other_separator_test {

TEST(OtherSeparator, TheSeparatorThatCutsTheLineIsNamed) {
  EXPECT_NE(other_separator("age;town", ',').find("separator = \";\""), std::string::npos);
  EXPECT_NE(other_separator("age\ttown", ',').find("separator = \"\\t\""), std::string::npos);
  EXPECT_NE(other_separator("age,town", ';').find("separator = \",\""), std::string::npos);
  EXPECT_EQ(other_separator("age", ','), "");
}

}  // namespace other_separator_test
}  // namespace tacet::data
