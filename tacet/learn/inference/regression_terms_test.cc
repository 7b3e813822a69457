#include "tacet/learn/inference/regression_terms.h"

#include <gtest/gtest.h>

#include "tacet/base/error.h"

namespace tacet::learn {
namespace regression_terms_test {

TEST(RegressionTerms, AreReadAsInRAndStatsmodels) {
  using Terms = std::vector<Term>;
  EXPECT_EQ(parse_terms("age"), (Terms{{"age"}}));
  EXPECT_EQ(parse_terms(" age + sex+age:sex "), (Terms{{"age"}, {"sex"}, {"age", "sex"}}));
  EXPECT_EQ(parse_terms("age*sex"), (Terms{{"age"}, {"sex"}, {"age", "sex"}}));
  EXPECT_EQ(parse_terms("sex + sex:age + age*sex"), (Terms{{"sex"}, {"sex", "age"}, {"age"}}));
  EXPECT_EQ(parse_terms("`body mass` + `a+b`:c_1.x"), (Terms{{"body mass"}, {"a+b", "c_1.x"}}));
  EXPECT_EQ(parse_terms("a*b*c").size(), 7);
  EXPECT_EQ(parse_terms("1 + age"), (Terms{{"age"}}));
  EXPECT_EQ(parse_terms("age + 1"), (Terms{{"age"}}));
  EXPECT_EQ(parse_terms(" 1 "), Terms{});
  EXPECT_EQ(parse_terms("+ age"), (Terms{{"age"}}));
  EXPECT_EQ(parse_terms("\n age\n\t+ sex\r\n"), (Terms{{"age"}, {"sex"}}));
  EXPECT_EQ(parse_terms("`1` + 1a"), (Terms{{"1"}, {"1a"}}));
  EXPECT_EQ(parse_terms("gr\xc3\xb6\xc3\x9f"
                        "e"),
            (Terms{{"gr\xc3\xb6\xc3\x9f"
                    "e"}}));
}

std::string error_of(std::string_view formula) {
  try {
    static_cast<void>(parse_terms(formula));
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(RegressionTerms, FaultsAreSaidWithTheirPlace) {
  EXPECT_EQ(error_of("age +"), "terms, character 6: the name of a column is expected");
  EXPECT_EQ(error_of("age + + sex"), "terms, character 7: the name of a column is expected");
  EXPECT_EQ(error_of("age sex"),
            "terms, character 5: '+', ':' or '*' is expected; names with blanks or signs stand "
            "between backticks");
  EXPECT_EQ(error_of("`age"), "terms, character 1: the second backtick of a name is missing");
  EXPECT_EQ(error_of("``"), "terms, character 1: a name between backticks is empty");
  EXPECT_EQ(
      error_of("age:age"),
      "terms, character 8: a column times itself; its square is a column that you make before");
  EXPECT_EQ(error_of("a:b*c"), "terms, character 5: ':' and '*' in one term; write two terms");
  EXPECT_EQ(error_of("a:b:c:d:e"), "terms, character 10: at most four columns in a product");
  EXPECT_EQ(error_of(""), "terms, character 1: the name of a column is expected");
  for (const std::string name : {"log", "I", "poly", "np.log"}) {
    EXPECT_EQ(error_of(name + "(age, 2)"),
              "terms, character " + std::to_string(name.size() + 1) +
                  ": functions are not computed: make a column of it before, with bounds in the "
                  "schema");
  }
  EXPECT_NE(error_of("ns(age, 2)").find("'edges'"), std::string::npos);
  EXPECT_NE(error_of("scale(age)").find("'10 * age'"), std::string::npos);
  EXPECT_NE(error_of("log1p(age)").find("'log1p = true'"), std::string::npos);
  EXPECT_NE(error_of("strata(ward)").find("'unit'"), std::string::npos);
  for (const auto* formula : {"age > 50", "age == 50", "!sex", "age & sex"}) {
    EXPECT_NE(error_of(formula).find("nothing is compared"), std::string::npos) << formula;
  }
  EXPECT_NE(error_of("sex[T.m]").find("a level is no term"), std::string::npos);
  EXPECT_EQ(error_of("*age"), "terms, character 1: the name of a column is expected");
  EXPECT_EQ(error_of("age ~ sex"), "terms, character 5: '~' stands once, behind the target");
  EXPECT_NE(error_of("offset(age)").find("no offset is fitted"), std::string::npos);
  for (const auto* formula : {"C(sex, Treatment('m'))", "C (sex)", "factor(sex)"}) {
    EXPECT_NE(error_of(formula).find("name the column alone"), std::string::npos) << formula;
  }
  for (const auto* formula : {"Q('body mass')", "'body mass'", "age + \"body mass\""}) {
    EXPECT_NE(error_of(formula).find("stands between backticks"), std::string::npos) << formula;
  }
  EXPECT_EQ(
      error_of("age %in% sex"),
      "terms, character 5: nested terms are not read: write 'a*b', which fits the same model");
  EXPECT_EQ(
      error_of("sex / age"),
      "terms, character 5: nested terms are not read: write 'a*b', which fits the same model");
  for (const auto* formula : {"age | sex", "(1 | ward)", "(age|ward)"}) {
    EXPECT_NE(error_of(formula).find("no random effects are fitted"), std::string::npos) << formula;
  }
  EXPECT_EQ(
      error_of("sex=m"),
      "terms, character 4: a level is no term: name the column, and all its levels take part");
  const std::string power =
      "parentheses and powers are not read: write products out, as in 'a*b'; the square of a "
      "column is a column that you make before";
  EXPECT_EQ(error_of("age + (a + b)^2"), "terms, character 7: " + power);
  EXPECT_EQ(error_of("age^2"), "terms, character 4: " + power);
  EXPECT_EQ(error_of("age**2"), "terms, character 5: " + power);
  const std::string intercept = "the intercept stays: no table is fitted without it";
  EXPECT_EQ(error_of("age - 1"), "terms, character 5: " + intercept);
  EXPECT_EQ(error_of("-1 + age"), "terms, character 1: " + intercept);
  EXPECT_EQ(error_of("0 + age"), "terms, character 1: " + intercept);
  EXPECT_EQ(error_of(". - sex"),
            "terms, character 3: nothing is taken away: name the terms that stay");
}

TEST(RegressionTerms, APlaceIsThatOfACharacterOfTheWholeFormula) {
  EXPECT_THROW(static_cast<void>(parse_terms("y ~ age - 1", 3)), base::UsageError);
  try {
    static_cast<void>(
        parse_terms("gr\xc3\xb6\xc3\x9f"
                    "e ~ age - 1",
                    9));
  } catch (const base::UsageError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 21), "terms, character 13: ");
  }
}

TEST(RegressionTerms, ATextOfTermsIsReadBack) {
  for (const auto* formula : {"1", "`1` + `0`", "age + sex + age:sex", "`a b`*c", "x.1 + `+`"}) {
    const auto terms = parse_terms(formula);
    EXPECT_EQ(parse_terms(terms_text(terms)), terms) << formula;
  }
  EXPECT_EQ(terms_text(parse_terms("a*b")), "a + b + a:b");
  EXPECT_EQ(terms_text({}), "1");
  EXPECT_EQ(terms_text({{"1"}, {"0"}}), "`1` + `0`");
  EXPECT_THROW(static_cast<void>(terms_text({{"a`b"}})), base::UsageError);
}

}  // namespace regression_terms_test
}  // namespace tacet::learn
