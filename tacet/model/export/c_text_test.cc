#include "tacet/model/export/c_text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::model::internal {
namespace c_text_test {

TEST(CText, NamesThatCAllowsStay) {
  const std::vector<std::string> names{"age", "Age", "hours_per_week"};
  EXPECT_EQ(c_identifiers(names), names);
}

TEST(CText, OtherNamesGetNumbersThatNoColumnHas) {
  const std::vector<std::string> names{
      "int", "native-country", "column_1", "column_2", "_Bool",
      "",    "NULL",           "2nd",      "column_9", std::string(64, 'x')};
  const auto found = c_identifiers(names);
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()).size(), names.size());
  EXPECT_EQ(found[2], "column_1");
  EXPECT_EQ(found[3], "column_2");
  EXPECT_EQ(found[4], "column_5");
  EXPECT_EQ(found[8], "column_9");
}

TEST(CText, NamesOfMacrosGetNumbersAndNamesLikeThemStay) {
  const std::vector<std::string> macros{"EOF",    "I",        "complex", "ERANGE",
                                        "SIGINT", "DBL_MAX",  "PRIXMAX", "SCNd64",
                                        "LC_ALL", "st_atime", "si_pid"};
  for (const auto& name : macros) EXPECT_NE(c_identifiers(std::vector{name}).front(), name);
  const std::vector<std::string> names{"EDUCATION", "PRICE",    "SCORE", "MAX",
                                       "stdev",     "st_slope", "II"};
  EXPECT_EQ(c_identifiers(names), names);
}

TEST(CText, LiteralsAreAscii) {
  EXPECT_EQ(c_literal("a\"b\\c?\n\xc3\xbc"
                      "1"),
            R"("a\042b\134c\077\012\303\2741")");
  EXPECT_THROW(static_cast<void>(c_literal(std::string(4096, 'x'))), base::UsageError);
  EXPECT_THROW(static_cast<void>(c_literal(std::string("a\0b", 3))), base::UsageError);
}

TEST(CText, CommentsNeitherEndNorBegin) {
  EXPECT_EQ(c_comment("a*/b/*c\n???"), "a* /b/ *c\\n? ? ?");
  EXPECT_EQ(c_comment("a/"), "a/ ");
}

}  // namespace c_text_test
}  // namespace tacet::model::internal
