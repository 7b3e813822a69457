#include "tacet/data/words/vocabulary.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/base/error.h"
#include "tacet/data/encode/public_hash.h"

namespace tacet::data {
namespace vocabulary_test {

Vocabulary parsed(std::string_view text) {
  return read_vocabulary(LineReader(memory_source(text, "v.txt"), "v.txt"), "v.txt");
}

std::string fault(std::string_view text) {
  try {
    static_cast<void>(parsed(text));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "none";
}

TEST(Vocabulary, IsAListOfWords) {
  const auto words = parsed("\xef\xbb\xbfking\r\nqueen\n caf\xc3\xa9 \nking's");
  EXPECT_EQ(words.size(), 4);
  EXPECT_EQ(words.find("king"), 0);
  EXPECT_EQ(words.find("caf\xc3\xa9"), 2);
  EXPECT_EQ(words.find("King"), Vocabulary::unknown);
  EXPECT_EQ(words.find(""), Vocabulary::unknown);
  EXPECT_EQ(words.word(3), "king's");
  EXPECT_TRUE(words.counts().empty());
}

TEST(Vocabulary, HasPublicCountsOrNone) {
  const auto words = parsed("the 100\nof\t60\nto 0\n");
  EXPECT_EQ(std::vector(words.counts().begin(), words.counts().end()),
            (std::vector<std::int64_t>{100, 60, 0}));
  const auto frequent = words.with_counts_from(60);
  EXPECT_EQ(frequent.size(), 2);
  EXPECT_EQ(frequent.find("to"), Vocabulary::unknown);
  EXPECT_THROW(static_cast<void>(words.with_counts_from(101)), base::UsageError);
}

TEST(Vocabulary, SaysWhereAListIsWrong) {
  EXPECT_EQ(fault("a\n\nb\n"), "v.txt:2: the line is empty; a word is expected on each line");
  EXPECT_EQ(fault("a\nb\na\n"), "v.txt:3: the word stands on line 1 already");
  EXPECT_EQ(fault("a 1\nb\n"), "v.txt:2: no count, where the lines before have one");
  EXPECT_EQ(fault("a\nb 1\n"), "v.txt:2: a count, where the lines before have none");
  EXPECT_EQ(fault("a -1\n"), "v.txt:1: the count is no whole number from 0 to below 2^53");
  EXPECT_EQ(fault("a 1.5\n"), "v.txt:1: the count is no whole number from 0 to below 2^53");
  EXPECT_EQ(fault("a 9007199254740992\n"),
            "v.txt:1: the count is no whole number from 0 to below 2^53");
  EXPECT_EQ(fault("new york 3\n"),
            "v.txt:1: a word and at most its count are expected, not more fields");
  EXPECT_EQ(fault("a\n\xff\n"), "v.txt:2: a word is not UTF-8; convert the list");
  EXPECT_EQ(fault(""), "v.txt: the list has no words");
  EXPECT_EQ(fault(std::string(5000, 'a')), "v.txt:1: a word has more than 4096 bytes");
  EXPECT_EQ(fault(std::string(2'000'000, 'a')), "v.txt:1: the line has more than 1048576 bytes");
}

TEST(Vocabulary, RefusesWordsThatNoTextHasNorFileKeeps) {
  EXPECT_THROW(Vocabulary({"a", ""}), base::UsageError);
  EXPECT_THROW(Vocabulary({"a", "a"}), base::UsageError);
  EXPECT_THROW(Vocabulary({"a b"}), base::UsageError);
  EXPECT_THROW(Vocabulary({"a\n"}), base::UsageError);
  EXPECT_THROW(Vocabulary({"a"}, {1, 2}), base::UsageError);
  EXPECT_THROW(Vocabulary({"a"}, {-1}), base::UsageError);
}

TEST(Vocabulary, CountsAreNeverThoseOfPrivateTexts) {
  const auto words = parsed("a\nb\n");
  try {
    static_cast<void>(words.with_counts_from(5));
    FAIL();
  } catch (const base::UsageError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("a public count behind each word"), std::string::npos);
    EXPECT_NE(text.find("noisy counts that were paid for"), std::string::npos);
  }
}

TEST(Vocabulary, BucketsTakeEveryToken) {
  const auto buckets = Vocabulary::hashed(12);
  EXPECT_EQ(buckets.size(), 4096);
  for (const auto* token : {"king", "\xff\xfe", "a b"}) {
    EXPECT_EQ(buckets.find(token), static_cast<std::int32_t>(public_bucket(token, 12)));
  }
  EXPECT_EQ(buckets.word(17), "#17");
  EXPECT_THROW(static_cast<void>(Vocabulary::hashed(0)), base::UsageError);
  EXPECT_THROW(static_cast<void>(Vocabulary::hashed(31)), base::UsageError);
}

TEST(Vocabulary, SaysHowManyWordsNoTextCanHold) {
  const auto words = parsed("The\nthe\nit's\n2\n");
  EXPECT_EQ(words.never_found(TokenRule::blanks), 0);
  EXPECT_EQ(words.never_found(TokenRule::words), 2);
}

}  // namespace vocabulary_test
}  // namespace tacet::data
