#include "tacet/model/words/word_vectors.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <string>

#include "tacet/base/error.h"
#include "tests/support/temporary_folder.h"

namespace tacet::model {
namespace word_vectors_test {

WordVectors sample(std::int64_t dimensions) {
  WordVectors vectors{.dimensions = dimensions,
                      .words = {"king", "caf\xc3\xa9", "#3", "0.5", std::string(4096, 'x')}};
  std::mt19937_64 bits(4);
  for (std::size_t k = 0; k < vectors.words.size() * static_cast<std::size_t>(dimensions); ++k) {
    const auto word = static_cast<std::uint32_t>(bits() >> 32);
    const auto number = std::bit_cast<float>(word);
    vectors.values.push_back(std::isfinite(number) ? number : 0.0F);
  }
  vectors.values[0] = std::numeric_limits<float>::max();
  vectors.values.back() = std::numeric_limits<float>::denorm_min();
  return vectors;
}

std::string written(const WordVectors& vectors, VectorFormat format) {
  std::string out;
  VectorWriter writer(format, static_cast<std::int64_t>(vectors.words.size()), vectors.dimensions,
                      [&](std::string_view piece) { out += piece; });
  for (std::size_t k = 0; k < vectors.words.size(); ++k) {
    writer.add(vectors.words[k], vectors.vector(k));
  }
  writer.finish();
  return out;
}

WordVectors read(std::string_view text) {
  return read_word_vectors(data::memory_source(text, "v"), "v");
}

std::string fault(std::string_view text) {
  try {
    static_cast<void>(read(text));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "none";
}

void expect_same(const WordVectors& a, const WordVectors& b) {
  EXPECT_EQ(a.dimensions, b.dimensions);
  EXPECT_EQ(a.words, b.words);
  EXPECT_EQ(a.values, b.values);
}

// Every float comes back as it was: the smallest, the largest and random ones.
TEST(WordVectors, ComeBackFromTextAndBinary) {
  for (const std::int64_t dimensions : {1, 7, 300}) {
    const auto vectors = sample(dimensions);
    for (const auto format : {VectorFormat::text, VectorFormat::binary}) {
      expect_same(read(written(vectors, format)), vectors);
    }
  }
}

TEST(WordVectors, ComeBackFromAnArrayAndItsWords) {
  const test::TemporaryFolder folder;
  const auto vectors = sample(7);
  const auto array = folder.write("v.npy", written(vectors, VectorFormat::npy));
  std::string list;
  for (const auto& word : vectors.words) list += word + "\n";
  folder.write("v.words.txt", list);
  EXPECT_EQ(word_list_of(array), folder.path() / "v.words.txt");
  expect_same(load_word_vectors(array), vectors);
  folder.write("v.words.txt", "one\ntwo\n");
  EXPECT_THROW(static_cast<void>(load_word_vectors(array)), base::DataError);
}

// Literally as word2vec and gensim write and read them.
TEST(WordVectors, HaveTheFormsOfWord2vec) {
  const WordVectors vectors{
      .dimensions = 2, .words = {"a", "b"}, .values = {1.5F, -0.25F, 0.1F, 1e-7F}};
  EXPECT_EQ(written(vectors, VectorFormat::text), "2 2\na 1.5 -0.25\nb 0.1 1e-07\n");
  const std::string binary = written(vectors, VectorFormat::binary);
  EXPECT_EQ(binary.substr(0, 8), std::string("2 2\na \0\0", 8));
  EXPECT_EQ(binary.size(), 4U + 2 * (2 + 8 + 1));
  // word2vec's program leaves a blank behind each number; some writers no line end in binary files.
  expect_same(read("2 2\na 1.5 -0.25 \nb 0.1 1e-7"), vectors);
  expect_same(read("2 2\r\na 1.5 -0.25\r\nb 0.1 0.0000001\r\n"), vectors);
  std::string tight = binary;
  tight.erase(tight.size() - 1);
  tight.erase(4 + 2 + 8, 1);
  expect_same(read(tight), vectors);
  const auto npy = written(vectors, VectorFormat::npy);
  EXPECT_EQ(npy.substr(0, 10), std::string("\x93NUMPY\x01\0\x76\0", 10));
  EXPECT_NE(npy.find("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"),
            std::string::npos);
  EXPECT_EQ(npy.size(), 128U + 16);
}

TEST(WordVectors, NumbersOutsideOfFloatsAreTheirNearestOnes) {
  EXPECT_EQ(read("1 2\na 1e-60 -1e-300\n").values, (std::vector<float>{0, 0}));
  EXPECT_EQ(fault("1 1\na 1e60\n"), "v: vector 1: a number is not finite");
}

TEST(WordVectors, OfAWordThatComesTwiceTheFirstCounts) {
  const auto vectors = read("3 1\na 1\nb 2\na 3\n");
  EXPECT_EQ(vectors.words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(vectors.values, (std::vector<float>{1, 2}));
}

TEST(WordVectors, SayWhatIsWrongWithAFile) {
  const std::string first =
      "v:1: the first line of word vectors holds how many words and how many dimensions (1 to "
      "4096) there are, \"20000 100\" say";
  for (const auto* text : {"", "\n", "2\na 1\n", "0 2\n", "-1 2\n", "1 0\na\n", "1 4097\n",
                           "1 2 3\na 1 2\n", "a 1 2\n", "99999999999 1\n", "1 1"}) {
    EXPECT_EQ(fault(text), first) << text;
  }
  const std::string expected = "v: vector 2: a word and 2 numbers are expected";
  EXPECT_EQ(fault("2 2\na 1 2\nb 1\n"), expected);
  EXPECT_EQ(fault("2 2\na 1 2\nb 1 2 3\n"), expected);
  EXPECT_EQ(fault("2 2\na 1 2\nb 1 x\n"), expected);
  EXPECT_EQ(fault("2 2\na 1 2\n"), expected);
  EXPECT_EQ(fault("1 2\na 1 2\nb 1 2\n"),
            "v: vector 2: more follows than the first line announces");
  EXPECT_EQ(fault("1 2\na nan 2\n"), "v: vector 1: a number is not finite");
  EXPECT_EQ(fault("1 2\n\xff 1 2\n"), "v: vector 1: a word is not UTF-8");
  EXPECT_EQ(fault("1 1\na\nb " + std::string(4, '\0')),
            "v: vector 1: a word has blanks, line ends or zero bytes in it");
  EXPECT_EQ(fault("1 1\n" + std::string(5000, 'a') + " 1\n"),
            "v: vector 1: a word and 1 numbers are expected, as text or as float32");
  EXPECT_EQ(fault("2000000000 4096\nabc"),
            "v: vector 1: a word and 4096 numbers are expected, as text or as float32");
}

TEST(VectorWriter, KeepsItsWord) {
  const auto ignore = [](std::string_view) {};
  EXPECT_THROW(VectorWriter(VectorFormat::text, 0, 2, ignore), base::UsageError);
  EXPECT_THROW(VectorWriter(VectorFormat::text, 1, 0, ignore), base::UsageError);
  EXPECT_THROW(VectorWriter(VectorFormat::text, 1, 4097, ignore), base::UsageError);
  VectorWriter writer(VectorFormat::text, 1, 2, ignore);
  const std::vector<float> two(2);
  EXPECT_THROW(writer.finish(), base::InternalError);
  EXPECT_THROW(writer.add("a", std::span(two).first(1)), base::InternalError);
  writer.add("a", two);
  EXPECT_THROW(writer.add("b", two), base::InternalError);
  EXPECT_THROW(static_cast<void>(vector_format("csv")), base::UsageError);
}

}  // namespace word_vectors_test
}  // namespace tacet::model
