#include "tacet/data/owner/similar_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace tacet::data {
namespace similar_texts_test {

TEST(SimilarTexts, ARareTextOneSlipFromAUsualOneIsNamed) {
  for (const std::string rare : {"Mael", "Maale", "Malle", "Mile"}) {
    EXPECT_NE(misspelt_remark({{"Male", 90}, {"Female", 80}, {rare, 2}}).find("\"" + rare + "\""),
              std::string::npos)
        << rare;
  }
  EXPECT_NE(misspelt_remark({{"Gen\xc3\xa8ve", 40}, {"Geneve", 1}}).find("once"),
            std::string::npos);
  EXPECT_NE(misspelt_remark({{"yes", 40}, {"yse", 1}}), "");
}

TEST(SimilarTexts, CodesFrequentTextsAndShortOnesAreLeftAlone) {
  EXPECT_EQ(misspelt_remark({{"stage 1", 90}, {"stage 2", 1}}), "");
  EXPECT_EQ(misspelt_remark({{"Male", 90}, {"Mael", 3}}), "");
  EXPECT_EQ(misspelt_remark({{"cat", 90}, {"bat", 1}}), "");
  EXPECT_EQ(misspelt_remark({{"Male", 19}, {"Mael", 1}}), "");
  EXPECT_EQ(misspelt_remark({{"Male", 90}, {"Female", 1}}), "");
}

TEST(SimilarTexts, SignsBetweenLettersMakeNoOtherTextAndMarksBehindThemDo) {
  for (const std::string other : {"St Gallen", "st.gallen", "St-Gallen", "ST GALLEN "}) {
    EXPECT_NE(alike_remark({"St. Gallen", other}, "categories"), "") << other;
  }
  EXPECT_EQ(alike_remark({"A", "A-", "A+", "B 1", "B1", "1-2", "12"}, "categories"), "");
}

TEST(SimilarTexts, InitialsBesideTheirWordsAreNamed) {
  EXPECT_NE(initials_remark({"F", "Female", "M", "Male"}), "");
  EXPECT_NE(initials_remark({"N", "Y", "no", "yes"}), "");
  EXPECT_EQ(initials_remark({"F", "M", "Male"}), "");
  EXPECT_EQ(initials_remark({"A", "B", "A1", "B2"}), "");
}

}  // namespace similar_texts_test
}  // namespace tacet::data
