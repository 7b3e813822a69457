#include "tacet/data/words/corpus.h"

#include <gtest/gtest.h>

#include <string>

#include "tacet/base/error.h"
#include "tests/support/scratch_folder.h"

namespace tacet::data {
namespace corpus_test {

using Words = std::vector<std::int32_t>;
using Records = std::vector<Words>;

const Vocabulary& letters() {
  static const Vocabulary words({"a", "b", "c", "caf\xc3\xa9"});
  return words;
}

Corpus read(std::string_view text, const CorpusOptions& options = {}) {
  return read_corpus(memory_source(text, "t.txt"), "t.txt", letters(), options);
}

Records records(const Corpus& corpus) {
  Records out;
  for (std::int64_t r = 0; r < corpus.record_count(); ++r) {
    const auto words = corpus.record(r);
    out.emplace_back(words.begin(), words.end());
  }
  return out;
}

TEST(Corpus, IsADocumentALine) {
  const auto corpus = read(
      "\xef\xbb\xbf"
      "a b x c\r\n\n b\tz caf\xc3\xa9\nc");
  EXPECT_EQ(records(corpus), (Records{{0, 1, 2}, {}, {1, 3}, {2}}));
  EXPECT_EQ(corpus.unit_count(), 4);
  EXPECT_EQ(corpus.word_count(), 6);
  EXPECT_EQ(read("").record_count(), 0);
  EXPECT_EQ(read("a\n").record_count(), 1);
}

TEST(Corpus, RecordsAreNeverAtFault) {
  EXPECT_EQ(records(read("\xff\xfe a \xc3(\n")), (Records{{0}}));
  EXPECT_EQ(records(read(std::string("b") + '\0' + "a " + std::string(10'000, 'a') + " c")),
            (Records{{1, 0, 2}}));
}

TEST(Corpus, LongLinesCountWithTheirFirstWords) {
  std::string text;
  for (int k = 0; k < 10'000'000; ++k) text += k % 3 == 0 ? "a " : "b ";
  text += "\nc\n";
  const auto corpus = read(text, {.max_words = 100});
  ASSERT_EQ(corpus.record_count(), 2);
  EXPECT_EQ(corpus.record(0).size(), 100U);
  EXPECT_EQ(corpus.record(0)[99], 0);
  EXPECT_EQ(corpus.record(1)[0], 2);
  EXPECT_THROW(read("a", {.max_words = 1}), base::UsageError);
}

TEST(Corpus, WordsMayFollowTheSchemasRule) {
  EXPECT_EQ(records(read("A,b: C!\n", {.tokens = TokenRule::words})), (Records{{0, 1, 2}}));
}

TEST(Corpus, UnknownTokensMayKeepTheirPlace) {
  EXPECT_EQ(records(read("a x b\n", {.keep_unknown = true})), (Records{{0, -1, 1}}));
}

TEST(Corpus, RecordsOfAUnitCountTogether) {
  const std::string table = "who,text\nann,a b\nbob,c\n ann ,\"b\nb\"\n,a a a\nNA,a\nbob,a c\n";
  const auto corpus =
      read(table, {.table = CorpusTable{.text_column = "text", .unit_column = "who"}});
  EXPECT_EQ(corpus.unit_count(), 2);
  const auto of = [&](std::int64_t unit) {
    Records out;
    corpus.visit_unit(unit, [&](std::int64_t r) {
      const auto words = corpus.record(r);
      out.emplace_back(words.begin(), words.end());
    });
    return out;
  };
  EXPECT_EQ(of(0), (Records{{0, 1}, {1, 1}}));
  EXPECT_EQ(of(1), (Records{{2}, {0, 2}}));
  const auto alone = read(table, {.table = CorpusTable{.text_column = "text"}});
  EXPECT_EQ(alone.unit_count(), 6);
}

// Read with all of its words and numbered by a list afterwards it is what the list reads.
TEST(Corpus, OpenTextsBecomeThoseOfAList) {
  const std::string text = "c a x b\n\xff a\n\ny z\ncaf\xc3\xa9 c c\n";
  for (const bool keep_unknown : {false, true}) {
    auto open =
        read_open_corpus(memory_source(text, "t.txt"), "t.txt", {.keep_unknown = keep_unknown});
    EXPECT_EQ(open.words, (std::vector<std::string>{"c", "a", "x", "b", "y", "z", "caf\xc3\xa9"}));
    std::vector<std::int32_t> numbers;
    for (const auto& word : open.words) numbers.push_back(letters().find(word));
    open.corpus.renumber(numbers, open.keep_unknown);
    const auto listed = read(text, {.keep_unknown = keep_unknown});
    EXPECT_EQ(records(open.corpus), records(listed));
    EXPECT_EQ(open.corpus.word_count(), listed.word_count());
  }
}

TEST(Corpus, TablesNeedTheirColumns) {
  EXPECT_THROW(read("who,text\na,b\n", {.table = CorpusTable{.text_column = "words"}}),
               base::DataError);
  EXPECT_THROW(read("who,text\na,b\n",
                    {.table = CorpusTable{.text_column = "text", .unit_column = "author"}}),
               base::DataError);
  FileFormat tabs;
  tabs.separator = '\t';
  tabs.quote.reset();
  EXPECT_EQ(records(read("who\ttext\nx\ta \"b\n", {.table = CorpusTable{"text", {}, tabs}})),
            (Records{{0}}));
}

TEST(Corpus, RecordsFillSeveralBlocks) {
  std::string line;
  for (int k = 0; k < 1000; ++k) line += "a b c ";
  std::string text;
  for (int k = 0; k < 800; ++k) text += line + "\n";
  const auto corpus = read(text);
  EXPECT_EQ(corpus.word_count(), 800 * 3000);
  for (std::int64_t r = 0; r < 800; ++r) {
    ASSERT_EQ(corpus.record(r).size(), 3000U);
    ASSERT_EQ(corpus.record(r)[2999], 2);
  }
}

TEST(Corpus, AFolderIsNoText) {
  const test::ScratchFolder folder;
  EXPECT_THROW(static_cast<void>(read_corpus(folder.path(), letters(), {})), base::IoError);
}

}  // namespace corpus_test
}  // namespace tacet::data
