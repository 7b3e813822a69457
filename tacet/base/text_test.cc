#include "tacet/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacet::base {
namespace text_test {

TEST(Printable, EscapesWhatMovesATerminal) {
  EXPECT_EQ(printable("a\nverdict  follows"), "a\\nverdict  follows");
  EXPECT_EQ(printable("\x1b[2J\x7f\t\r"), "\\x1b[2J\\x7f\\t\\r");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");  // C1: another start of an escape
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "desrever"),
            "\\u202edesrever");  // right to left
  EXPECT_EQ(printable("\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8"), "\\u2066\\u061c\\u2028");
}

TEST(Printable, LeavesReadableTextAlone) {
  for (const std::string text : {"plain, 'quoted' \"C:\\data\"",
                                 "Gr\xc3\xb6\xc3\x9f"
                                 "e",
                                 "\xe5\xb9\xb4\xe9\xbd\xa2", "\xf0\x9f\x90\x98",
                                 "\xd8\xa7\xd9\x84\xd8\xb9\xd9\x85\xd8\xb1", ""}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_lines(text + "\n" + text), text + "\n" + text);
  }
}

// Overlong forms, surrogates, beyond U+10FFFF, stray and missing continuations.
TEST(Printable, EscapesBytesThatAreNoUtf8) {
  EXPECT_EQ(printable("\xc0\xae"), "\\xc0\\xae");
  EXPECT_EQ(printable("\xe0\x80\xae"), "\\xe0\\x80\\xae");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xff"
                      "a\x80"),
            "\\xffa\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
}

TEST(Printable, LinesMayKeepTheirEnds) {
  EXPECT_EQ(printable_lines("one\ntwo\r\n\x1b"), "one\ntwo\\r\n\\x1b");
}

TEST(Printable, JsonKeepsItsMeaning) {
  EXPECT_EQ(printable_json("{\n \"a\": \"\\u001b\xc2\x9b\xe2\x80\xae\x7f\xc3\xb6\"\n}"),
            "{\n \"a\": \"\\u001b\\u009b\\u202e\\u007f\xc3\xb6\"\n}");
}

const std::vector<std::string> known{"--epsilon", "--delta", "--schema"};

TEST(NearestWord, AMisspeltWordFindsItsOwn) {
  EXPECT_EQ(nearest_word("--epsilom", known), "--epsilon");
  EXPECT_EQ(nearest_word("--eps", known), "");  // six letters away, more than half of it
  EXPECT_EQ(nearest_word("--epsilon", known), "--epsilon");
  EXPECT_EQ(nearest_word("--shcema", known), "--schema");
}

TEST(NearestWord, NothingNearIsNothing) {
  EXPECT_EQ(nearest_word("--SCHEMA", known), "--schema");
  EXPECT_EQ(nearest_word("predict", known), "");
  EXPECT_EQ(nearest_word("", known), "");
  EXPECT_EQ(did_you_mean("predict", known), "");
  EXPECT_EQ(did_you_mean("--detla", known), "; did you mean '--delta'?");
}

TEST(List, EveryPartIsKeptAndAnEmptyOneIsAFault) {
  EXPECT_EQ(split_at_commas("a,b c,d"), (std::vector<std::string>{"a", "b c", "d"}));
  EXPECT_EQ(split_at_commas(",a,"), (std::vector<std::string>{"", "a", ""}));
  for (const auto* whole : {"a", "a,b", " ,b"}) EXPECT_EQ(empty_part_fault(whole), "") << whole;
  for (const auto* broken : {"", ",", ",,", "a,", ",a", "a,,b"}) {
    EXPECT_NE(empty_part_fault(broken).find(broken), std::string::npos) << broken;
    EXPECT_NE(empty_part_fault(broken), "") << broken;
  }
}

}  // namespace text_test

}  // namespace tacet::base
