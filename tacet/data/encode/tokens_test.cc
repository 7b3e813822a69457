#include "tacet/data/encode/tokens.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacet::data {
namespace tokens_test {

using Texts = std::vector<std::string>;

// In pieces of every size, since a token may go on in the next one.
Texts tokens_of(TokenRule rule, std::string_view text, std::size_t piece, std::size_t longest) {
  Tokens tokens(rule, longest);
  Texts found;
  const auto add = [&](std::string_view token) { found.emplace_back(token); };
  for (std::size_t k = 0; k < text.size(); k += piece) tokens.feed(text.substr(k, piece), add);
  tokens.finish(add);
  return found;
}

void expect_tokens(TokenRule rule, std::string_view text, const Texts& expected,
                   std::size_t longest = 100) {
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(tokens_of(rule, text, piece, longest), expected) << text;
  }
}

using namespace std::string_view_literals;

TEST(Tokens, StandBetweenBlanks) {
  expect_tokens(TokenRule::blanks, "  To be,\tor\rnot\vto\fbe \0.\n"sv,
                {"To", "be,", "or", "not", "to", "be", "."});
}

TEST(Tokens, AreWordsOfTheSchemasTexts) {
  expect_tokens(TokenRule::words, "It's 2 o'Clock: caf\xc3\xa9-Bar"sv,
                {"it", "s", "2", "o", "clock", "caf\xc3\xa9", "bar"});
}

TEST(Tokens, ThatAreTooLongAreLeftOut) {
  expect_tokens(TokenRule::blanks, "abc abcd abcde ab", {"abc", "abcd", "ab"}, 4);
}

TEST(Tokens, KnowWhatTheyCanFind) {
  const Tokens blanks(TokenRule::blanks, 4);
  const Tokens words(TokenRule::words, 4);
  EXPECT_TRUE(blanks.is_token("The,"));
  EXPECT_FALSE(blanks.is_token("T he"));
  EXPECT_FALSE(blanks.is_token("T\0e"sv));
  EXPECT_FALSE(blanks.is_token("There"));
  EXPECT_FALSE(blanks.is_token(""));
  EXPECT_TRUE(words.is_token("the2"));
  EXPECT_FALSE(words.is_token("The"));
  EXPECT_FALSE(words.is_token("the,"));
}

}  // namespace tokens_test
}  // namespace tacet::data
