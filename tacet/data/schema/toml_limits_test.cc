#include "tacet/data/schema/table_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data::internal {
namespace toml_limits_test {

std::string repeat(std::string_view text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(schema_from_toml(text, "s.toml"));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "none";
}

// Each of these took the parser or its tree to the end of the stack, or near it.
TEST(TomlLimits, DeepKeysAndListsAreRefusedBeforeTheyAreParsed) {
  constexpr int levels = 20000;
  const std::string said = ": nested more than 8 levels deep, unlike any schema";
  EXPECT_EQ(fault_of("name = 'n'\na" + repeat(".a", levels) + " = 1"), "s.toml:2" + said);
  EXPECT_EQ(fault_of("[a" + repeat(" . \"a\"", levels) + "]"), "s.toml:1" + said);
  EXPECT_EQ(fault_of("[[a" + repeat(".'a'", levels) + "]]"), "s.toml:1" + said);
  EXPECT_EQ(fault_of("a = " + repeat("[", levels) + repeat("]", levels)), "s.toml:1" + said);
  EXPECT_EQ(fault_of("a = " + repeat("{a.a=", levels) + "1" + repeat("}", levels)),
            "s.toml:1" + said);
  EXPECT_EQ(fault_of("a = [\n" + repeat("{a=\n", 9)), "s.toml:9" + said);
  // A line that ends in a backslash is one as well.
  EXPECT_EQ(fault_of("name = \"\"\"a\\\n\nb\"\"\"\na = " + repeat("[", 9)), "s.toml:4" + said);
  // Within the limits of both, and still deeper than any schema.
  EXPECT_NE(fault_of("[a.a.a.a.a.a.a]\na.a.a.a.a.a.a={a.a.a.a.a.a={a.a.a.a.a=1}}")
                .find("nested deeper than any schema"),
            std::string::npos);
}

TEST(TomlLimits, DotsAndBracketsOfTextsAndCommentsCountForNothing) {
  const std::string noise = repeat(".[{=,", 100);
  const std::string text =
      "name = \"" + noise + "\\\"" + noise + "\" # " + noise + "\ndescription = \"\"\"" + noise +
      "\n\\\"\"\"" + noise + "\"\"\"\"\" # \"\"\"" + noise + "\nmissing = ['" + noise + "\\', '''" +
      noise + "''\n" + noise + "''''', 'x']\n[target]\ncolumn = 'y'\nlower = 0.5\nupper = 1.5\n";
  EXPECT_EQ(fault_of(text), "none");
}

TEST(TomlLimits, KeysAndValuesAreCounted) {
  const auto most = static_cast<int>(base::limits::schema_values);
  EXPECT_NO_THROW(check_toml_limits("a = [" + repeat("1,", most - 2) + "]", "s.toml"));
  EXPECT_THROW(check_toml_limits("a = [" + repeat("1,", most - 1) + "]", "s.toml"),
               base::DataError);
  EXPECT_THROW(check_toml_limits(repeat("a=1\n", most + 1), "s.toml"), base::DataError);
  EXPECT_THROW(check_toml_limits(repeat("[a]\n", most + 1), "s.toml"), base::DataError);
}

}  // namespace toml_limits_test
}  // namespace tacet::data::internal
