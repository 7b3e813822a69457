#include "tacet/data/owner/guess_encoding.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tacet/base/error.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace guess_encoding_test {

using namespace std::string_view_literals;

TextEncoding guess(std::string_view bytes) {
  const test::TemporaryFile file{std::string(bytes)};
  return guess_encoding(file.path());
}

std::string fault_of(std::string_view bytes) {
  try {
    static_cast<void>(guess(bytes));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no fault";
}

TEST(GuessEncoding, TellsUtf8Utf16AndWesternTextsApart) {
  EXPECT_EQ(guess("a,b\n1,K\u00f6ln\n"), TextEncoding::utf_8);
  EXPECT_EQ(guess("a,b\n1,K\xf6ln\n"), TextEncoding::windows_1252);
  EXPECT_EQ(guess("\xff\xfe"
                  "a\0,\0b\0\n\0"sv),
            TextEncoding::utf_16);
  EXPECT_EQ(guess("a\0,\0b\0\n\0"sv), TextEncoding::utf_16);
}

TEST(GuessEncoding, WordsOfManyLanguagesAreWestern) {
  for (const std::string_view text :
       {"cr\xe9\xe9"
        "e,don\x92t,na\xefve,\xc9l\xe8ve,\x8cuvre,\xab \xe0 \xbb,5 \x80,\xc5\xe5s\n"sv,
        "fa\xe7"
        "ade,Malm\xf6,\xd8rsted,se\xf1or,M\xfcller\x96L\xfc"
        "denscheid,\xb0"
        "C,\xb1 5\n"sv,
        "STRA\xdf"
        "E,\xd6L,Citro\xebn,\xde\xf3r\n"sv}) {
    EXPECT_EQ(guess(text), TextEncoding::windows_1252) << text;
  }
}

// One file in each encoding that people still write, with a word or two that are no ASCII.
TEST(GuessEncoding, OtherEncodingsAreNeverTakenForWestern) {
  for (const std::string_view text : {
           "K\x94ln\n"sv,                   // DOS
           "Z\x81rich\n"sv,                 // DOS
           "Gen\x8fve\n"sv,                 // Macintosh
           "\xd0\xcf\xd3\xcb\xd7\xc1\n"sv,  // KOI8-R
           "\xcc\xee\xf1\xea\xe2\xe0\n"sv,  // Windows-1251
           "\xb4\xeb\xb1\xb8\n"sv,          // EUC-KR
           "\xb3\xb2\n"sv,                  // EUC-KR, one syllable
           "\x8b\x9e\x93s\n"sv,             // Shift-JIS
           "\xb1\xb1\xbe\xa9\n"sv,          // GBK
           "\xa3\xf3"
           "d\x9f,Krak\xf3w,Pozna\xf1,Bia\xb3ystok\n"sv,  // Windows-1250
       }) {
    const auto fault = fault_of(text);
    EXPECT_NE(fault.find(":1: "), std::string::npos) << fault;
    EXPECT_NE(fault.find("iconv"), std::string::npos) << fault;
  }
  EXPECT_NE(fault_of("a\n\x1b$B5~\x1b(B\n").find(":2: "), std::string::npos);
}

// UTF-8 with a damaged character is read, and said to be damaged by the draft.
TEST(GuessEncoding, SoundCharactersAreNotStrange) {
  EXPECT_EQ(guess("K\u00f6ln,Z\u00fcrich,K\xf6ln\n"), TextEncoding::windows_1252);
}

}  // namespace guess_encoding_test
}  // namespace tacet::data
