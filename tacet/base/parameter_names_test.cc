#include "tacet/base/parameter_names.h"

#include <gtest/gtest.h>

namespace tacet::base::parameter_names_test {

std::string spelled(std::string_view text) {
  return spell_parameters(text,
                          [](std::string_view name,
                             std::optional<std::string_view> value) -> std::optional<std::string> {
                            if (name == "ledger.cap") return "CAP";
                            if (name != "method" && name != "step_size") return std::nullopt;
                            return "<" + std::string(name) +
                                   (value ? " " + std::string(*value) : "") + ">";
                          });
}

TEST(ParameterNames, AreSpelledWithTheirValues) {
  EXPECT_EQ(spelled("use `method=regularized-output`, or a smaller `step_size`"),
            "use <method regularized-output>, or a smaller <step_size>");
  EXPECT_EQ(spelled("`method`"), "<method>");
  EXPECT_EQ(spelled("`step_size=0.5``method`"), "<step_size 0.5><method>");
  EXPECT_EQ(spelled("`ledger.cap` changes it"), "CAP changes it");
}

TEST(ParameterNames, OfNobodyAndOtherWordsStayAsTheyAre) {
  for (const auto* text :
       {"", "`", "``", "plain", "method", "`radius`", "`radius=2`", "`Method`", "` method`",
        "`method `", "`method=`", "`=2`", "`--method`", "'method'", "`method", "a`b"}) {
    EXPECT_EQ(spelled(text), text);
  }
}

TEST(ParameterNames, AreFoundBehindOddBackquotes) {
  EXPECT_EQ(spelled("a column called a`b: `method`"), "a column called a`b: <method>");
  EXPECT_EQ(spelled("`tacet train` and `method=x`"), "`tacet train` and <method x>");
}

TEST(ParameterNames, OfTablesAreNamedWithUnderscores) {
  EXPECT_EQ(parameter_name("step-size"), "`step_size`");
  EXPECT_EQ(spelled(parameter_name("step-size")), "<step_size>");
}

}  // namespace tacet::base::parameter_names_test
